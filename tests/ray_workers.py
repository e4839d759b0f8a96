"""The processes of a Ray cluster that a test has started, to be killed."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def one_killed(name: str, when: Callable[[], bool], place: int = 0) -> Iterator[list[int]]:
    """Kill -9, once, a worker while the block runs.

    Args:
        name: that Ray shows its process by, behind ``ray::``.
        when: the moment has come.
        place: which of them, by process id.

    Yields:
        Its process id, after it is killed.
    """
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.is_set() and not when():
            time.sleep(0.02)
        while not over.is_set() and not killed:
            with suppress(IndexError, OSError):
                found = sorted(_workers(name))[place]
                os.kill(found, signal.SIGKILL)
                killed.append(found)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()


def _workers(name: str) -> Iterator[int]:
    """Of the cluster that this process has started: other tests may have theirs on this machine."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cmdline").read_bytes().startswith(f"ray::{name}".encode()) and _is_ours(process):
                yield int(process.name)


def _is_ours(process: Path) -> bool:
    while (parent := int((process / "stat").read_text().rpartition(")")[2].split()[1])) > 1:
        if parent == os.getpid():
            return True
        process = process.parent / str(parent)
    return False
