"""How far a sweep is, for whoever shows it."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class RunningTask:
    """A run that a worker is at. ``step`` counts from 0 to ``steps``; both are 0 before the training begins."""

    label: str
    step: int
    steps: int


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is.

    Attributes:
        done: runs that are finished, those of earlier sweeps included.
        failed: runs that failed, likewise.
        total: runs in all.
        running: what the workers are at.
        seconds_left: by what is known of finished runs; None while nothing is.
    """

    done: int
    failed: int
    total: int
    running: tuple[RunningTask, ...]
    seconds_left: float | None


class SweepObserver(Protocol):
    """Something that watches a sweep."""

    def progressed(self, progress: SweepProgress) -> None:
        """Called a few times a second."""

    def said(self, sentence: str) -> None:
        """Something that a person should know: a run has ended, data are read."""
