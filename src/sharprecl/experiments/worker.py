"""A worker process: makes the runs that it is sent, and ends when it is told to, or with the process that started it.

It is started before PyTorch is imported, so that the number of threads can be set.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection

from sharprecl.experiments.task import Ready, Stepped, Task, WorkerSettings

_TELL_EVERY = 0.5  # seconds


def work(settings: WorkerSettings, line: Connection, life: Connection) -> None:
    """Make runs until None comes.

    Args:
        settings: what is the same for all of them.
        line: tasks come in, messages go out.
        life: nothing comes; it ends when the process that started this one ends.
    """
    # Ctrl-C reaches the whole terminal; only the process that started this one answers to it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Python's way out, at which libraries put back what they took.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_leave_with_parent, args=(life,), daemon=True).start()
    faulthandler.enable()
    os.environ |= {"OMP_NUM_THREADS": str(settings.threads), "TOKENIZERS_PARALLELISM": "false"}

    import torch

    from sharprecl.experiments.attempt import Attempts
    from sharprecl.experiments.code import code_hash
    from sharprecl.training.hardware import free_memory

    torch.set_num_threads(settings.threads)
    place = {"workers": settings.workers, "threads": settings.threads, "hardware": _hardware(settings.device)}
    attempts = Attempts(settings, place)
    line.send(Ready(code_hash(), place))
    while (task := line.recv()) is not None:
        assert isinstance(task, Task)
        done = attempts.attempt(task, _Telling(line))
        free_memory()
        line.send(done)
        if done.failed:
            # What went wrong may have left the process, or its share of a GPU, in any state.
            return


class _Telling:
    """Passes steps on, a few a second."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self._last = 0.0

    def __call__(self, step: int, steps: int) -> None:
        now = time.monotonic()
        if now - self._last >= _TELL_EVERY:
            self._last = now
            try:
                self._line.send(Stepped(step, steps))
            except OSError:
                # Nobody is left to work for. An exception would be taken for a fault of the run's.
                os._exit(1)


def _hardware(device: str) -> str:
    import torch

    from sharprecl.training.hardware import pick_device

    chosen = pick_device(device)
    return torch.cuda.get_device_name(chosen) if chosen.type == "cuda" else f"{os.cpu_count()} cores ({chosen.type})"


def _leave_with_parent(life: Connection) -> None:
    with suppress(EOFError, OSError):
        life.recv_bytes()
    os._exit(1)
