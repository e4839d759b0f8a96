"""A search for settings on one machine: trial after trial, then the best settings once more on fresh folds.

search/journal.jsonl   every trial, as Optuna writes it, and what fresh folds say
search/space.yaml      what is tried, fit to be given back with --space
search/trials/         folds of the trials, while the search goes on
search/fresh/          folds of the defaults and of the best settings, until it is over
"""

import shutil
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from sharprecl.assets import resolve_encoder
from sharprecl.config import Dimension, RunConfig, Settings, merge, outside_code, resolve
from sharprecl.config.space import Choice
from sharprecl.data.folds import deal_folds
from sharprecl.data.messages import plural
from sharprecl.data.tables import TextTable
from sharprecl.errors import DivergedError
from sharprecl.files import sha256_json, write_text
from sharprecl.models.stock import hidden_size
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.train import SEARCH
from sharprecl.scale.fresh import BEST, DEFAULT, Confirmed, confirm
from sharprecl.scale.space import Start, settings_of, settled, start_of
from sharprecl.scale.study import WHY, Settled, Tried, ask, best_of, importances, open_study, tell, tried_in
from sharprecl.scale.trial import Trial, run_trial
from sharprecl.training.history import Callback
from sharprecl.training.names import FOLDS
from sharprecl.training.optimizer import resolve_batch_size, resolve_schedule
from sharprecl.version import __version__

if TYPE_CHECKING:
    import optuna

JOURNAL, SPACE, TRIALS, FRESH = "journal.jsonl", "space.yaml", "trials", "fresh"
_ENDED, _CONFIRMED = "ended", "confirmed"


@dataclass(frozen=True, eq=False)
class Search:
    """What to search.

    Attributes:
        wanted: settings that every trial has; ``training.folds`` among them is a number.
        space: what is tried beside them.
        output: the folder of the run that will be trained; the search has a folder in it.
        trials: how many at most.
        minutes: after which no trial is begun; None for no end.
    """

    table: TextTable
    wanted: Settings
    space: Mapping[str, Dimension]
    output: Path
    trials: int
    minutes: float | None = None
    device: str = "auto"

    @cached_property
    def config(self) -> RunConfig:
        """The defaults: the settings without anything tried."""
        return self.with_values({})

    def with_values(self, values: Mapping[str, Choice], seed: int | None = None) -> RunConfig:
        """The settings with tried values in their places."""
        seeds = {} if seed is None else {"seed": seed}
        return resolve(merge(self.wanted, settings_of(values), seeds), self.table.class_counts)

    @property
    def seed(self) -> int:
        """Deals the folds of the trials and trains on them: not that of the run, whose folds are the fresh ones."""
        return (self.config.seed + 1) % 2**31

    @property
    def folds(self) -> int:
        """How many."""
        number = self.config.training.folds
        assert number != "auto"
        return number


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


def search(asked: Search, watching: Callback) -> Found:
    """Make the trials that are left to make, judge the best of them on fresh folds, and say what to train with.

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
        identity = sha256_json([__version__, config.kept(), asked.table.content_hash, dimensions, code])
        study = open_study(folder / JOURNAL, identity)
        write_text(folder / SPACE, yaml.safe_dump(dimensions, sort_keys=False, allow_unicode=True))
        try:
            tried = _make_trials(asked, study, start, space, watching)
            found = Found(asked, start, space, tried, importances(study), None, config)
            return found if found.best is found.default else _confirmed(found, study, watching)
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


def _make_trials(
    asked: Search, study: "optuna.Study", start: Start, space: Settled, watching: Callback
) -> tuple[Tried, ...]:
    began, trials = time.monotonic(), asked.output / SEARCH / TRIALS
    tried = tried_in(study)
    if tried:
        watching.on_message(f"{plural(len(tried), 'trial is', 'trials are')} finished already")
    # Once the model is being trained, a better trial would come too late.
    while len(tried) < asked.trials and _ENDED not in study.user_attrs:
        if tried and asked.minutes is not None and time.monotonic() - began > 60 * asked.minutes:
            watching.on_message(f"the time is over after {plural(len(tried), 'trial', 'trials')} of {asked.trials}")
            break
        place = len(tried)
        trial = ask(study, place, asked.seed, start, space)
        config = asked.with_values(trial.params if place else {}, asked.seed)
        spec = Trial(f"trial {place}", asked.table, config, trials / str(place), asked.device)
        tell(study, trial, _value(trial, spec, place, watching))
        tried = tried_in(study)
        watching.on_message(_line(tried, asked.trials))
    study.set_user_attr(_ENDED, True)
    shutil.rmtree(trials, ignore_errors=True)
    return tried


def _value(trial: "optuna.Trial", spec: Trial, place: int, watching: Callback) -> float | None:
    """Macro-F1 of a trial; None where it was stopped."""
    import optuna

    classes, last = spec.table.num_classes, spec.config.training.folds

    def after_fold(fold: int, f1_of: dict[int, float]) -> None:
        for label, f1 in f1_of.items():
            trial.report(f1, fold * classes + label)
        if fold + 1 != last and trial.should_prune():
            trial.set_user_attr(WHY, f"stopped after fold {fold + 1}, clearly worse")
            raise optuna.TrialPruned

    try:
        return run_trial(spec, watching, after_fold).macro_f1
    except optuna.TrialPruned:
        return None
    except DivergedError:
        if place == 0:
            raise
        trial.set_user_attr(WHY, "stopped, its loss ran away")
        return None


def _line(tried: tuple[Tried, ...], number: int) -> str:
    last, best = tried[-1], best_of(tried)
    what = last.why if last.macro_f1 is None else f"macro-F1 {100 * last.macro_f1:.1f}"
    named = ", the defaults" if last.place == 0 else ""
    ahead = f"best {100 * best.score:.1f} (trial {best.place})"
    return f"trial {last.place}{named} ({len(tried)} of {number}): {what}, {ahead}"


def _confirmed(found: Found, study: "optuna.Study", watching: Callback) -> Found:
    """The same with what fresh folds say; the folds of what is taken go to the run, which would make them again."""
    asked, folder = found.search, found.search.output / SEARCH / FRESH
    best = asked.with_values(found.best.values)
    if known := study.user_attrs.get(_CONFIRMED):
        confirmed = Confirmed.from_dict(known)
    else:
        watching.on_message(f"trial {found.best.place} and the defaults on fresh folds")
        confirmed = confirm(Trial("fresh", asked.table, asked.config, folder, asked.device), best, watching)
        study.set_user_attr(_CONFIRMED, confirmed.to_dict())
    taken = folder / (BEST if confirmed.holds else DEFAULT) / FOLDS
    if taken.is_dir() and not (asked.output / FOLDS).exists():
        taken.rename(asked.output / FOLDS)
    shutil.rmtree(folder, ignore_errors=True)
    return replace(found, confirmed=confirmed, config=best if confirmed.holds else asked.config)
