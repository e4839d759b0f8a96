"""An augmenter spread over processes: the same texts, sooner.

Every process makes an augmenter of its own, with whatever it loads, and answers for a part of the texts. The result for
a text depends on the text, the settings and the seed alone: neither the number of processes nor the parts show in it.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection

from sharprecl.augment.base import Augmenter
from sharprecl.errors import ConfigError

# Parts a process and call: more than one, so that a process with short texts takes over from one with long texts.
_PARTS = 4
_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy threads' locks in whatever state they are


@contextmanager
def in_workers(make: Callable[[], Augmenter], workers: int) -> Iterator[Augmenter]:
    """The augmenter that ``make`` gives, at work in several processes; they start with the first text and end here.

    On an error or an interrupt they end at once, and so they do if this process is killed.

    Args:
        make: gives equal augmenters; can be pickled, as a ``functools.partial`` of a module's function can. A program
            that comes here from the top of its file guards that with ``if __name__ == "__main__"``, as it must
            whenever Python spawns processes.
        workers: how many processes; one means this one.

    Raises:
        ConfigError: fewer than one worker.
    """
    if workers < 1:
        raise ConfigError(f"{workers} workers can do nothing; give at least 1")
    if workers == 1:
        yield make()
        return
    # Nobody writes into this pipe. Workers wait at its far end, and leave when the near end is closed or dies.
    far_end, near_end = _SPAWN.Pipe(duplex=False)
    with far_end, near_end, ProcessPoolExecutor(workers, _SPAWN, _begin, (make, far_end, workers)) as pool:
        try:
            yield _Spread(make(), pool, workers)
        except BaseException:
            near_end.close()
            raise


class _Spread:
    """Answers as ``augmenter`` does, from the processes of a pool."""

    def __init__(self, augmenter: Augmenter, pool: ProcessPoolExecutor, workers: int) -> None:
        self.name, self.version, self.seeded = augmenter.name, augmenter.version, augmenter.seeded
        self.settings = augmenter.settings
        self._pool = pool
        self._workers = workers

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text, in the given order.

        Raises:
            ConfigError: a process was killed.
            SharpReCLError: as the augmenter does.
        """
        size = max(1, -(-len(texts) // (self._workers * _PARTS)))
        parts = [texts[start : start + size] for start in range(0, len(texts), size)]
        try:
            answers = self._submit(parts, seed)
            return [text for answer in answers for text in answer.result()]
        except BrokenProcessPool as error:
            raise ConfigError(
                f"one of {self._workers} worker processes was ended from outside, perhaps for want of memory, of which "
                f"each needs its own; run it again with fewer --workers"
            ) from error

    def _submit(self, parts: list[Sequence[str]], seed: int) -> list[Future[list[str]]]:
        try:
            with _interrupts_later():
                # Not by its map, which cancels what is left: in Python 3.11 a pool stumbles when it breaks after that.
                return [self._pool.submit(_augment, part, seed) for part in parts]
        except OSError as error:  # a process died while the next was being started, whose pipe is closed by then
            raise BrokenProcessPool from error


_make: Callable[[], Augmenter]
_augmenter: Augmenter | None = None


def _begin(make: Callable[[], Augmenter], far_end: Connection, workers: int) -> None:
    """Prepare a worker. What can fail comes later: an exception here would break the pool without a reason."""
    global _make
    _make = make
    threading.Thread(target=_leave_with_parent, args=(far_end,), daemon=True).start()
    # PyTorch reads it when it is first imported: every worker with as many threads as cores would only stand in line.
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))


def _leave_with_parent(far_end: Connection) -> None:
    with suppress(EOFError, OSError):
        far_end.recv_bytes()
    os._exit(1)


def _augment(texts: Sequence[str], seed: int) -> list[str]:
    global _augmenter
    if _augmenter is None:
        _augmenter = _make()
    return _augmenter.augment(texts, seed)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back while processes start. They inherit the block for good: only this process answers to Ctrl-C."""
    # The block alone would not keep it from this process, in which libraries have threads without a block.
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, usual)
        if came:
            signal.raise_signal(signal.SIGINT)
