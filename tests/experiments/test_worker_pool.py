"""Real workers: what they say, and how they end."""

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sharprecl.experiments.code import code_hash
from sharprecl.experiments.prepare import prepare
from sharprecl.experiments.records import run_key
from sharprecl.experiments.run_folder import OUTPUT
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Exited, Ready, Stepped, Task, WorkerSettings
from sharprecl.experiments.worker_pool import WorkerPool
from tiny_experiment import tiny_plan

Endless = tuple[WorkerSettings, Task]


@pytest.fixture
def endless(tmp_path: Path) -> Endless:
    """A run that would take hours."""
    training = {"max_epochs": 100_000, "batch_size": 16, "learning_rate": 1e-3}
    settings = {"encoder": {"name": str(tmp_path / "encoder")}, "view": "dropout", "training": training}
    spec = tiny_plan(tmp_path, settings=settings).jobs("smoke")[0].spec
    data, code = prepare(spec).record.hash, code_hash()
    settings = WorkerSettings(tmp_path / "results", code, "cpu", threads=1, workers=1)
    return settings, Task("endless", run_key(spec, data, code), spec, data)


def first_step(pool: WorkerPool, task: Task) -> Ready:
    """Let the pool's only worker make the first step of a task; return how it had greeted."""
    ready = None
    while True:
        for worker, _, message in pool.messages(1.0):
            assert not isinstance(message, Exited)
            if isinstance(message, Ready):
                ready = message
                pool.give(worker, task)
            elif isinstance(message, Stepped):
                assert ready is not None
                return ready


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_leaves_its_run_in_the_middle_when_the_sweep_ends(
    endless: Endless, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sharprecl.experiments.worker_pool._PATIENCE", 60.0
    )  # A busy machine ends an interpreter slowly.
    settings, task = endless
    folder = Store(settings.store).run(task.key)
    with WorkerPool(settings) as pool:
        pool.start_worker()
        ready = first_step(pool, task)
        process = pool.workers[0].process
        assert folder.is_busy()
        assert pool.busy() == [(pool.workers[0], task)]
    assert process.exitcode == 0
    assert not folder.is_busy()
    assert folder.state == "begun"
    assert ready.code == settings.code
    assert (ready.place["workers"], ready.place["threads"]) == (1, 1)


SCRIPT = """
import pickle, sys, time
from pathlib import Path
from sharprecl.experiments.worker_pool import WorkerPool

settings, task = pickle.loads(Path(sys.argv[1]).read_bytes())
with WorkerPool(settings) as pool:
    pool.start_worker()
    print(pool.workers[0].process.pid, flush=True)
    while not pool.workers[0].ready:
        list(pool.messages(1.0))
    pool.give(pool.workers[0], task)
    time.sleep(600)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for the processes")
def test_a_killed_sweep_leaves_no_worker_behind(endless: Endless, tmp_path: Path) -> None:
    settings, task = endless
    # Its data never come: it waits where it says nothing and hears nothing.
    os.mkfifo(tmp_path / "never.csv")
    task = replace(task, spec=replace(task.spec, data=str(tmp_path / "never.csv")))
    (tmp_path / "task").write_bytes(pickle.dumps((settings, task)))
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "task")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    with process.stdout:
        try:
            worker = int(process.stdout.readline())
            begun = Store(settings.store).run(task.key).path / OUTPUT
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
