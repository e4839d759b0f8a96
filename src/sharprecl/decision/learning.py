"""Learn a model's decision from the user's settings and held-out scores."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.config import DecisionConfig
from sharprecl.config.decision import Costs, recall_objective
from sharprecl.data.messages import closest
from sharprecl.decision.abstention import bar_of_coverage, bar_of_precision, told_of_bar
from sharprecl.decision.calibration import Calibration, calibrate
from sharprecl.decision.conformal import Bars, set_bars
from sharprecl.decision.decision import Decision
from sharprecl.decision.held_out import HeldOut
from sharprecl.decision.objectives import Floats, MacroF1, Objective, balanced_accuracy, cost_of_answers
from sharprecl.decision.optimising import Optimised, optimise
from sharprecl.decision.policy import NEUTRAL, Policy
from sharprecl.decision.prior import prior_shift, wanted_prior
from sharprecl.decision.scores import softmax
from sharprecl.decision.thresholds import recall_offset
from sharprecl.errors import ConfigError
from sharprecl.evaluation.judge import evaluate


@dataclass(frozen=True, eq=False)
class Learned:
    """A decision, the class prior it is for, and what it rests on.

    Attributes:
        decision: what is done to the scores, offsets of the policy included.
        prior_C: class shares that the changed scores assume; None if unknown.
        policy: how the changed scores become answers.
        calibration, optimised, bars: what was learnt, if asked for.
        notes: sentences that a person should read.
    """

    decision: Decision
    prior_C: NDArray[np.float64] | None
    policy: Policy = NEUTRAL
    calibration: Calibration | None = None
    optimised: Optimised | None = None
    bars: Bars | None = None
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """JSON-ready, for ``metrics.json``; empty for scores as they were trained."""
        if self.decision.is_neutral and self.calibration is None:
            return {}
        fitted = self.calibration
        facts: dict[str, Any] = {
            "temperature": self.decision.temperature,
            "shift": self.decision.shift_C.tolist(),
            "prior": None if self.prior_C is None else self.prior_C.tolist(),
            "calibration": fitted
            and {
                name: getattr(fitted, name)
                for name in ("temperature", "strength", "n_texts", "log_loss_before", "log_loss_after")
            },
        }
        if self.optimised is not None:
            facts["optimised"] = asdict(self.optimised) | {"offset_C": self.optimised.offset_C.tolist()}
        if not self.policy.is_neutral:
            facts["policy"] = self.policy.to_dict()
        return facts


def check_decision(
    asked: DecisionConfig, method: str, label_names: Sequence[str], natural_counts: NDArray[np.number], known: bool
) -> None:
    """Check before training that what is asked for is possible.

    Args:
        known: whether the prior of the method's bare scores is known.

    Raises:
        ConfigError: it cannot.
    """
    wanted = wanted_prior(asked.prior, label_names, natural_counts)
    if wanted is not None and not known and not asked.learns:
        raise unknown_prior(method)
    if isinstance(asked.optimise, dict):
        cost_of_answers(asked.optimise, label_names)
    elif asked.optimise is not None and asked.optimise.startswith("recall:"):
        label, _ = recall_objective(asked.optimise)
        if label not in label_names:
            raise ConfigError(f"decision.optimise: no training text is labelled {label!r}{closest(label, label_names)}")


def unknown_prior(method: str) -> ConfigError:
    """The error for scores whose class prior is unknown."""
    return ConfigError(
        f"the scores of {method} are for no known class prior, so they cannot be turned into those for another; add "
        f"decision.calibrate=true in training, which learns it from held-out texts, or leave the prior as it is"
    )


def learn(
    asked: DecisionConfig,
    label_names: Sequence[str],
    natural_counts: NDArray[np.number],
    known_C: NDArray[np.float64] | None,
    held_out: HeldOut | None,
) -> Learned:
    """Calibrate on held-out scores if that is needed, adjust the scores to the requested prior, then set thresholds.

    Args:
        asked: the section of the configuration.
        label_names: C names.
        natural_counts: training texts of each class by their weights, without augmented copies.
        known_C: the prior that bare scores answer for, from ``Method.answered_prior``.
        held_out: scores of texts that the model has not learnt from.

    Raises:
        ConfigError: the prior cannot be worked out, ``check_decision`` says so earlier; or the held-out texts are too
            few to promise what was asked for.
    """
    decision, prior_C, calibration = Decision.neutral(len(label_names)), known_C, None
    notes: tuple[str, ...] = ()
    train_C = np.asarray(natural_counts, dtype=np.float64) / np.sum(natural_counts)
    if asked.learns:
        if held_out is None:
            empty = np.empty((0, len(label_names)), dtype=np.float32)
            held_out = HeldOut(empty, np.empty(0, dtype=np.int64), np.empty(0))
        calibration = calibrate(held_out.s_MC, held_out.label_ids, train_C, held_out.weight_M)
        notes = (calibration.sentence,)
        if calibration.fitted:
            decision, prior_C = calibration.decision, train_C
    wanted_C = wanted_prior(asked.prior, label_names, natural_counts)
    if wanted_C is not None and prior_C is None:
        lost = "for which class prior the scores are could not be learnt, so the prior asked for was not applied"
        return Learned(decision, None, NEUTRAL, calibration, notes=(*notes, lost))
    if wanted_C is not None:
        assert prior_C is not None
        decision, prior_C = turned(decision, prior_C, wanted_C), wanted_C
    learned = Learned(decision, prior_C, NEUTRAL, calibration, notes=notes)
    if held_out is None or calibration is None or not calibration.fitted:
        return learned
    assert prior_C is not None
    return _with_policy(learned, asked, label_names, held_out, prior_C / train_C)


def turned(decision: Decision, known_C: NDArray[np.float64], wanted_C: NDArray[np.float64]) -> Decision:
    """Change a decision from one prior to another."""
    return decision.then(Decision(1.0, prior_shift(known_C, wanted_C)))


def _with_policy(
    learned: Learned, asked: DecisionConfig, label_names: Sequence[str], held_out: HeldOut, ratio_C: Floats
) -> Learned:
    """Offsets, then the bar of confidence and the sets.

    Args:
        ratio_C: how much more frequent each class is to be than among the held-out texts, which are weighted so.
    """
    y_M, weight_M = held_out.label_ids, held_out.weight_M * ratio_C[held_out.label_ids]
    p_MC = softmax(learned.decision.exactly(held_out.s_MC))
    z_MC = np.log(p_MC.clip(1e-300))
    notes, optimised, bars, offset_C = list(learned.notes), None, None, None
    least, bar_C = 0.0, None
    if isinstance(asked.optimise, str) and asked.optimise.startswith("recall:"):
        offset_C = _with_recall(asked.optimise, label_names, z_MC, y_M, notes)
    elif asked.optimise is not None:
        optimised = optimise(z_MC, y_M, weight_M, _objective(asked.optimise, label_names, y_M, weight_M))
        notes.append(optimised.sentence)
        offset_C = optimised.offset_C if optimised.kept else None
    answers_M = (z_MC if offset_C is None else z_MC + offset_C).argmax(1)
    confidence_M = p_MC[np.arange(len(y_M)), answers_M]
    if asked.coverage is not None:
        least = bar_of_coverage(confidence_M, weight_M, asked.coverage)
    if asked.precision is not None:
        least = bar_of_precision(confidence_M, answers_M == y_M, weight_M, asked.precision)
    if least > 0:
        notes.append(told_of_bar(least, confidence_M, answers_M == y_M, weight_M, asked.precision))
    if asked.sets is not None:
        bars = set_bars(p_MC, y_M, asked.sets)
        bar_C = bars.bar_C
        notes.append(bars.sentence)
    decision = learned.decision if offset_C is None else learned.decision.then(Decision(1.0, offset_C))
    policy = Policy(offset_C, least, bar_C, asked.sets)
    return Learned(decision, learned.prior_C, policy, learned.calibration, optimised, bars, tuple(notes))


def _objective(asked: str | Costs, label_names: Sequence[str], y_M: NDArray[np.int64], weight_M: Floats) -> Objective:
    if isinstance(asked, dict):
        return cost_of_answers(asked, label_names)
    if asked == "balanced_accuracy":
        return balanced_accuracy(y_M, weight_M, len(label_names))
    return MacroF1(len(label_names))


def _with_recall(
    asked: str, label_names: Sequence[str], z_MC: Floats, y_M: NDArray[np.int64], notes: list[str]
) -> Floats | None:
    name, recall = recall_objective(asked)
    label = list(label_names).index(name)
    offset_C = recall_offset(z_MC, y_M, label, recall, name)
    before, after = (
        evaluate(y_M, z.argmax(1), np.ones(len(label_names), dtype=np.int64), tuple(label_names), n_bootstrap=2)
        for z in (z_MC, z_MC + offset_C)
    )
    rows = [judged.classes[label] for judged in (before, after)]
    notes.append(
        f"{name!r} is found {recall:.0%} of the time or more: recall {rows[0].recall:.1%} to {rows[1].recall:.1%} of "
        f"its {rows[0].test_count} held-out texts, precision {rows[0].precision:.1%} to {rows[1].precision:.1%}, "
        f"macro-F1 {100 * before.macro_f1:.1f} to {100 * after.macro_f1:.1f}"
    )
    return offset_C if offset_C.any() else None
