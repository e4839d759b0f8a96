"""Spans of time as people write and read them, and how long runs take here, learnt from those that are finished."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import Any

from sharprecl.errors import ConfigError
from sharprecl.files import sha256_json
from sharprecl.runs.data import data_key
from sharprecl.runs.record import RunRecord
from sharprecl.runs.spec import RunSpec

_UNITS = {"h": 3600, "m": 60, "s": 1}

Place = dict[str, Any]
PLACE = ("workers", "threads", "hardware")
"""Where a run takes place: how many side by side, with how many threads each, on what. Part of its environment."""


def parse_duration(text: str) -> float:
    """Seconds of ``90``, ``90s``, ``10m``, ``1h30m`` or ``1.5h``.

    Raises:
        ConfigError: it is no span of time, or an empty one.
    """
    found = re.fullmatch(r"(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s?)?", text.strip().lower())
    try:
        parts = zip(found.groups() if found else (), _UNITS.values(), strict=False)
        seconds = sum(float(number) * unit for number, unit in parts if number)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise ConfigError(f"{text!r} is no span of time; write it like 90s, 10m or 1h30m")
    return seconds


def format_duration(seconds: float) -> str:
    """``0.8 s``, ``48 s``, ``3:07 min`` or ``2:05 h``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02d} h"


class DurationEstimate:
    """Mean seconds of finished runs: of the same method on the same data, else of all on the same data, else of all.
    Where none is finished, the seconds that a run at work will take.

    Runs with another encoder or training (those of another scale, say) count for none of these, nor do runs of another
    place.

    Args:
        place: of the coming runs.
        runs: finished before.
    """

    def __init__(self, place: Place, runs: Iterable[RunRecord] = ()) -> None:
        self._place = place
        self._seconds: dict[Hashable, list[float]] = defaultdict(list)
        self._guessed: dict[Hashable, float] = {}
        for run in runs:
            self.learn(run)

    def learn(self, run: RunRecord) -> None:
        """Take a finished run into account."""
        seconds = run.environment.get("wall_seconds")
        if seconds is not None and all(run.environment.get(name) == value for name, value in self._place.items()):
            for group in _groups(run.spec):
                self._seconds[group].append(float(seconds))

    def guess(self, spec: RunSpec, seconds: float) -> None:
        """Take into account how long a run will take by the pace of its steps; finished runs know better."""
        for group in _groups(spec):
            self._guessed[group] = seconds

    def expected(self, spec: RunSpec) -> float | None:
        """Seconds that a run will take; None while nothing is known of runs like it."""
        for group in _groups(spec):
            if known := self._seconds.get(group):
                return sum(known) / len(known)
            if (guessed := self._guessed.get(group)) is not None:
                return guessed
        return None


def _groups(spec: RunSpec) -> tuple[Hashable, ...]:
    """The runs that a run is like, those most like it first."""
    work = sha256_json([spec.settings.get(name) for name in ("profile", "encoder", "training")])
    return (work, data_key(spec), spec.settings.get("method", {}).get("name")), (work, data_key(spec)), work
