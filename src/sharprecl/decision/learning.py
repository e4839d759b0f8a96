"""Learn a model's decision from the user's settings and held-out scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.config import DecisionConfig
from sharprecl.decision.calibration import Calibration, calibrate
from sharprecl.decision.decision import Decision
from sharprecl.decision.policy import NEUTRAL, Policy
from sharprecl.decision.prior import prior_shift, wanted_prior
from sharprecl.errors import ConfigError


@dataclass(frozen=True, eq=False)
class Learned:
    """A decision and the class prior it is for.

    Attributes:
        decision: what is done to the scores.
        prior_C: class shares that the changed scores assume; None if unknown.
        policy: how the changed scores become answers.
        calibration: what was fitted, if requested.
        notes: sentences that a person should read.
    """

    decision: Decision
    prior_C: NDArray[np.float64] | None
    policy: Policy = NEUTRAL
    calibration: Calibration | None = None
    notes: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """JSON-ready, for ``metrics.json``; empty for scores as they were trained."""
        if self.decision.is_neutral and self.calibration is None:
            return {}
        fitted = self.calibration
        return {
            "temperature": self.decision.temperature,
            "shift": self.decision.shift_C.tolist(),
            "prior": None if self.prior_C is None else self.prior_C.tolist(),
            "calibration": fitted
            and {
                name: getattr(fitted, name)
                for name in ("temperature", "strength", "n_texts", "log_loss_before", "log_loss_after")
            },
        }


def check_prior(
    asked: DecisionConfig, method: str, label_names: Sequence[str], natural_counts: NDArray[np.number], known: bool
) -> None:
    """Check before training that the requested prior is possible.

    Args:
        known: whether the prior of the method's bare scores is known.

    Raises:
        ConfigError: it cannot.
    """
    wanted = wanted_prior(asked.prior, label_names, natural_counts)
    if wanted is not None and not known and not asked.calibrate:
        raise unknown_prior(method)


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
    held_out: tuple[NDArray[np.floating], NDArray[np.integer]] | None,
    held_weight_N: NDArray[np.float64] | None = None,
) -> Learned:
    """Calibrate on held-out scores if requested, then adjust the scores to the requested prior.

    Args:
        asked: the section of the configuration.
        label_names: C names.
        natural_counts: training texts of each class by their weights, without augmented copies.
        known_C: the prior that bare scores answer for, from ``Method.answered_prior``.
        held_out: scores [N, C] of texts that the model has not learnt from, which are as skewed as training, and their
            class ids [N]; never of test texts.
        held_weight_N: their weights; None: all alike.

    Raises:
        ConfigError: the prior cannot be worked out; ``check_prior`` says so earlier.
    """
    decision, prior_C, calibration = Decision.neutral(len(label_names)), known_C, None
    notes: tuple[str, ...] = ()
    if asked.calibrate:
        train_C = np.asarray(natural_counts, dtype=np.float64) / np.sum(natural_counts)
        s_NC, y_N = held_out or (np.empty((0, len(label_names))), np.empty(0, dtype=np.int64))
        calibration = calibrate(s_NC, y_N, train_C, held_weight_N)
        notes = (calibration.sentence,)
        if calibration.fitted:
            decision, prior_C = calibration.decision, train_C
    wanted_C = wanted_prior(asked.prior, label_names, natural_counts)
    if wanted_C is None:
        return Learned(decision, prior_C, NEUTRAL, calibration, notes)
    if prior_C is None:
        lost = "for which class prior the scores are could not be learnt, so the prior asked for was not applied"
        return Learned(decision, None, NEUTRAL, calibration, (*notes, lost))
    return Learned(turned(decision, prior_C, wanted_C), wanted_C, NEUTRAL, calibration, notes)


def turned(decision: Decision, known_C: NDArray[np.float64], wanted_C: NDArray[np.float64]) -> Decision:
    """Change a decision from one prior to another."""
    return decision.then(Decision(1.0, prior_shift(known_C, wanted_C)))
