"""What a training run tells: records for files, speed for people."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sharprecl.errors import CheckpointError

Record = dict[str, Any]
"""A line of ``history.jsonl``. It holds no clock times, so that equal runs write equal bytes.

    {"kind": "step", "step", "epoch", "loss": {term: value}, "learning_rate"}
    {"kind": "validation", "epoch", "step", "macro_f1", "accuracy", "loss", "best"}

Callbacks are told of the trainings of folds too, with the name of the "fold" in the record.
"""


@dataclass(frozen=True)
class TrainingSpeed:
    """How fast a run goes; shown to people, never written to the history."""

    step: int
    total_steps: int
    texts_per_second: float
    seconds_left: float


class Callback:
    """Something that watches a run; override what is of interest."""

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        """A step or a validation has ended."""

    def on_message(self, sentence: str) -> None:
        """Something that a person should know."""

    def on_end(self) -> None:
        """The training has ended, well or badly."""


class Callbacks(Callback):
    """Several as one."""

    def __init__(self, callbacks: Iterable[Callback]) -> None:
        self._callbacks = list(callbacks)

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        for callback in self._callbacks:
            callback.on_record(record, speed)

    def on_message(self, sentence: str) -> None:
        for callback in self._callbacks:
            callback.on_message(sentence)

    def on_end(self) -> None:
        for callback in self._callbacks:
            callback.on_end()


class HistoryFile:
    """``history.jsonl``: one record a line. A resumed run cuts off what was written after its checkpoint."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._stream = path.open("a+b")

    def rewind(self, offset: int) -> None:
        """Forget everything behind ``offset`` bytes.

        Raises:
            CheckpointError: the file is shorter than that.
        """
        if self._stream.seek(0, 2) < offset:
            raise CheckpointError(
                f"{self._stream.name} is shorter than the checkpoint beside it says (was it edited, or lost in a "
                f"crash?); start the run anew with --overwrite"
            )
        self._stream.truncate(offset)
        self._stream.seek(offset)

    def write(self, record: Record) -> None:
        """Append a record."""
        self._stream.write((json.dumps(record, sort_keys=True) + "\n").encode())

    def offset(self) -> int:
        """Bytes so far, all of them on the disk: what a checkpoint remembers."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        return self._stream.seek(0, 2)

    def close(self) -> None:
        """Flush and close."""
        self._stream.close()


def read_history(path: Path) -> list[Record]:
    """All records of a history file, in order."""
    with path.open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]
