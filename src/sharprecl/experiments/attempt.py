"""One task in a worker: the run's folder is locked, the run made and written, or its failure."""

import json
import os
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sharprecl.errors import DataError, SharpReCLError
from sharprecl.experiments.duration_estimate import Place
from sharprecl.experiments.execute import execute
from sharprecl.experiments.prepare import DataKey, Prepared, data_key, prepare
from sharprecl.experiments.run_folder import OUTPUT, BusyError, Failure, RunFolder
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Done, Task, WorkerSettings
from sharprecl.training.names import CHECKPOINTS

_PREPARED = 2  # tables that a worker keeps: runs come column by column


class Attempts:
    """Makes runs one after the other, keeping what the next may need.

    Args:
        settings: what is the same for all of them.
        place: what to tell of where they are made.
    """

    def __init__(self, settings: WorkerSettings, place: Place) -> None:
        self._settings, self._place = settings, place
        self._store = Store(settings.store)
        self._tables: OrderedDict[DataKey, Prepared] = OrderedDict()

    def attempt(self, task: Task, tell: Callable[[int, int], None]) -> Done:
        """Make a run, unless it is finished or another process makes it. Whatever goes wrong is written down."""
        folder = self._store.run(task.key)
        try:
            with folder.alone():
                if _is_whole(folder):
                    folder.tidy()
                    return Done(had=True)
                return self._make(task, folder, tell)
        except BusyError:
            return Done(busy=True)

    def _make(self, task: Task, folder: RunFolder, tell: Callable[[int, int], None]) -> Done:
        folder.begin(task.spec, task.data, self._settings.code)
        try:
            with _output_into(folder.path / OUTPUT):
                prepared = self._prepared(task)
                going_on = any((folder.path / CHECKPOINTS).glob("step-*"))
                done = execute(
                    task.spec,
                    prepared,
                    self._settings.code,
                    device=self._settings.device,
                    checkpoints=folder.path if task.checkpoints or going_on else None,
                    place=self._place,
                    tell=tell,
                )
            history = "".join(json.dumps(line, sort_keys=True) + "\n" for line in done.history)
            folder.finish(done.record, history, done.features, done.scores)
        except Exception as error:
            folder.fail(Failure(task.spec, task.data, self._settings.code, _text(error)))
            return Done(failed=True)
        return Done()

    def _prepared(self, task: Task) -> Prepared:
        key = data_key(task.spec)
        if key not in self._tables:
            self._tables[key] = prepare(task.spec)
        self._tables.move_to_end(key)
        while len(self._tables) > _PREPARED:
            self._tables.popitem(last=False)
        if self._tables[key].record.hash != task.data:
            raise DataError(f"{task.spec.data} changed while the experiment ran; start it again")
        return self._tables[key]


def _is_whole(folder: RunFolder) -> bool:
    """Whether a run is finished and can be read; a damaged one is made anew."""
    if folder.state != "finished":
        return False
    try:
        folder.record()
    except DataError:
        return False
    return True


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
