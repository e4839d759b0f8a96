"""Sweeps with real workers: killed, failing, out of time, side by side."""

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sharprecl.errors import ConfigError
from sharprecl.experiments.code import code_hash
from sharprecl.experiments.exchange import export
from sharprecl.experiments.execute import execute
from sharprecl.experiments.exported import Exported, write_exported
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.prepare import prepare
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import Options, SweepResult, sweep
from tiny_experiment import tiny_plan

# Eight runs of half a second and more, with a few checkpoints in those that leave any.
LONG = {
    "encoder": {"max_length": 16},
    "view": "dropout",
    "training": {"max_epochs": 12, "checkpoint_seconds": 0.2, "learning_rate": 2e-3},
}


class Said(list[str]):
    """A observer that remembers sentences."""

    def progressed(self, progress: object) -> None:
        del progress

    def said(self, sentence: str) -> None:
        self.append(sentence)


def long_plan(folder: Path) -> Plan:
    folder.mkdir(exist_ok=True)
    settings = {**LONG, "encoder": {**LONG["encoder"], "name": str(folder / "encoder")}}
    return tiny_plan(folder, settings=settings, seeds=4)


def timeless(path: Path) -> list[dict[str, Any]]:
    """The lines of an export without what may differ between equal runs."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        for name in ("seconds", "peak_memory_bytes", "environment"):
            line.pop(name, None)
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plan")


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> list[dict[str, Any]]:
    """The lines of the plan's export, every run made in this process, one after the other."""
    exported, code = Exported(), code_hash()
    for job in long_plan(folder).jobs("smoke"):
        prepared = prepare(job.spec)
        executed = execute(job.spec, prepared, code)
        exported.data[prepared.record.hash] = prepared.record
        exported.runs[executed.record.key] = executed.record
        exported.histories[executed.record.key] = "".join(
            json.dumps(line, sort_keys=True) + "\n" for line in executed.history
        )
    write_exported(folder / "undisturbed.jsonl", exported)
    return timeless(folder / "undisturbed.jsonl")


def lives(pid: int) -> bool:
    return bool(_parent(pid))


def children(pid: int) -> list[int]:
    """The processes that a process started and that still live, those that they started included."""
    every = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    direct = [child for child in every if _parent(child) == pid]
    return [found for child in direct for found in (child, *children(child))]


def _parent(pid: int) -> int:
    """0 for a process that has ended, whether or not somebody has asked how."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if words[0] == "Z" else int(words[1])


def until(true: Callable[[], bool], seconds: float = 200) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


SCRIPT = """
import pickle, sys
from pathlib import Path
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import Options, sweep

class Silent:
    def progressed(self, progress):
        pass
    said = progressed

sweep(pickle.loads(Path(sys.argv[1]).read_bytes()), Store(Path(sys.argv[2])), Options(2, device="cpu"), Silent())
"""


@pytest.fixture
def start(folder: Path, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts the sweep of the plan with two workers, in a process group of its own."""
    jobs = folder / "jobs"
    jobs.write_bytes(pickle.dumps(long_plan(folder).jobs("smoke")))
    started: list[subprocess.Popen[bytes]] = []

    def begin() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", SCRIPT, str(jobs), str(tmp_path / "results")]
        started.append(subprocess.Popen(command, start_new_session=True))
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for the processes")
@pytest.mark.timeout(600)
def test_a_sweep_killed_three_times_ends_like_one_that_was_not(
    start: Callable[[], subprocess.Popen[bytes]], undisturbed: list[dict[str, Any]], folder: Path, tmp_path: Path
) -> None:
    store = Store(tmp_path / "results")

    def finished() -> int:
        return len(list(store.folder.glob("runs/*/*/metrics.json")))

    def kill_parent(process: subprocess.Popen[bytes], workers: list[int]) -> None:
        process.kill()

    def kill_workers_first(process: subprocess.Popen[bytes], workers: list[int]) -> None:
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        time.sleep(0.1)
        process.kill()

    def kill_all(process: subprocess.Popen[bytes], workers: list[int]) -> None:
        os.killpg(process.pid, signal.SIGKILL)

    def in_flight() -> bool:
        return any(run.state == "begun" for run in store.runs())

    def sweep_and(kill: Callable[[subprocess.Popen[bytes], list[int]], None]) -> bool:
        """Whether the kill cut a run off: a worker may be at its last step, and end it before it knows."""
        before, process = finished(), start()
        until(lambda: finished() > before and in_flight())
        workers = children(process.pid)
        assert len(workers) >= 2
        kill(process, workers)
        process.wait()
        until(lambda: not any(map(lives, workers)), 20)
        assert before < finished() < 8
        assert not store.failed()
        return in_flight()

    cut_off = [sweep_and(kill) for kill in (kill_parent, kill_workers_first, kill_all)]
    assert any(cut_off)
    assert start().wait() == 0
    export(store, tmp_path / "killed.jsonl", full=True)
    assert timeless(tmp_path / "killed.jsonl") == undisturbed
    assert not list(store.folder.glob("runs/*/*/checkpoints"))


def run(plan: Plan, folder: Path, **options: Any) -> tuple[SweepResult, Said]:
    said = Said()
    return sweep(plan.jobs("smoke"), Store(folder), Options(device="cpu", **options), said), said


def test_a_failed_run_is_kept_and_made_anew_when_asked(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    broken = {"method": "cross_entropy", "settings": {"encoder": {"name": str(empty)}}}
    plan = tiny_plan(tmp_path, rows={"broken": broken, "cross_entropy": None})
    outcome, said = run(plan, tmp_path / "results", threads=2)
    assert (outcome.done, outcome.made, outcome.left) == (1, 1, 0)
    (finished,) = Store(tmp_path / "results").finished().values()
    assert [finished.environment[name] for name in ("workers", "threads", "device")] == [1, 2, "cpu"]
    assert [failed.label for failed in outcome.failed] == ["train broken seed 0"]
    text = Path(outcome.failed[0].where).read_text()
    assert text.startswith("Traceback (most recent call last)")
    assert "AssetError" in text
    assert str(empty) in outcome.failed[0].sentence
    assert said[1] == f"[1/2] train broken seed 0 failed: {outcome.failed[0].sentence}"
    assert said[2].startswith("[2/2] train cross_entropy seed 0: macro-F1 ")

    again, said = run(plan, tmp_path / "results")
    assert (again.done, again.made, again.failed) == (1, 0, outcome.failed)
    assert said == [
        "2 runs, 1 of them finished already; 1 failed earlier, --retry-failed makes them anew; none to make"
    ]

    shutil.copytree(tmp_path / "encoder", empty, dirs_exist_ok=True)
    mended, _ = run(plan, tmp_path / "results", retry_failed=True)
    assert (mended.done, mended.made, mended.failed) == (2, 1, ())
    assert not Store(tmp_path / "results").failed()


def test_what_a_kill_left_beside_a_finished_run_goes_with_the_next_sweep(tmp_path: Path) -> None:
    plan = tiny_plan(tmp_path)
    run(plan, tmp_path / "results")
    folder = next(Store(tmp_path / "results").runs())
    left = folder.path / "checkpoints" / "step-3"
    left.mkdir(parents=True)
    run(plan, tmp_path / "results")
    assert not left.parent.exists()
    assert folder.state == "finished"


def test_nothing_is_made_without_workers(tmp_path: Path) -> None:
    for options in ({"workers": 0}, {"threads": 0}):
        with pytest.raises(ConfigError, match="at least one"):
            run(tiny_plan(tmp_path), tmp_path / "results", **options)
