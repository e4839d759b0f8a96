"""The trials of a search as they begin and end, one after the other or side by side."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sharprecl.config.space import Choice
from sharprecl.data.messages import plural
from sharprecl.scale.asked import Search
from sharprecl.scale.space import Start
from sharprecl.scale.study import WHY, Settled, Tried, ask, best_of, tell, tried_in
from sharprecl.training.history import Callback

if TYPE_CHECKING:
    import optuna


@dataclass(eq=False)
class Begun:
    """A trial in the making.

    Attributes:
        place: 0 is the defaults.
        trial: Optuna's.
        values: what to try; of the defaults none, since they stand in the settings.
        classes: C.
    """

    place: int
    trial: "optuna.Trial"
    values: Mapping[str, Choice]
    classes: int
    _told: set[int] = field(default_factory=set)

    def report(self, fold: int, f1_of: Mapping[int, float]) -> None:
        """Write down the F1 of the classes in a fold, once: a worker that died tells it again."""
        if fold in self._told:
            return
        self._told.add(fold)
        for label, f1 in f1_of.items():
            self.trial.report(f1, fold * self.classes + label)


class Ledger:
    """What a study asks for and is told.

    Args:
        asked: says how many trials there are, and how long one may begin.
        study: with the trials that ended before.
        start: values of the defaults.
        space: what is tried.
        watching: is told of every end.
    """

    def __init__(self, asked: Search, study: "optuna.Study", start: Start, space: Settled, watching: Callback) -> None:
        self._study, self._number, self._seed = study, asked.trials, asked.seed
        self._classes, self._start, self._space = asked.table.num_classes, start, space
        self._watching, minutes = watching, asked.minutes
        self._until = float("inf") if minutes is None else time.monotonic() + 60 * minutes
        self._making: set[int] = set()
        self.tried = tried_in(study)
        if self.tried:
            watching.on_message(f"{plural(len(self.tried), 'trial is', 'trials are')} finished already")

    def begin(self) -> Begun | None:
        """The next trial; None where none is left, or no time."""
        taken = {trial.place for trial in self.tried} | self._making
        if len(taken) >= self._number:
            return None
        if taken and time.monotonic() > self._until:
            done = f"{plural(len(taken), 'trial', 'trials')} of {self._number}"
            self._watching.on_message(f"the time is over after {done}")
            return None
        place = next(place for place in range(self._number) if place not in taken)
        trial = ask(self._study, place, self._seed, self._start, self._space)
        self._making.add(place)
        return Begun(place, trial, trial.params if place else {}, self._classes)

    def end(self, begun: Begun, macro_f1: float | None, why: str = "") -> None:
        """Write down how a trial ended.

        Args:
            begun: from ``begin``.
            macro_f1: over all folds; None where it was stopped.
            why: it was stopped.
        """
        if why:
            begun.trial.set_user_attr(WHY, why)
        tell(self._study, begun.trial, macro_f1)
        self._making.remove(begun.place)
        self.tried = tried_in(self._study)
        self._watching.on_message(self._line(next(one for one in self.tried if one.place == begun.place)))

    def _line(self, ended: Tried) -> str:
        best = best_of(self.tried)
        what = ended.why if ended.macro_f1 is None else f"macro-F1 {100 * ended.macro_f1:.1f}"
        named = ", the defaults" if ended.place == 0 else ""
        ahead = f"best {100 * best.score:.1f} (trial {best.place})"
        return f"trial {ended.place}{named} ({len(self.tried)} of {self._number}): {what}, {ahead}"
