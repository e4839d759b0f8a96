"""What a sweep hands to its workers, and what they say of it."""

from dataclasses import dataclass
from typing import Literal

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
