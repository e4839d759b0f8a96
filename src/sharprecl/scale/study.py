"""Optuna's part of a search: its journal, what it suggests, what it stops, what it finds important."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sharprecl.config import Range
from sharprecl.config.space import Choice
from sharprecl.errors import ConfigError
from sharprecl.scale.space import Start, is_whole

if TYPE_CHECKING:
    import optuna

WHY = "why"
"""Attribute of a trial that was stopped."""

Settled = Mapping[str, Range | tuple[Choice, ...]]

_ASKED, _PLACE = "asked", "place"
_ENOUGH = 12
"""Trials below which nothing is said of which settings matter."""


@dataclass(frozen=True)
class Tried:
    """A trial that came to its end, or was stopped.

    Attributes:
        macro_f1: over all folds; None where it was stopped.
        why: it was stopped; empty where it was not.
    """

    place: int
    values: Mapping[str, Choice]
    macro_f1: float | None
    why: str = ""

    @property
    def score(self) -> float:
        """To rank by: what was stopped comes last."""
        return -1.0 if self.macro_f1 is None else self.macro_f1


def best_of(tried: Sequence[Tried]) -> Tried:
    """The best one; of equals the first, so that the defaults are left for something better alone."""
    return max(tried, key=lambda trial: trial.score)


def open_study(journal: Path, asked: str) -> "optuna.Study":
    """The study in a journal, without the trials that a kill left unfinished.

    Args:
        journal: of a folder that no other process works in.
        asked: a hash of what is searched, and how.

    Raises:
        ConfigError: another search is in it.
    """
    import optuna
    from optuna.storages.journal import JournalFileBackend, JournalFileOpenLock

    class Alone(JournalFileOpenLock):
        """The folder's lock keeps others out already, and Optuna's would outlive a kill by half a minute."""

        def acquire(self) -> bool:
            return True

        def release(self) -> None:
            pass

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    if journal.exists():
        whole = journal.read_bytes()
        # A kill may have cut the last line, and Optuna would write behind it.
        with journal.open("r+b") as stream:
            stream.truncate(whole.rfind(b"\n") + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        # Three folds are three pairs: no test over folds can be sure of anything, and a median over them would stop
        # half of all trials for noise. Classes within folds are pairs enough: what loses in most of them stops.
        pruner = optuna.pruners.WilcoxonPruner()
    study = optuna.create_study(
        study_name="tune",
        direction="maximize",
        storage=optuna.storages.JournalStorage(JournalFileBackend(str(journal), Alone(str(journal)))),
        load_if_exists=True,
        pruner=pruner,
    )
    if study.user_attrs.get(_ASKED, asked) != asked:
        raise ConfigError(
            f"{journal} holds a search with other settings, data or space; choose another --output, or add "
            f"--overwrite instead of --resume"
        )
    study.set_user_attr(_ASKED, asked)
    for trial in study.get_trials(states=(optuna.trial.TrialState.RUNNING,)):
        study.tell(trial.number, state=optuna.trial.TrialState.FAIL)
    return study


def ask(study: "optuna.Study", place: int, seed: int, start: Start, space: Settled) -> "optuna.Trial":
    """The next trial with all its values: first the start, then what the trials so far make promising.

    Each draws from a generator of its own, so that a search that was killed tries what it would have tried.
    """
    import optuna

    own_seed = int(np.random.SeedSequence([seed, place]).generate_state(1)[0])
    study.sampler = optuna.samplers.TPESampler(seed=own_seed)
    if place == 0 and not study.get_trials(states=(optuna.trial.TrialState.WAITING,)):
        study.enqueue_trial(dict(start))
    trial = study.ask()
    trial.set_user_attr(_PLACE, place)
    for path, dimension in space.items():
        if isinstance(dimension, tuple):
            trial.suggest_categorical(path, dimension)
        elif is_whole(start[path]):
            trial.suggest_int(path, int(dimension.low), int(dimension.high), log=dimension.log)
        else:
            trial.suggest_float(path, dimension.low, dimension.high, log=dimension.log)
    return trial


def tell(study: "optuna.Study", trial: "optuna.Trial", macro_f1: float | None) -> None:
    """Write down how a trial ended; None is one that was stopped."""
    from optuna.trial import TrialState

    study.tell(trial, macro_f1, TrialState.PRUNED if macro_f1 is None else TrialState.COMPLETE)


def tried_in(study: "optuna.Study") -> tuple[Tried, ...]:
    """All trials that ended, in order of their places."""
    from optuna.trial import TrialState

    tried = (
        Tried(
            trial.user_attrs[_PLACE],
            trial.params,
            trial.value if trial.state == TrialState.COMPLETE else None,
            trial.user_attrs.get(WHY, ""),
        )
        for trial in _ended(study)
    )
    return tuple(sorted(tried, key=lambda one: one.place))


def importances(study: "optuna.Study") -> dict[str, float]:
    """Share of each setting in how trials differ, largest first; empty after few of them, or
    where none differs.
    """
    import optuna
    from optuna.importance import FanovaImportanceEvaluator, get_param_importances

    ended = _ended(study)
    if len(ended) < _ENOUGH:
        return {}
    # Optuna passes over what was stopped; then the setting that ruins most trials would seem to matter least.
    judged = optuna.create_study(direction="maximize")
    for trial in ended:
        f1s = [*trial.intermediate_values.values()] or [trial.value or 0.0]
        value = float(np.mean(f1s))
        judged.add_trial(optuna.trial.create_trial(params=trial.params, distributions=trial.distributions, value=value))
    # fANOVA needs no package beyond scikit-learn; PED-ANOVA looks at the best tenth, four of forty trials.
    try:
        found = get_param_importances(judged, evaluator=FanovaImportanceEvaluator(seed=0))
    except RuntimeError:  # no trial differs from another
        return {}
    return {path: float(share) for path, share in found.items()}


def _ended(study: "optuna.Study") -> "list[optuna.trial.FrozenTrial]":
    from optuna.trial import TrialState

    return study.get_trials(states=(TrialState.COMPLETE, TrialState.PRUNED))
