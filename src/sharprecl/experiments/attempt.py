"""One task in a worker: the run's folder is locked, the run made and written, or its failure."""

import errno
import os
import sys
import traceback
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sharprecl.config import outside_code
from sharprecl.errors import CheckpointError, ConfigError, DataError, OutputError, SharpReCLError
from sharprecl.experiments.duration import Place
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Outcome, Task
from sharprecl.files import NO_ROOM
from sharprecl.runs.data import DataKey, Prepared, data_key, prepare
from sharprecl.runs.execute import execute
from sharprecl.runs.folder import OUTPUT, BusyError, RunFolder
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import WORDS, RunSpec
from sharprecl.runs.words import execute_words
from sharprecl.training.history import Callback
from sharprecl.training.names import CHECKPOINTS

_PREPARED = 2  # tables that a worker keeps: runs come column by column


class Attempts:
    """Makes runs one after the other, keeping what the next may need.

    Args:
        store: the folder that keeps them.
        device: ``auto``, ``cpu``, ``cuda``, ...
        place: what to tell of where they are made.
        callback: is told of every step.
    """

    def __init__(self, store: Path, device: str, place: Place, callback: Callback) -> None:
        self.place, self._device, self._callback = place, device, callback
        self._store = Store(store)
        self._tables: OrderedDict[DataKey, Prepared] = OrderedDict()

    def attempt(self, task: Task) -> Outcome:
        """Make a run, unless it is finished or another process makes it. Whatever goes wrong is written down.

        Raises:
            OutputError: the disk takes nothing more, which is no fault of the run.
        """
        folder = self._store.run(task.key)
        try:
            with folder.alone():
                with suppress(DataError):  # It is not finished, or damaged and made anew.
                    folder.record()
                    folder.tidy()
                    return "had"
                return self._make(task, folder)
        except BusyError:
            return "busy"

    def _make(self, task: Task, folder: RunFolder) -> Outcome:
        run = task.run
        folder.begin(run)
        try:
            with _output_into(folder.path / OUTPUT):
                method = run.spec.settings["method"]["name"]
                if method == WORDS:
                    done = execute_words(run.spec, self._prepared(run.spec, run.data), run.code, self.place)
                elif outside_code(method) != run.code.partition("+")[2]:
                    raise ConfigError(f"the files of {method} changed while the experiment ran; start it again")
                else:
                    going_on = any((folder.path / CHECKPOINTS).glob("step-*"))
                    done = execute(
                        run.spec,
                        self._prepared(run.spec, run.data),
                        run.code,
                        device=self._device,
                        checkpoints=folder.path if task.checkpoints or going_on else None,
                        place=self.place,
                        callback=self._callback,
                    )
            done.write(folder)
        except Exception as error:
            if (refusal := _refusal(error)) is not None:
                raise OutputError(
                    f"nothing more could be written to {self._store.folder} ({refusal}); free some space, then run the "
                    f"same command again, which goes on with the runs that are not finished"
                ) from error
            folder.fail(Failure(run.spec, run.data, run.code, _text(error)))
            return "failed"
        return "made"

    def _prepared(self, spec: RunSpec, data: str) -> Prepared:
        key = data_key(spec)
        if key not in self._tables:
            self._tables[key] = prepare(spec)
        self._tables.move_to_end(key)
        while len(self._tables) > _PREPARED:
            self._tables.popitem(last=False)
        if self._tables[key].record.hash != data:
            raise DataError(f"{spec.data} changed while the experiment ran; start it again")
        return self._tables[key]


def _refusal(error: Exception) -> str | None:
    """What the disk says, where it takes nothing more."""
    # A checkpoint that does not fit the run has no cause. Of a full disk PyTorch tells in words of its own.
    cause = error.__cause__ if isinstance(error, CheckpointError) else error
    if isinstance(cause, OSError) and cause.errno in NO_ROOM:
        return os.strerror(cause.errno)
    return os.strerror(errno.ENOSPC) if isinstance(error, CheckpointError) and cause is not None else None


def _text(error: Exception) -> str:
    text = "".join(traceback.format_exception(error))
    # The traceback of a sentence for users ends in the sentence, behind the name of its class.
    return text if not isinstance(error, SharpReCLError) else f"{text.rstrip()}\n\n{error}\n"


@contextmanager
def _output_into(path: Path) -> Iterator[None]:
    """Let everything that libraries print go into a file, also what they print past Python, and when they crash."""
    kept = os.dup(1), os.dup(2)
    sys.stdout.flush()
    sys.stderr.flush()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.dup2(file, 1)
        os.dup2(file, 2)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for descriptor, number in zip(kept, (1, 2), strict=True):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(file)
