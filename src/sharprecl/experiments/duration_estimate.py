"""How long runs take here, learnt from those that are finished."""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Any

from sharprecl.experiments.prepare import data_key
from sharprecl.experiments.records import RunRecord, RunSpec
from sharprecl.files import sha256_json

Place = dict[str, Any]
PLACE = ("workers", "threads", "hardware")
"""Where a run takes place: how many side by side, with how many threads each, on what. Part of its environment."""


class DurationEstimate:
    """Mean seconds of finished runs: of the same method on the same data, else of all on the same data, else of all.

    Runs with another encoder or training (those of another scale, say) count for none of these, nor do runs of another
    place.

    Args:
        place: of the coming runs.
        runs: finished before.
    """

    def __init__(self, place: Place, runs: Iterable[RunRecord] = ()) -> None:
        self._place = place
        self._seconds: dict[Hashable, list[float]] = defaultdict(list)
        for run in runs:
            self.learn(run)

    def learn(self, run: RunRecord) -> None:
        """Take a finished run into account."""
        seconds = run.environment.get("wall_seconds")
        if seconds is not None and all(run.environment.get(name) == value for name, value in self._place.items()):
            for group in _groups(run.spec):
                self._seconds[group].append(float(seconds))

    def expected(self, spec: RunSpec) -> float | None:
        """Seconds that a run will take; None while nothing is known of runs like it."""
        for group in _groups(spec):
            if known := self._seconds.get(group):
                return sum(known) / len(known)
        return None


def _groups(spec: RunSpec) -> tuple[Hashable, ...]:
    """The runs that a run is like, those most like it first."""
    work = sha256_json([spec.settings.get(name) for name in ("profile", "encoder", "training")])
    return (work, data_key(spec), spec.settings.get("method", {}).get("name")), (work, data_key(spec)), work
