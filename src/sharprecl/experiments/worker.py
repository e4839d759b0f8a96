"""A worker process: makes the runs that it is given, and ends when it is told to, or with the process that started it.

Each worker is an executor of one process (``concurrent.futures``), so that one that dies takes no other with it and it
is known whose run it was at. What makes runs elsewhere is a ``RunMaker`` too, and calls ``set_up`` and ``make`` there.
"""

import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharprecl.errors import BlankRowsWarning
from sharprecl.experiments.task import Options, Outcome, Steps, Task
from sharprecl.runs.code import code_hash
from sharprecl.training.history import Callback, Record, TrainingSpeed

if TYPE_CHECKING:
    from sharprecl.experiments.attempt import Attempts

Tell = Callable[[int, int, float | None], None]
"""Is told of steps done, steps in all, and the seconds left."""

_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy threads' locks, and CUDA, in whatever state they are
_TELL_EVERY = 0.5  # seconds
_FEW_STEPS = 10
_PATIENCE = 5.0  # seconds for a worker to leave by itself


class Worker:
    """A ``RunMaker`` that is a process of this machine.

    Args:
        store: the folder that keeps the runs.
        options: of the sweep.
    """

    def __init__(self, store: Path, options: Options) -> None:
        # The worker tells its steps through this pipe, and leaves when the near end is closed or dies.
        self._line, far_end = _SPAWN.Pipe()
        self._executor = ProcessPoolExecutor(1, _SPAWN, _begin, (store, options, far_end))
        others = multiprocessing.active_children()
        self.future: Future[Any] | None = self._executor.submit(_greet)
        (self._process,) = (child for child in multiprocessing.active_children() if child not in others)
        far_end.close()
        self.task: Task | None = None
        self.steps: Steps = 0, 0
        self.seconds_left: float | None = None

    def give(self, task: Task) -> None:
        self.task, self.steps, self.seconds_left = task, (0, 0), None
        try:
            self.future = self._executor.submit(make, task)
        except BrokenExecutor as error:  # It was killed while it waited.
            self.future = Future()
            self.future.set_exception(error)

    def look(self) -> None:
        with suppress(EOFError, OSError):
            while self._line.poll():
                *steps, seconds_left = self._line.recv()
                self.steps = steps[0], steps[1]
                self.seconds_left = seconds_left if is_pace(*steps) else None

    def leave(self) -> None:
        if self.future is not None:
            self._line.close()

    def join(self) -> int:
        self._executor.shutdown()
        self._line.close()
        self._process.join()
        return self._process.exitcode or 0


def is_pace(step: int, total: int) -> bool:
    """Whether the steps so far say how long the others take: the first ones are slow."""
    return step >= min(_FEW_STEPS, total / 4)


_attempts: "Attempts"
"""In a worker process: what makes its runs."""


def _begin(store: Path, options: Options, line: Connection) -> None:
    # Ctrl-C reaches the whole terminal; only the process that started this one answers to it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Python's way out, at which libraries put back what they took.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_leave_with_parent, args=(line,), daemon=True).start()
    faulthandler.enable()

    def tell(step: int, total: int, seconds_left: float | None) -> None:
        with suppress(OSError):  # Nobody is left to work for: the other thread ends the process.
            line.send((step, total, seconds_left))

    set_up(store, options, tell)


def set_up(store: Path, options: Options, tell: Tell) -> dict[str, Any]:
    """Prepare this process to make runs; its place (of ``DurationEstimate``)."""
    warnings.simplefilter("ignore", BlankRowsWarning)  # the sweep has said it
    # Before PyTorch is imported, which reads the number of threads.
    os.environ |= {"OMP_NUM_THREADS": str(options.threads), "TOKENIZERS_PARALLELISM": "false"}
    import torch

    from sharprecl.experiments.attempt import Attempts

    torch.set_num_threads(options.threads)
    place = {"workers": options.workers, "threads": options.threads, "hardware": _hardware(options.device)}
    global _attempts
    _attempts = Attempts(store, options.device, place, _Telling(tell))
    return place


def _greet() -> tuple[str, dict[str, Any]]:
    return code_hash(), _attempts.place


def make(task: Task) -> Outcome:
    """Make a run, in a worker process."""
    from sharprecl.training.hardware import free_memory

    outcome = _attempts.attempt(task)
    free_memory()
    return outcome


class _Telling(Callback):
    """Passes steps on, a few a second."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._last = 0.0

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        del record
        now = time.monotonic()
        if now - self._last >= _TELL_EVERY:
            self._last = now
            self._tell(speed.step, speed.total_steps, speed.seconds_left)


def _hardware(device: str) -> str:
    import torch

    from sharprecl.training.hardware import pick_device

    chosen = pick_device(device)
    return torch.cuda.get_device_name(chosen) if chosen.type == "cuda" else f"{os.cpu_count()} cores ({chosen.type})"


def _leave_with_parent(line: Connection) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(_PATIENCE)
    os._exit(1)
