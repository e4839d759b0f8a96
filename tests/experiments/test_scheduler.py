"""Who makes which run when: with workers that only pretend, by a clock that only they move."""

from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sharprecl.errors import OutputError, SharpReCLError
from sharprecl.experiments import scheduler
from sharprecl.experiments.duration import format_duration
from sharprecl.experiments.scheduler import Scheduler, Sweep
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Options, Steps, Task
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import RunId, run_key
from tiny_experiment import CODE, DATA, record, spec

PLACE = {"workers": 2, "threads": 1, "hardware": "pretended"}


@dataclass
class World:
    """A clock, and how each run goes: seconds that it takes, and how it ends, time after time: an outcome, a status
    with which the worker's process ends, or what the worker raises."""

    store: Store
    now: float = 1000.0
    seconds: dict[str, float] = field(default_factory=dict)
    ends: dict[str, list[str | int | Exception]] = field(default_factory=dict)
    code: str = CODE
    starts: bool = True
    tells: bool = False
    given: list[Task] = field(default_factory=list)
    workers: list["PretendedWorker"] = field(default_factory=list)
    left_at_work: list[str] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def wait(self, futures: list[Future[Any]], timeout: float, _: str) -> None:
        self.now += timeout
        for worker in self.workers:
            if worker.future in futures and worker.due <= self.now:
                worker.end()


class PretendedWorker:
    """Has the face of ``Worker``. It is ready after a second."""

    world: World

    def __init__(self, store: Path, options: Options) -> None:
        self.future: Future[Any] | None = Future()
        self.seconds_left: float | None
        self.task: Task | None = None
        self.steps, self.status, self.seconds_left = (0, 0), 0, None
        self.due = self.world.now + 1
        self.world.workers.append(self)

    def give(self, task: Task) -> None:
        self.world.given.append(task)
        self.task, self.future, self.seconds_left = task, Future(), None
        self.due = self.world.now + self.world.seconds.get(task.label, 10.0)

    def look(self) -> None:
        if self.task is not None:
            self.steps = 3, 12
            self.seconds_left = self.due - self.world.now if self.world.tells else None

    def leave(self) -> None:
        if self.task is not None:
            self.world.left_at_work.append(self.task.label)

    def join(self) -> int:
        return self.status

    def end(self) -> None:
        assert self.future is not None
        if self.task is None:
            found: Any = (self.world.code, PLACE) if self.world.starts else 1
        else:
            found = self._end(self.task)
        if isinstance(found, Exception):
            self.future.set_exception(found)
        elif isinstance(found, int):
            self.status = found
            self.future.set_exception(BrokenProcessPool())
        else:
            self.future.set_result(found)

    def _end(self, task: Task) -> str | int | Exception:
        ends = self.world.ends.get(task.label, [])
        end = ends.pop(0) if ends else "made"
        folder, run = self.world.store.run(task.key), task.run
        if end in ("made", "had"):
            seconds = self.world.seconds.get(task.label, 10.0)
            made = record(spec=run.spec, environment={**PLACE, "wall_seconds": seconds, "started": "2026"})
            folder.finish(replace(made, key=task.key))
        elif end == "failed":
            folder.fail(Failure(run.spec, run.data, CODE, "Traceback\nValueError: no\n"))
        return end


class Notes:
    """A callback that remembers."""

    def __init__(self) -> None:
        self.standings: list[tuple[int, list[tuple[str, Steps]], float | None]] = []
        self.sentences: list[str] = []

    def on_progress(self, sweep: Sweep, running: Sequence[tuple[str, Steps]], seconds_left: float | None) -> None:
        self.standings.append((sweep.done, list(running), seconds_left))

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(Store(tmp_path))
    PretendedWorker.world = made
    monkeypatch.setattr(scheduler, "wait", made.wait)
    monkeypatch.setattr(scheduler.time, "monotonic", made.monotonic)
    monkeypatch.setattr(scheduler.time, "sleep", made.sleep)
    return made


def task(number: int, method: str = "bcl") -> Task:
    asked = spec(number, method)
    return Task(f"{method} {number}", run_key(asked, DATA.hash, CODE), RunId(asked, DATA.hash, CODE))


