"""The worker processes of a sweep, seen from the process that starts them."""

import multiprocessing
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Self

from sharprecl.experiments.task import Done, Exited, Message, Ready, Task, WorkerSettings
from sharprecl.experiments.worker import work

_SPAWN = multiprocessing.get_context("spawn")  # a fork would copy threads' locks, and CUDA, in whatever state they are
_PATIENCE = 5.0  # seconds for a worker to leave by itself


@dataclass(eq=False)
class Worker:
    """One process. ``task`` is what it is at; it takes one when ``ready`` and without one."""

    process: BaseProcess
    line: Connection
    ready: bool = False
    task: Task | None = None

    def end(self) -> None:
        """Wait for the process to leave, and make it if it does not."""
        self.process.join(_PATIENCE)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()
        self.line.close()


class WorkerPool:
    """Starts workers and speaks with them. They all end with the ``with`` block, or with this process.

    Args:
        settings: what is the same for all runs.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self.workers: list[Worker] = []
        # Nobody writes into this pipe. Workers wait at its far end, and leave when the near end is closed or dies.
        self._far_end, self._near_end = _SPAWN.Pipe(duplex=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self.workers:
            # One that is in the middle of a run leaves it to the next sweep.
            if worker.task is None:
                with suppress(OSError):
                    worker.line.send(None)
            else:
                worker.process.terminate()
        for worker in self.workers:
            worker.end()
        self._near_end.close()
        self._far_end.close()
        self.workers.clear()

    def start_worker(self) -> None:
        """Start a worker; it says ``Ready`` when it is."""
        here, there = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(self._settings, there, self._far_end), daemon=True)
        process.start()
        there.close()
        self.workers.append(Worker(process, here))

    def busy(self) -> list[tuple[Worker, Task]]:
        """The workers that have a task."""
        return [(worker, worker.task) for worker in self.workers if worker.task is not None]

    def give(self, worker: Worker, task: Task) -> None:
        """Send a worker a run to make. If it is dead, ``messages`` will say so."""
        worker.task = task
        with suppress(OSError):
            worker.line.send(task)

    def messages(self, timeout: float) -> Iterator[tuple[Worker, Task | None, Message]]:
        """What workers say within so many seconds: worker, what it is or was at, message. The dead are gone by then."""
        by_line = {worker.line: worker for worker in self.workers}
        for line in wait(list(by_line), timeout):
            worker = by_line[line]  # type: ignore[index]
            task = worker.task
            try:
                message: Message = worker.line.recv()
            except (EOFError, OSError):
                yield worker, task, Exited(self._remove(worker))
                continue
            if isinstance(message, Ready):
                worker.ready = True
            elif isinstance(message, Done):
                worker.task = None
                if message.failed:
                    self._remove(worker)
            yield worker, task, message

    def _remove(self, worker: Worker) -> int:
        """Take a worker that has ended, or is about to, off the list; its exit code."""
        self.workers.remove(worker)
        worker.end()
        return worker.process.exitcode or 0
