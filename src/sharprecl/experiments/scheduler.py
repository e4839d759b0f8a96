"""The scheduler of a sweep: which worker makes which run when, and what comes of it."""

import heapq
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait
from dataclasses import dataclass, field, replace
from typing import Protocol, Self

from sharprecl.data.messages import plural
from sharprecl.errors import SharpReCLError
from sharprecl.experiments.duration import DurationEstimate, Place, format_duration
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import MakeWorker, Options, RunMaker, Steps, Task
from sharprecl.experiments.worker import Worker
from sharprecl.runs.folder import ERROR, OUTPUT, RunFolder
from sharprecl.runs.record import Failure, RunRecord

_TICK = 0.25  # seconds between two looks
_MARGIN = 1.15  # a run may take so many times as long as those before it
_BUSY_PAUSE = 5.0  # seconds until a run that another sweep is at is looked at again
_SHORT = 120.0  # seconds: below, a checkpoint (0.4 GB and a second with MiniLM) costs more than it saves
_TRIES = 2  # A killed worker's run is made once more: who kills a sweep may hit its workers first.
_WORTH_TELLING = 20.0  # seconds
_TAIL = 2000  # characters
_FIGURES = {"macro_f1": "macro-F1", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Failed:
    """A run that failed, or could not begin; ``where`` is the file with the whole story, if there is one."""

    label: str
    sentence: str
    where: str = ""

    @classmethod
    def of(cls, label: str, folder: RunFolder) -> Self:
        """What is told of the run that failed in a folder."""
        return cls(label, folder.failure().sentence, str(folder.path / ERROR))


@dataclass
class Sweep:
    """How far a sweep is, and in the end how it ended.

    Attributes:
        total: runs in all.
        done: those that are finished, those of other sweeps included.
        made: those that this sweep made.
        failed: those that failed, now or earlier, or could not begin.
        waiting: those to make that nobody is at, in their order; what is left in the end was left for want of time.
        data: hashes of the data that the runs are made on, those that failed earlier aside.
        too_long: seconds that the quickest of the runs left would have taken, where none could be begun in time.
    """

    total: int
    done: int = 0
    made: int = 0
    failed: list[Failed] = field(default_factory=list)
    waiting: list[Task] = field(default_factory=list)
    data: set[str] = field(default_factory=set)
    too_long: float | None = None


class SweepCallback(Protocol):
    """Something that watches a sweep."""

    def on_progress(self, sweep: Sweep, running: Sequence[tuple[str, Steps]], seconds_left: float | None) -> None:
        """Called a few times a second, with the labels and steps of the runs that workers are at.

        ``seconds_left`` follows from what is known of finished runs; None while nothing is.
        """

    def on_message(self, sentence: str) -> None:
        """Something that a person should know: a run has ended, data are read."""


class Scheduler:
    """Gives tasks to workers until there are none left, or no time.

    Args:
        sweep: what is to be made; it is kept up to date.
        store: keeps the runs.
        code: the hash of the code that the sweep began with.
        options: of the sweep.
        callback: is told how it goes.
        make_worker: where runs are made.
    """

    def __init__(
        self,
        sweep: Sweep,
        store: Store,
        code: str,
        options: Options,
        callback: SweepCallback,
        make_worker: MakeWorker = Worker,
    ) -> None:
        self._sweep, self._store, self._code, self._options = sweep, store, code, options
        self._callback, self._make_worker = callback, make_worker
        self._workers: list[RunMaker] = []
        self._estimate: DurationEstimate | None = None
        self._began: dict[str, float] = {}
        self._told = False
        self._not_before: dict[str, float] = {}
        self._deaths: Counter[str] = Counter()

    def run(self) -> None:
        """Work until everything is done or the time is up; whatever is at work then goes back to ``waiting``."""
        try:
            while self._goes_on():
                self._assign()
                self._wait()
                for worker in list(self._workers):
                    worker.look()
                    if worker.future is not None and worker.future.done():
                        self._handle(worker)
                self._guess()
                running = [(worker.task.label, worker.steps) for worker in self._workers if worker.task]
                self._callback.on_progress(self._sweep, running, self._seconds_left())
        finally:
            self._sweep.waiting += self._at_work()
            for worker in self._workers:
                worker.leave()
            for worker in self._workers:
                worker.join()

    def _guess(self) -> None:
        """Learn from the runs at work, and say once how long it will take."""
        for worker in self._workers:
            if worker.task is not None and worker.seconds_left is not None and self._estimate is not None:
                had = time.monotonic() - self._began[worker.task.key]
                self._estimate.guess(worker.task.run.spec, had + worker.seconds_left)
        left = self._seconds_left()
        if left is None or self._told or not self._at_work():
            return
        self._told = True
        runs = len(self._sweep.waiting) + len(self._at_work())
        first = min(self._remaining(worker) or left for worker in self._workers if worker.task)
        if left >= _WORTH_TELLING:
            self._callback.on_message(
                f"about {format_duration(left)} for {plural(runs, 'run', 'runs')}, {self._options.workers} at a time; "
                f"the next figures in about {format_duration(first)}"
            )

    def _at_work(self) -> list[Task]:
        return [worker.task for worker in self._workers if worker.task is not None]

    def _goes_on(self) -> bool:
        running = self._at_work()
        if not self._sweep.waiting and not running:
            return False
        if self._options.deadline is not None and time.monotonic() >= self._options.deadline:
            return False
        if not running and not any(self._fits(task) for task in self._sweep.waiting):
            self._sweep.too_long = min((self._expected(task) or 0.0) for task in self._sweep.waiting)
            return False
        return True

    def _expected(self, task: Task) -> float | None:
        return None if self._estimate is None else self._estimate.expected(task.run.spec)

    def _fits(self, task: Task) -> bool:
        """Whether a run is expected to end before the deadline. One of which nothing is known is tried."""
        expected = self._expected(task)
        if self._options.deadline is None or expected is None:
            return True
        return time.monotonic() + _MARGIN * expected <= self._options.deadline

    def _assign(self) -> None:
        now = time.monotonic()
        free = [task for task in self._sweep.waiting if self._not_before.get(task.key, 0.0) <= now and self._fits(task)]
        idle = [worker for worker in self._workers if worker.future is None]
        starting = len(self._workers) - len(idle) - len(self._at_work())
        for _ in range(min(len(free) - len(idle) - starting, self._options.workers - len(self._workers))):
            self._workers.append(self._make_worker(self._store.folder, self._options))
        for worker, task in zip(idle, free, strict=False):
            self._sweep.waiting.remove(task)
            self._began[task.key] = now
            expected = self._expected(task)
            worker.give(replace(task, checkpoints=expected is None or expected >= _SHORT))

    def _wait(self) -> None:
        """Until something has ended, a moment at most."""
        futures = [worker.future for worker in self._workers if worker.future is not None]
        if futures:
            wait(futures, _TICK, FIRST_COMPLETED)
        else:
            time.sleep(_TICK)

    def _handle(self, worker: RunMaker) -> None:
        """Take note of what a worker has ended with."""
        task, future = worker.task, worker.future
        assert future is not None
        worker.task = worker.future = None
        try:
            found = future.result()
        except (BrokenExecutor, SystemExit):
            self._on_exit(task, self._dismiss(worker))
            return
        if task is None:
            self._on_ready(*found)
        elif found == "busy":
            self._not_before[task.key] = time.monotonic() + _BUSY_PAUSE
            self._sweep.waiting.append(task)
        elif found == "failed":
            # What went wrong may have left the process, or its share of a GPU, in any state.
            self._dismiss(worker)
            self._sweep.failed.append(Failed.of(task.label, self._store.run(task.key)))
            self._say(f"{task.label} failed: {self._sweep.failed[-1].sentence}")
        else:
            self._on_finished(task, self._store.run(task.key).record(), had=found == "had")

    def _dismiss(self, worker: RunMaker) -> int | None:
        self._workers.remove(worker)
        return worker.join()

    def _on_ready(self, code: str, place: Place) -> None:
        if code != self._code:
            raise SharpReCLError(
                "the package's source files have changed since the experiment began; start it again, so that all its "
                "runs are of one code"
            )
        if self._estimate is None:
            self._estimate = DurationEstimate(place, self._store.finished().values())

    def _on_finished(self, task: Task, record: RunRecord, had: bool) -> None:
        self._sweep.done += 1
        self._sweep.made += not had
        assert self._estimate is not None
        self._estimate.learn(record)
        figures = [f"{words} {100 * (record.metrics[name] or 0.0):.1f}" for name, words in _FIGURES.items()]
        maker = ", by another sweep" if had else ""
        self._say(f"{task.label}: {', '.join(figures)}, {format_duration(record.environment['wall_seconds'])}{maker}")

    def _on_exit(self, task: Task | None, code: int | None) -> None:
        if code is None:
            ended = "was lost"
        else:
            ended = f"was killed (signal {-code})" if code < 0 else f"ended with status {code}"
        self._deaths["" if task is None else task.key] += 1
        if task is None:
            if code is None and self._deaths[""] < _TRIES:
                self._callback.on_message("a worker was lost before it could begin; another one is started")
                return
            raise SharpReCLError(
                f"a worker {ended} before it could begin; what it printed stands above, and with fewer --workers each "
                f"has more memory"
            )
        if self._deaths[task.key] < _TRIES:
            self._sweep.waiting.append(task)
            self._callback.on_message(f"{task.label}: its process {ended}; it is tried once more, after the others")
            return
        folder, run = self._store.run(task.key), task.run
        printed = folder.path / OUTPUT
        tail = printed.read_text(encoding="utf-8", errors="replace")[-_TAIL:] if printed.is_file() else ""
        sentence = f"its process {ended}, twice; for want of memory? with fewer --workers each has more"
        folder.fail(Failure(run.spec, run.data, run.code, f"{tail}\n\n{sentence}\n"))
        self._sweep.failed.append(Failed.of(task.label, folder))
        self._say(f"{task.label} failed: {sentence}")

    def _say(self, sentence: str) -> None:
        self._callback.on_message(f"[{self._sweep.done + len(self._sweep.failed)}/{self._sweep.total}] {sentence}")

    def _remaining(self, worker: RunMaker) -> float | None:
        """Seconds that the run of a worker will still take."""
        assert worker.task is not None
        if worker.seconds_left is not None:
            return worker.seconds_left
        expected = self._expected(worker.task)
        return None if expected is None else max(0.0, expected - (time.monotonic() - self._began[worker.task.key]))

    def _seconds_left(self) -> float | None:
        """Until the last run ends, each worker taking the next one when it is free."""
        running = [self._remaining(worker) for worker in self._workers if worker.task is not None]
        waiting = [self._expected(task) for task in self._sweep.waiting]
        known = [seconds for seconds in (*waiting, *running) if seconds is not None]
        if not known:
            return None
        # Runs of which nothing is known count like the others.
        usual = sum(known) / len(known)
        ends = [usual if seconds is None else seconds for seconds in running]
        ends += [0.0] * (self._options.workers - len(ends))
        heapq.heapify(ends)
        for seconds in waiting:
            heapq.heapreplace(ends, ends[0] + (usual if seconds is None else seconds))
        return max(ends)