def go(world: World, tasks: list[Task], seconds: float | None = None, workers: int = 2) -> tuple[Sweep, Notes]:
    notes = Notes()
    deadline = None if seconds is None else world.now + seconds
    sweep = Sweep(len(tasks), waiting=list(tasks))
    Scheduler(sweep, world.store, CODE, Options(workers, deadline=deadline), notes, PretendedWorker).run()
    return sweep, notes


def labels(world: World) -> list[str]:
    return [given.label for given in world.given]


def test_every_run_is_made_once_in_order(world: World) -> None:
    made, notes = go(world, [task(number) for number in range(5)])
    assert (made.done, made.made, made.failed, made.waiting) == (5, 5, [], [])
    assert labels(world) == [f"bcl {number}" for number in range(5)]
    assert len(world.workers) == 2
    assert 25 < world.now - 1000 < 35
    assert notes.sentences[0] == "[1/5] bcl 0: macro-F1 55.6, accuracy 75.0, 10 s"


def test_no_more_workers_than_runs(world: World) -> None:
    go(world, [task(0)], workers=8)
    assert len(world.workers) == 1


def test_the_time_left_is_learnt(world: World) -> None:
    _, notes = go(world, [task(number) for number in range(6)])
    assert notes.standings[0][2] is None
    known = [seconds for _, _, seconds in notes.standings if seconds is not None]
    assert known[0] == pytest.approx(20, abs=1)
    assert known[-1] < 1
    assert sorted(known, reverse=True) == known
    busy = next(running for done, running, _ in notes.standings if len(running) == 2 and done == 2)
    assert busy[0] == ("bcl 2", (3, 12))


@pytest.mark.parametrize(("runs", "workers", "minutes"), [(6, 2, 5), (3, 2, 200 / 60), (2, 1, 200 / 60)])
def test_the_first_steps_tell_how_long_all_will_take(world: World, runs: int, workers: int, minutes: float) -> None:
    world.tells, world.seconds = True, {f"bcl {number}": 100.0 for number in range(runs)}
    _, notes = go(world, [task(number) for number in range(runs)], workers=workers)
    told = format_duration(60 * minutes)
    assert (
        notes.sentences[0] == f"about {told} for {runs} runs, {workers} at a time; the next figures in about 1:40 min"
    )
    # Three runs of two workers take as long as four.
    assert world.now - 1000 == pytest.approx(60 * minutes, abs=5)
    assert notes.sentences[1].startswith("[1/")


def test_what_will_be_over_in_a_moment_is_not_announced(world: World) -> None:
    world.tells, world.seconds = True, {"bcl 0": 5.0}
    _, notes = go(world, [task(0)])
    assert len(notes.sentences) == 1


def test_the_pace_of_one_method_is_taken_for_another_until_that_is_known(world: World) -> None:
    world.tells, world.seconds = True, {"dice 0": 300.0, "bcl 0": 100.0}
    _, notes = go(world, [task(0), task(0, "dice")], workers=1)
    known = [seconds for _, _, seconds in notes.standings if seconds is not None]
    assert known[0] == pytest.approx(200, abs=1)
    # It is corrected, not kept.
    assert max(known) == pytest.approx(300, abs=1)


def test_only_runs_of_some_length_leave_checkpoints(world: World) -> None:
    world.seconds = {"bcl 0": 200.0, "bcl 1": 10.0}
    go(world, [task(number) for number in range(4)])
    # Nothing is known of the first two; then the mean is 10, then 105 seconds.
    assert [given.checkpoints for given in world.given] == [True, True, False, False]
    world.given.clear()
    world.seconds["bcl 4"] = 500.0
    go(world, [task(4), task(5)], workers=1)
    assert [given.checkpoints for given in world.given] == [False, True]


def test_a_failure_stops_nothing_and_its_worker_is_replaced(world: World) -> None:
    world.ends = {"bcl 1": ["failed"]}
    made, notes = go(world, [task(number) for number in range(4)], workers=1)
    assert made.done == 3
    assert [(run.label, run.sentence) for run in made.failed] == [("bcl 1", "ValueError: no")]
    assert "[2/4] bcl 1 failed: ValueError: no" in notes.sentences
    assert len(world.workers) == 2


