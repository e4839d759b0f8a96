"""A search for settings: the trials, then the best settings once more on fresh folds.

search/journal.jsonl   every trial, as Optuna writes it, and what fresh folds say
search/space.yaml      what is tried, fit to be given back with --space
search/best.yaml       the best settings, fit for --config, taken or not
search/trials/         folds of the trials, while the search goes on
search/fresh/          folds of the defaults and of the best settings, a deal each, until it is over
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Protocol

import yaml

from sharprecl.assets import resolve_encoder
from sharprecl.config import RunConfig, outside_code
from sharprecl.config.space import Choice
from sharprecl.data.folds import deal_folds
from sharprecl.data.messages import plural
from sharprecl.errors import DivergedError
from sharprecl.evaluation.judge import Evaluation
from sharprecl.files import sha256_json, write_text
from sharprecl.models.stock import hidden_size
from sharprecl.runs.claim import SEARCH
from sharprecl.runs.folder import RunFolder
from sharprecl.scale.asked import TRIALS, Search
from sharprecl.scale.fresh import BEST, DEALS, DEFAULT, SETTINGS, Confirmed, Judge, confirm, folder_of
from sharprecl.scale.ledger import Begun, Ledger
from sharprecl.scale.space import Start, settled, start_of
from sharprecl.scale.study import Settled, Tried, best_of, importances, open_study
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback
from sharprecl.training.names import FOLDS
from sharprecl.training.optimizer import resolve_batch_size, resolve_schedule
from sharprecl.version import __version__

if TYPE_CHECKING:
    import optuna

JOURNAL, SPACE, FRESH = "journal.jsonl", "space.yaml", "fresh"
RAN_AWAY = "stopped, its loss ran away"
_ENDED, _CONFIRMED = "ended", f"confirmed in {DEALS} deals"


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found.

    Attributes:
        start: the values of trial 0, what ``auto`` comes to among them.
        space: what was tried.
        tried: at least one, in the order in which they were made; the first is the defaults.
        importances: share of each setting in what makes trials good, largest first; empty after few trials.
        confirmed: the best settings beside the defaults on fresh folds; None where the defaults were the best.
        config: what to train with.
    """

    search: Search
    start: Start
    space: Settled
    tried: tuple[Tried, ...]
    importances: Mapping[str, float]
    confirmed: Confirmed | None
    config: RunConfig

    @property
    def default(self) -> Tried:
        """Trial 0."""
        return self.tried[0]

    @property
    def best(self) -> Tried:
        """The best one; of equals the first, so that the defaults are left for something better alone."""
        return best_of(self.tried)

    @property
    def promised(self) -> float:
        """How far the best trial was ahead of the defaults, on the folds that chose it."""
        return self.best.score - self.default.score

    @property
    def sentence(self) -> str:
        """What came of it."""
        if self.confirmed is not None:
            return self.confirmed.sentence(self.promised)
        others = plural(len(self.tried) - 1, "other trial", "other trials")
        return f"none of {others} was better than the defaults, and they are kept."


class Elsewhere(Protocol):
    """Makes trials on other machines."""

    def make(self, asked: Search, ledger: Ledger) -> None:
        """All that the ledger lets begin."""

    def judge(self, trials: Sequence[Trial]) -> list[Evaluation]:
        """Some trials, whole."""


