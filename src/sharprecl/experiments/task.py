"""What goes back and forth between a sweep and its workers. Read by both, so it brings nothing heavy."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharprecl.experiments.records import RunSpec


@dataclass(frozen=True)
class WorkerSettings:
    """What is the same for all runs of a worker.

    Attributes:
        store: the folder of the store.
        code: the hash of the code that the sweep began with.
        device: ``auto``, ``cpu``, ``cuda``, ...
        threads: of a worker.
        workers: side by side; told in every run's environment.
    """

    store: Path
    code: str
    device: str
    threads: int
    workers: int


@dataclass(frozen=True)
class Task:
    """A run to make.

    Attributes:
        label: how a person calls it.
        data: the hash of its data, as the sweep found them.
        checkpoints: whether it is long enough to be worth any.
    """

    label: str
    key: str
    spec: RunSpec
    data: str
    checkpoints: bool = False


@dataclass(frozen=True)
class Ready:
    """A worker has read the code and can begin. ``place`` is that of ``pace.Place``."""

    code: str
    place: dict[str, Any]


@dataclass(frozen=True)
class Stepped:
    """A run goes on."""

    step: int
    steps: int


@dataclass(frozen=True)
class Exited:
    """A worker's process ended unasked; ``exit_code`` is as ``multiprocessing`` has it, a signal's with a minus."""

    exit_code: int


@dataclass(frozen=True)
class Done:
    """A task is done with. Without ``busy`` and ``failed`` the run is finished.

    Attributes:
        had: another process had finished it before.
        busy: another process is at work on the run.
        failed: the run's folder says why. The worker leaves.
    """

    had: bool = False
    busy: bool = False
    failed: bool = False


Message = Ready | Stepped | Done | Exited