def test_a_killed_workers_run_is_tried_once_more(world: World) -> None:
    world.ends = {"bcl 0": [-9]}
    made, notes = go(world, [task(number) for number in range(3)], workers=1)
    assert (made.done, made.failed) == (3, [])
    assert labels(world) == ["bcl 0", "bcl 1", "bcl 2", "bcl 0"]
    assert notes.sentences[0] == "bcl 0: its process was killed (signal 9); it is tried once more, after the others"


def test_a_run_that_kills_its_worker_again_has_failed(world: World) -> None:
    world.ends = {"bcl 0": [-9, 3]}
    world.store.run(task(0).key).path.mkdir(parents=True)
    (world.store.run(task(0).key).path / "output.txt").write_text("cannot allocate")
    made, _ = go(world, [task(0), task(1)], workers=1)
    assert made.done == 1
    failure = world.store.run(task(0).key).failure()
    assert failure.text.startswith("cannot allocate\n")
    assert failure.sentence.startswith("its process ended with status 3, twice; for want of memory?")
    assert (failure.spec, failure.code) == (task(0).run.spec, CODE)


def test_a_worker_that_cannot_start_ends_the_sweep(world: World) -> None:
    world.starts = False
    with pytest.raises(SharpReCLError, match="a worker ended with status 1 before it could begin"):
        go(world, [task(0)])


def test_a_full_disk_ends_the_sweep_and_all_its_workers(world: World) -> None:
    world.ends, world.seconds = {"bcl 0": [OutputError("no room")]}, {"bcl 1": 30.0}
    with pytest.raises(OutputError, match="no room"):
        go(world, [task(number) for number in range(4)])
    assert world.left_at_work == ["bcl 1"]
    assert not world.store.failed()


def test_code_that_changes_meanwhile_ends_the_sweep(world: World) -> None:
    world.code = "f" * 64
    with pytest.raises(SharpReCLError, match="source files have changed"):
        go(world, [task(0)])


def test_a_run_of_another_sweep_is_waited_for(world: World) -> None:
    world.ends = {"bcl 0": ["busy", "busy", "had"]}
    world.seconds = {"bcl 0": 0.1}
    made, notes = go(world, [task(0), task(1)], workers=1)
    assert (made.done, made.made) == (2, 1)
    assert notes.sentences[-1].endswith(", by another sweep")
    # A second until the worker is ready, ten for the other run, and a pause.
    assert world.now - 1000 > 16
    assert labels(world).count("bcl 0") == 3
    assert labels(world)[1] == "bcl 1"


def test_at_the_deadline_runs_are_left_for_the_next_sweep(world: World) -> None:
    world.seconds = {"bcl 1": 1000.0}
    made, _ = go(world, [task(number) for number in range(3)], seconds=60)
    # Nothing was known of either when they began.
    assert world.left_at_work == ["bcl 1"]
    assert [waiting.label for waiting in made.waiting] == ["bcl 1"]
    assert made.done == 2
    assert world.now - 1000 == pytest.approx(60, abs=1)
    assert made.too_long is None


def test_no_run_begins_that_would_not_end_in_time(world: World) -> None:
    made, _ = go(world, [task(number) for number in range(10)], seconds=32, workers=1)
    # A third would end at 31 or a little later, perhaps too late.
    assert labels(world) == ["bcl 0", "bcl 1"]
    assert made.done == 2
    assert made.too_long == 10
    assert world.now - 1000 < 22.5
    assert world.left_at_work == []


def test_a_shorter_run_fills_the_time(world: World) -> None:
    world.seconds = {**{f"bcl {number}": 40.0 for number in range(3)}, "dice 0": 4.0, "dice 1": 4.0}
    tasks = [task(0), task(0, "dice"), task(1), task(2), task(1, "dice")]
    made, _ = go(world, tasks, seconds=100, workers=1)
    assert labels(world) == ["bcl 0", "dice 0", "bcl 1", "dice 1"]
    assert made.done == 4
    assert [waiting.label for waiting in made.waiting] == ["bcl 2"]


def test_nothing_to_do_needs_no_worker(world: World) -> None:
    made, _ = go(world, [])
    assert (made.done, world.workers) == (0, [])
