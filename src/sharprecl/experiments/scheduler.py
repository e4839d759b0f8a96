"""The scheduler of a sweep: who makes which run when, and what comes of it."""

import time
from collections import Counter
from dataclasses import replace

from sharprecl.errors import SharpReCLError
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.duration_estimate import DurationEstimate
from sharprecl.experiments.pending import PendingRuns, failed
from sharprecl.experiments.records import RunRecord
from sharprecl.experiments.run_folder import OUTPUT, Failure
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep_progress import RunningTask, SweepObserver, SweepProgress
from sharprecl.experiments.task import Exited, Message, Ready, Stepped, Task, WorkerSettings
from sharprecl.experiments.worker_pool import Worker, WorkerPool

_TICK = 0.25  # seconds between two looks
_MARGIN = 1.15  # a run may take so many times as long as those before it
_BUSY_PAUSE = 5.0  # seconds until a run that another sweep is at is looked at again
_SHORT = 120.0  # seconds: below, a checkpoint (0.4 GB and a second with MiniLM) costs more than it saves
_TRIES = 2  # A killed worker's run is made once more: who kills a sweep may hit its workers first.
_TAIL = 2000  # characters
_FIGURES = {"macro_f1": "macro-F1", "accuracy": "accuracy"}


class Scheduler:
    """Gives tasks to workers until there are none left, or no time.

    Args:
        settings: what is the same for all runs.
        pending: what is to be made.
        store: keeps it.
        deadline: of ``time.monotonic``.
        observer: is told how it goes.

    Attributes:
        waiting: tasks that nobody is at, in their order.
        done: finished runs, those of other sweeps included.
        made: those that this scheduler made.
        failed: likewise, those of other sweeps included.
        too_long: see ``sweep.SweepResult``.
    """

    def __init__(
        self,
        settings: WorkerSettings,
        pending: PendingRuns,
        store: Store,
        deadline: float | None,
        observer: SweepObserver,
    ) -> None:
        self._settings, self._total, self._store, self._observer = settings, pending.total, store, observer
        self._deadline = deadline
        self.waiting = list(pending.tasks)
        self.done, self.made, self.failed = len(pending.done), 0, list(pending.failed)
        self.too_long: float | None = None
        self._pace: DurationEstimate | None = None
        self._began: dict[Worker, float] = {}
        self._steps: dict[Worker, Stepped] = {}
        self._not_before: dict[str, float] = {}
        self._deaths: Counter[str] = Counter()

    def run(self) -> None:
        """Work until everything is done or the time is up; whatever is at work then goes back to ``waiting``."""
        if not self.waiting:
            return
        with WorkerPool(self._settings) as pool:
            try:
                while self._goes_on(pool):
                    self._assign(pool)
                    for worker, task, message in pool.messages(_TICK):
                        self._handle(worker, task, message)
                    self._observer.progressed(self._progress(pool))
            finally:
                self.waiting += [task for _, task in pool.busy()]

    def _goes_on(self, pool: WorkerPool) -> bool:
        running = pool.busy()
        if not self.waiting and not running:
            return False
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return False
        if not running and not any(self._fits(task) for task in self.waiting):
            self.too_long = min((self._expected(task) or 0.0) for task in self.waiting)
            return False
        return True

    def _expected(self, task: Task) -> float | None:
        return None if self._pace is None else self._pace.expected(task.spec)

    def _fits(self, task: Task) -> bool:
        """Whether a run is expected to end before the deadline. One of which nothing is known is tried."""
        expected = self._expected(task)
        if self._deadline is None or expected is None:
            return True
        return time.monotonic() + _MARGIN * expected <= self._deadline

    def _assign(self, pool: WorkerPool) -> None:
        now = time.monotonic()
        free = [task for task in self.waiting if self._not_before.get(task.key, 0.0) <= now and self._fits(task)]
        idle = [worker for worker in pool.workers if worker.task is None]
        for _ in range(min(len(free) - len(idle), self._settings.workers - len(pool.workers))):
            pool.start_worker()
        for worker, task in zip((worker for worker in idle if worker.ready), free, strict=False):
            self.waiting.remove(task)
            self._began[worker] = now
            self._steps[worker] = Stepped(0, 0)
            expected = self._expected(task)
            pool.give(worker, replace(task, checkpoints=expected is None or expected >= _SHORT))

    def _handle(self, worker: Worker, task: Task | None, message: Message) -> None:
        if isinstance(message, Ready):
            self._on_ready(message)
        elif isinstance(message, Stepped):
            self._steps[worker] = message
        elif task is None:
            assert isinstance(message, Exited)
            if not worker.ready:
                raise SharpReCLError(
                    f"a worker {_ended(message)} before it could begin; what it printed stands above, and with fewer "
                    f"--workers each has more memory"
                )
        elif isinstance(message, Exited):
            self._on_exit(task, message)
        elif message.busy:
            self._not_before[task.key] = time.monotonic() + _BUSY_PAUSE
            self.waiting.append(task)
        elif message.failed:
            self.failed.append(failed(task.label, self._store.run(task.key)))
            self._say(f"{task.label} failed: {self.failed[-1].sentence}")
        else:
            self._on_finished(task, self._store.run(task.key).record(), message.had)

    def _on_ready(self, message: Ready) -> None:
        if message.code != self._settings.code:
            raise SharpReCLError(
                "the package's source files have changed since the experiment began; start it again, so that all its "
                "runs are of one code"
            )
        if self._pace is None:
            self._pace = DurationEstimate(message.place, self._store.finished().values())

    def _on_finished(self, task: Task, record: RunRecord, had: bool) -> None:
        self.done += 1
        self.made += not had
        assert self._pace is not None
        self._pace.learn(record)
        figures = [f"{words} {100 * (record.metrics[name] or 0.0):.1f}" for name, words in _FIGURES.items()]
        maker = ", by another sweep" if had else ""
        self._say(f"{task.label}: {', '.join(figures)}, {format_duration(record.environment['wall_seconds'])}{maker}")

    def _on_exit(self, task: Task, message: Exited) -> None:
        self._deaths[task.key] += 1
        if self._deaths[task.key] < _TRIES:
            self.waiting.append(task)
            self._observer.said(f"{task.label}: its process {_ended(message)}; it is tried once more, after the others")
            return
        folder = self._store.run(task.key)
        printed = folder.path / OUTPUT
        tail = printed.read_text(encoding="utf-8", errors="replace")[-_TAIL:] if printed.is_file() else ""
        sentence = f"its process {_ended(message)}, twice; for want of memory? with fewer --workers each has more"
        folder.fail(Failure(task.spec, task.data, self._settings.code, f"{tail}\n\n{sentence}\n"))
        self.failed.append(failed(task.label, folder))
        self._say(f"{task.label} failed: {sentence}")

    def _say(self, sentence: str) -> None:
        self._observer.said(f"[{self.done + len(self.failed)}/{self._total}] {sentence}")

    def _progress(self, pool: WorkerPool) -> SweepProgress:
        shown = [
            RunningTask(task.label, self._steps[worker].step, self._steps[worker].steps) for worker, task in pool.busy()
        ]
        return SweepProgress(self.done, len(self.failed), self._total, tuple(shown), self._seconds_left(pool))

    def _seconds_left(self, pool: WorkerPool) -> float | None:
        now = time.monotonic()
        later = [self._expected(task) for task in self.waiting]
        begun = [(self._expected(task), now - self._began[worker]) for worker, task in pool.busy()]
        known = [seconds for seconds in [*later, *(expected for expected, _ in begun)] if seconds is not None]
        if not known:
            return None
        # Runs of which nothing is known count like the others.
        usual = sum(known) / len(known)
        left = [usual if seconds is None else seconds for seconds in later]
        left += [max(0.0, (usual if expected is None else expected) - seconds) for expected, seconds in begun]
        return sum(left) / self._settings.workers


def _ended(message: Exited) -> str:
    code = message.exit_code
    return f"was killed (signal {-code})" if code < 0 else f"ended with status {code}"
