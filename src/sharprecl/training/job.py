"""What is to be trained: handed from the classifier to whatever trains the method."""

from dataclasses import dataclass, field
from pathlib import Path

from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.training.history import Callback
from sharprecl.training.processes import ALONE, Processes


@dataclass(frozen=True, eq=False)
class TrainingJob:
    """A training.

    Attributes:
        table: training texts.
        config: everything else that decides the result.
        callback: is told how it goes.
        test: needed only by ``select_on="test"``.
        output: folder for history and checkpoints; None keeps everything in memory.
        resume: go on from what is in ``output``, if there is anything.
        device: ``auto``, ``cpu``, ``cuda``, ...
        processes: those that train together; this is the first of them.
    """

    table: TextTable
    config: RunConfig
    callback: Callback = field(default_factory=Callback)
    test: TextTable | None = None
    output: Path | None = None
    resume: bool = False
    device: str = "auto"
    processes: Processes = ALONE
