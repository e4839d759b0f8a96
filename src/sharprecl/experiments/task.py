"""What a sweep hands to its workers, and what they say of it."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from sharprecl.runs.spec import RunId

Outcome = Literal["made", "had", "busy", "failed"]
"""Of a task: made here, finished before by another process, at work in another process, failed as its folder says."""

Steps = tuple[int, int]
"""Steps done, and steps in all: (0, 0) before the training begins."""


@dataclass(frozen=True)
class Options:
    """How a sweep goes about it. None of it but ``threads`` and ``device`` can show in a result.

    Attributes:
        workers: processes side by side.
        threads: of each. Sums of floats depend on their number, so it does not follow from that of the workers.
        device: ``auto``, ``cpu``, ``cuda``, ...; all workers share it.
        deadline: of ``time.monotonic``: there the sweep stops, and before it no run begins that is not expected to end
            by then. None has no limit.
        retry_failed: make runs anew that failed earlier.
        any_code: take runs of older code for finished.
    """

    workers: int = 1
    threads: int = 1
    device: str = "auto"
    deadline: float | None = None
    retry_failed: bool = False
    any_code: bool = False


@dataclass(frozen=True)
class Task:
    """A run to make.

    Attributes:
        label: how a person calls it.
        key: of the run.
        checkpoints: whether it is long enough to be worth any.
    """

    label: str
    key: str
    run: RunId
    checkpoints: bool = False


class RunMaker(Protocol):
    """What makes runs, one at a time, seen from the scheduler.

    Attributes:
        future: what it is at; None while it waits. At first the hash of its code and its place (of
            ``DurationEstimate``), then the ``Outcome`` of its task. Broken (``BrokenExecutor``) where it died.
        task: the run that it makes, if any.
        steps: how far that is.
        seconds_left: of its training, by the pace of its steps so far; None before the first few.
    """

    future: Future[Any] | None
    task: Task | None
    steps: Steps
    seconds_left: float | None

    def give(self, task: Task) -> None:
        """Send it a run to make."""

    def look(self) -> None:
        """Read how far its run is."""

    def leave(self) -> None:
        """Tell it to end, if need be in the middle of a run, which it leaves to the next sweep."""

    def join(self) -> int | None:
        """Wait until it has ended; its exit code, a signal's with a minus, where that is known."""


MakeWorker = Callable[[Path, Options], RunMaker]
"""From the folder that keeps the runs and the options of a sweep."""