def search(asked: Search, watching: Callback, elsewhere: Elsewhere | None = None) -> Found:
    """Make the trials that are left to make, judge the best of them on fresh folds, and say what to train with.

    Args:
        asked: what to search.
        watching: is told.
        elsewhere: where trials are made; None is here, one after the other.

    Raises:
        ConfigError: the folder holds another search.
        SharpReCLError: data, settings, assets or disk do not allow it, or another process searches there.
    """
    folder = asked.output / SEARCH
    with RunFolder(folder).alone():
        start = start_of(asked.space, asked.config, _automatic(asked))
        space = settled(asked.space, start)
        dimensions = {path: list(of) if isinstance(of, tuple) else asdict(of) for path, of in space.items()}
        config, code = asked.config, outside_code(asked.config.method.name)
        weights = None if asked.weights_C is None else asked.weights_C.round(9).tolist()
        identity = sha256_json([__version__, config.kept(), asked.table.content_hash, dimensions, code, weights])
        study = open_study(folder / JOURNAL, identity)
        write_text(folder / SPACE, yaml.safe_dump(dimensions, sort_keys=False, allow_unicode=True))
        try:
            ledger = Ledger(asked, study, start, space, watching)
            # Once the model is being trained, a better trial would come too late.
            if _ENDED not in study.user_attrs:
                if elsewhere is None:
                    _make_here(asked, ledger, watching)
                else:
                    elsewhere.make(asked, ledger)
                study.set_user_attr(_ENDED, True)
            shutil.rmtree(folder / TRIALS, ignore_errors=True)
            found = Found(asked, start, space, ledger.tried, importances(study), None, config)
            if found.best is found.default:
                return found

            def judge(trials: Sequence[Trial]) -> list[Evaluation]:
                return [run_trial(trial, watching) for trial in trials]

            return _confirmed(found, study, watching, judge if elsewhere is None else elsewhere.judge)
        finally:
            watching.on_end()


def _automatic(asked: Search) -> dict[str, Choice]:
    """What ``auto`` comes to in the training of a fold."""
    if not asked.config.method.trains_encoder:
        return {}
    training = asked.config.training
    number = len(deal_folds(asked.table, asked.folds, asked.seed)[0].fit)
    batch_size = resolve_batch_size(training, number)
    width = hidden_size(resolve_encoder(asked.config.encoder.name))
    schedule = resolve_schedule(training, batch_size, -(-number // batch_size), width)
    return {
        "training.batch_size": batch_size,
        "training.learning_rate": schedule.learning_rate,
        "training.head_learning_rate": schedule.head_learning_rate,
        "training.max_epochs": schedule.epochs,
    }


def _make_here(asked: Search, ledger: Ledger, watching: Callback) -> None:
    """One trial after the other; what loses in most classes of the first folds stops."""
    import optuna

    while (begun := ledger.begin()) is not None:

        def after_fold(fold: int, f1_of: dict[int, float], begun: Begun = begun) -> None:
            begun.report(fold, f1_of)
            if fold + 1 != asked.folds and begun.trial.should_prune():
                raise optuna.TrialPruned(f"stopped after fold {fold + 1}, clearly worse")

        try:
            trial = asked.trial(begun.place, begun.values)
            ledger.end(begun, trial.score(run_trial(trial, watching, after_fold)))
        except optuna.TrialPruned as stopped:
            ledger.end(begun, None, str(stopped))
        except DivergedError:
            if begun.place == 0:
                raise
            ledger.end(begun, None, RAN_AWAY)


def _confirmed(found: Found, study: "optuna.Study", watching: Callback, judge: Judge) -> Found:
    """The same with what fresh folds say; the folds of what is taken go to the run, which would make them again."""
    asked, search_folder = found.search, found.search.output / SEARCH
    folder = search_folder / FRESH
    best = asked.with_values(found.best.values)
    write_text(search_folder / SETTINGS, yaml.safe_dump(best.kept(), sort_keys=False, allow_unicode=True))
    if known := study.user_attrs.get(_CONFIRMED):
        confirmed = Confirmed.from_dict(known)
    else:
        watching.on_message(f"trial {found.best.place} and the defaults on fresh folds, dealt {DEALS} times")
        trial = Trial("fresh", asked.table, asked.config, folder, asked.device, asked.weights_C)
        confirmed = confirm(trial, best, judge)
        study.set_user_attr(_CONFIRMED, confirmed.to_dict())
    taken = folder / folder_of(BEST if confirmed.sure else DEFAULT, 0) / FOLDS
    if taken.is_dir() and not (asked.output / FOLDS).exists():
        taken.rename(asked.output / FOLDS)
    shutil.rmtree(folder, ignore_errors=True)
    return replace(found, confirmed=confirmed, config=best if confirmed.sure else asked.config)
