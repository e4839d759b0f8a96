"""Real workers: what they say, and how they end."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Options, Task
from sharprecl.experiments.worker import Worker
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import prepare
from sharprecl.runs.folder import OUTPUT
from sharprecl.runs.spec import RunId, run_key
from tiny_experiment import tiny_plan

Endless = tuple[Path, Task]


@pytest.fixture
def endless(tmp_path: Path) -> Endless:
    """A run that would take hours."""
    training = {"max_epochs": 100_000, "batch_size": 16, "learning_rate": 1e-3}
    settings = {"encoder": {"name": str(tmp_path / "encoder")}, "view": "dropout", "training": training}
    spec = tiny_plan(tmp_path, settings=settings).jobs("smoke")[0].spec
    data, code = prepare(spec).record.hash, code_hash()
    return tmp_path / "results", Task("endless", run_key(spec, data, code), RunId(spec, data, code))


def greeted(worker: Worker) -> tuple[str, dict[str, object]]:
    """Wait until a worker can begin; its code and its place."""
    assert worker.future is not None
    code, place = worker.future.result()
    return code, place


def first_step(worker: Worker, task: Task) -> None:
    """Let a worker make the first step of a task."""
    worker.give(task)
    while worker.steps == (0, 0):
        assert worker.future is not None
        assert not worker.future.done()
        time.sleep(0.05)
        worker.look()


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def worker(endless: Endless) -> Iterator[Worker]:
    made = Worker(endless[0], Options(device="cpu"))
    yield made
    made.leave()
    made.join()


def test_a_worker_leaves_its_run_in_the_middle_when_the_sweep_ends(endless: Endless, worker: Worker) -> None:
    store, task = endless
    folder = Store(store).run(task.key)
    code, place = greeted(worker)
    first_step(worker, task)
    while worker.seconds_left is None:
        time.sleep(0.05)
        worker.look()
    assert worker.steps[0] >= 10
    assert worker.seconds_left > 60
    assert folder.is_busy()
    worker.leave()
    worker.join()
    assert not folder.is_busy()
    assert folder.state == "begun"
    assert code == task.run.code
    assert (place["workers"], place["threads"]) == (1, 1)


def test_a_killed_worker_is_noticed_with_its_signal(endless: Endless, worker: Worker) -> None:
    store, task = endless
    greeted(worker)
    first_step(worker, task)
    (child,) = multiprocessing.active_children()
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    assert worker.future is not None
    with pytest.raises(BrokenExecutor):
        worker.future.result(30)
    # And so is one that is killed while it waits.
    worker.give(task)
    with pytest.raises(BrokenExecutor):
        worker.future.result(30)
    assert worker.join() == -signal.SIGKILL
    assert not Store(store).run(task.key).is_busy()


SCRIPT = """
import pickle, sys, time
from multiprocessing import active_children
from pathlib import Path
from sharprecl.experiments.task import Options
from sharprecl.experiments.worker import Worker

if __name__ == "__main__":
    store, task = pickle.loads(Path(sys.argv[1]).read_bytes())
    worker = Worker(store, Options(device="cpu"))
    print(active_children()[0].pid, flush=True)
    worker.future.result()
    worker.give(task)
    time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for the processes")
def test_a_killed_sweep_leaves_no_worker_behind(endless: Endless, tmp_path: Path) -> None:
    store, task = endless
    # Its data never come: it waits where it says nothing and hears nothing.
    os.mkfifo(tmp_path / "never.csv")
    run = replace(task.run, spec=replace(task.run.spec, data=str(tmp_path / "never.csv")))
    task = replace(task, run=run)
    (tmp_path / "task").write_bytes(pickle.dumps((store, task)))
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "task")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    with process.stdout:
        try:
            worker = int(process.stdout.readline())
            begun = Store(store).run(task.key).path / OUTPUT
            while not begun.exists():
                assert lives(worker)
                time.sleep(0.1)
            process.kill()
            end = time.monotonic() + 20
            while lives(worker):
                assert time.monotonic() < end, "the worker goes on without anybody to work for"
                time.sleep(0.1)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
