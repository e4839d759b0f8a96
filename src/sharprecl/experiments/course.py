"""The course of a sweep: who makes which run when, and what comes of it."""

import time
from collections import Counter
from dataclasses import replace

from sharprecl.errors import SharpReCLError
from sharprecl.experiments.crew import Crew, Worker
from sharprecl.experiments.duration import words_of
from sharprecl.experiments.pace import Pace
from sharprecl.experiments.records import RunRecord
from sharprecl.experiments.run_folder import OUTPUT, Failure
from sharprecl.experiments.standing import AtWork, Standing, Watcher
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Died, Duty, Message, Ready, Stepped, Task
from sharprecl.experiments.todo import ToDo, failed

_TICK = 0.25  # seconds between two looks
_MARGIN = 1.15  # a run may take so many times as long as those before it
_BUSY_PAUSE = 5.0  # seconds until a run that another sweep is at is looked at again
_SHORT = 120.0  # seconds: below, a checkpoint (0.4 GB and a second with MiniLM) costs more than it saves
_TRIES = 2  # A killed worker's run is made once more: who kills a sweep may hit its workers first.
_TAIL = 2000  # characters
_FIGURES = {"macro_f1": "macro-F1", "accuracy": "accuracy"}


class Course:
    """Gives tasks to workers until there are none left, or no time.

    Args:
        duty: what is the same for all runs.
        to_do: what is to be made.
        store: keeps it.
        deadline: of ``time.monotonic``.
        watcher: is told how it goes.

    Attributes:
        waiting: tasks that nobody is at, in their order.
        done: finished runs, those of other sweeps included.
        made: those that this course made.
        failed: likewise, those of other sweeps included.
        too_long: see ``sweep.Outcome``.
    """

    def __init__(self, duty: Duty, to_do: ToDo, store: Store, deadline: float | None, watcher: Watcher) -> None:
        self._duty, self._total, self._store, self._watcher = duty, to_do.total, store, watcher
        self._deadline = deadline
        self.waiting = list(to_do.tasks)
        self.done, self.made, self.failed = len(to_do.done), 0, list(to_do.failed)
        self.too_long: float | None = None
        self._pace: Pace | None = None
        self._began: dict[Worker, float] = {}
        self._steps: dict[Worker, Stepped] = {}
        self._not_before: dict[str, float] = {}
        self._deaths: Counter[str] = Counter()

    def run(self) -> None:
        """Work until everything is done or the time is up; whatever is at work then goes back to ``waiting``."""
        if not self.waiting:
            return
        with Crew(self._duty) as crew:
            try:
                while self._goes_on(crew):
                    self._assign(crew)
                    for worker, task, message in crew.messages(_TICK):
                        self._hear(worker, task, message)
                    self._watcher.stands(self._standing(crew))
            finally:
                self.waiting += [task for _, task in crew.at_work()]

    def _goes_on(self, crew: Crew) -> bool:
        at_work = crew.at_work()
        if not self.waiting and not at_work:
            return False
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return False
        if not at_work and not any(self._fits(task) for task in self.waiting):
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

    def _assign(self, crew: Crew) -> None:
        now = time.monotonic()
        free = [task for task in self.waiting if self._not_before.get(task.key, 0.0) <= now and self._fits(task)]
        idle = [worker for worker in crew.workers if worker.task is None]
        for _ in range(min(len(free) - len(idle), self._duty.workers - len(crew.workers))):
            crew.hire()
        for worker, task in zip((worker for worker in idle if worker.ready), free, strict=False):
            self.waiting.remove(task)
            self._began[worker] = now
            self._steps[worker] = Stepped(0, 0)
            expected = self._expected(task)
            crew.give(worker, replace(task, checkpoints=expected is None or expected >= _SHORT))

    def _hear(self, worker: Worker, task: Task | None, message: Message) -> None:
        if isinstance(message, Ready):
            self._welcome(message)
        elif isinstance(message, Stepped):
            self._steps[worker] = message
        elif task is None:
            assert isinstance(message, Died)
            if not worker.ready:
                raise SharpReCLError(
                    f"a worker {_ended(message)} before it could begin; what it printed stands above, and with fewer "
                    f"--workers each has more memory"
                )
        elif isinstance(message, Died):
            self._bury(task, message)
        elif message.busy:
            self._not_before[task.key] = time.monotonic() + _BUSY_PAUSE
            self.waiting.append(task)
        elif message.failed:
            self.failed.append(failed(task.label, self._store.run(task.key)))
            self._say(f"{task.label} failed: {self.failed[-1].sentence}")
        else:
            self._count(task, self._store.run(task.key).record(), message.had)

    def _welcome(self, message: Ready) -> None:
        if message.code != self._duty.code:
            raise SharpReCLError(
                "the package's source files have changed since the experiment began; start it again, so that all its "
                "runs are of one code"
            )
        if self._pace is None:
            self._pace = Pace(message.place, self._store.finished().values())

    def _count(self, task: Task, record: RunRecord, had: bool) -> None:
        self.done += 1
        self.made += not had
        assert self._pace is not None
        self._pace.learn(record)
        figures = [f"{words} {100 * (record.metrics[name] or 0.0):.1f}" for name, words in _FIGURES.items()]
        maker = ", by another sweep" if had else ""
        self._say(f"{task.label}: {', '.join(figures)}, {words_of(record.environment['wall_seconds'])}{maker}")

    def _bury(self, task: Task, message: Died) -> None:
        self._deaths[task.key] += 1
        if self._deaths[task.key] < _TRIES:
            self.waiting.append(task)
            self._watcher.said(f"{task.label}: its process {_ended(message)}; it is tried once more, after the others")
            return
        folder = self._store.run(task.key)
        printed = folder.path / OUTPUT
        tail = printed.read_text(encoding="utf-8", errors="replace")[-_TAIL:] if printed.is_file() else ""
        sentence = f"its process {_ended(message)}, twice; for want of memory? with fewer --workers each has more"
        folder.fail(Failure(task.spec, task.data, self._duty.code, f"{tail}\n\n{sentence}\n"))
        self.failed.append(failed(task.label, folder))
        self._say(f"{task.label} failed: {sentence}")

    def _say(self, sentence: str) -> None:
        self._watcher.said(f"[{self.done + len(self.failed)}/{self._total}] {sentence}")

    def _standing(self, crew: Crew) -> Standing:
        shown = [
            AtWork(task.label, self._steps[worker].step, self._steps[worker].steps) for worker, task in crew.at_work()
        ]
        return Standing(self.done, len(self.failed), self._total, tuple(shown), self._seconds_left(crew))

    def _seconds_left(self, crew: Crew) -> float | None:
        now = time.monotonic()
        later = [self._expected(task) for task in self.waiting]
        begun = [(self._expected(task), now - self._began[worker]) for worker, task in crew.at_work()]
        known = [seconds for seconds in [*later, *(expected for expected, _ in begun)] if seconds is not None]
        if not known:
            return None
        # Runs of which nothing is known count like the others.
        usual = sum(known) / len(known)
        left = [usual if seconds is None else seconds for seconds in later]
        left += [max(0.0, (usual if expected is None else expected) - seconds) for expected, seconds in begun]
        return sum(left) / self._duty.workers


def _ended(message: Died) -> str:
    code = message.exit_code
    return f"was killed (signal {-code})" if code < 0 else f"ended with status {code}"
