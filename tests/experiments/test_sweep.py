"""What is left to run, and sweeps with real workers: killed, failing, side by side."""

import csv
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sharprecl.data.augmented import text_mark
from sharprecl.errors import ConfigError, DataError
from sharprecl.experiments.exchange import export
from sharprecl.experiments.exported import Exported, write_exported
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.scheduler import Sweep
from sharprecl.experiments.store import Store
from sharprecl.experiments.sweep import find_pending_runs, first_jobs, sweep
from sharprecl.experiments.task import Options
from sharprecl.runs.code import code_hash
from sharprecl.runs.data import prepare
from sharprecl.runs.execute import execute
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import RunSpec, run_key
from tiny_experiment import CODE, Said, job, record, spec, timeless, tiny_plan, write_table

# Eight runs of half a second and more, with a few checkpoints in those that leave any.
LONG = {
    "encoder": {"max_length": 16},
    "view": "dropout",
    "training": {"max_epochs": 12, "checkpoint_seconds": 0.2, "learning_rate": 2e-3},
}


def long_plan(folder: Path) -> Plan:
    folder.mkdir(exist_ok=True)
    settings = {**LONG, "encoder": {**LONG["encoder"], "name": str(folder / "encoder")}}
    return tiny_plan(folder, settings=settings, seeds=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plan")


@pytest.fixture(scope="module")
def undisturbed(folder: Path) -> list[dict[str, Any]]:
    """The lines of the plan's export, every run made in this process, one after the other."""
    exported, code = Exported(), code_hash()
    for one in long_plan(folder).jobs("smoke"):
        prepared = prepare(one.spec)
        executed = execute(one.spec, prepared, code)
        exported.data[prepared.record.hash] = prepared.record
        exported.runs[executed.record.key] = executed.record
        exported.scores[executed.record.key] = executed.scores
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
from sharprecl.experiments.sweep import sweep
from sharprecl.experiments.task import Options

class Callback:
    def on_progress(self, *_):
        pass
    on_message = on_progress

sweep(pickle.loads(Path(sys.argv[1]).read_bytes()), Store(Path(sys.argv[2])), Options(2, device="cpu"), Callback())
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
        until(lambda: process.poll() is not None or (finished() > before and in_flight()))
        assert process.poll() is None
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


def run(plan: Plan, folder: Path, **options: Any) -> tuple[Sweep, Said]:
    said = Said()
    return sweep(plan.jobs("smoke"), Store(folder), Options(device="cpu", **options), said), said


def test_a_failed_run_is_kept_and_made_anew_when_asked(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    broken = {"method": "cross_entropy", "settings": {"encoder": {"name": str(empty)}}}
    plan = tiny_plan(tmp_path, rows={"broken": broken, "cross_entropy": None})
    outcome, said = run(plan, tmp_path / "results", threads=2)
    assert (outcome.done, outcome.made, outcome.waiting) == (1, 1, [])
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
    assert (mended.done, mended.made, mended.failed) == (2, 1, [])
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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_table(tmp_path / "train.csv")


def of_file(path: Path, seed: int = 0) -> RunSpec:
    return spec(seed, data=str(path), ir=None)


def jobs_of(*paths: Path, seeds: int = 2):
    return [replace(job(seed), column=path.stem, spec=of_file(path, seed)) for seed in range(seeds) for path in paths]


def made(path: Path, seed: int = 0, code: str = CODE):
    data = prepare(of_file(path)).record.hash
    asked = of_file(path, seed)
    return record(spec=asked, data=data, code=code, key=run_key(asked, data, code))


def find(tmp_path: Path, jobs: list, said: list[str] | None = None, **options: bool) -> Sweep:
    said = [] if said is None else said
    return find_pending_runs(jobs, Store(tmp_path / "results"), CODE, say=said.append, **options)


def finish(tmp_path: Path, run) -> None:
    Store(tmp_path / "results").run(run.key).finish(run)


def test_what_is_finished_is_taken_off(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file, 1))
    found = find(tmp_path, jobs_of(file, seeds=3))
    assert found.total == 3
    assert (found.done, found.data) == (1, {made(file).data})
    assert [task.run.spec.seed for task in found.waiting] == [0, 2]
    assert [task.key for task in found.waiting] == [made(file, seed).key for seed in (0, 2)]
    assert Store(tmp_path / "results").data() == {made(file).data: prepare(of_file(file)).record}


def test_a_file_with_augmented_copies_is_not_judged_on_a_part_of_itself(tmp_path: Path, file: Path) -> None:
    texts = [(text, label) for text, label, *_ in list(csv.reader(file.open(encoding="utf-8")))[1:]]
    more = tmp_path / "more.csv"
    with more.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "label", "augmented_from_text"])
        writer.writerows([text, label, ""] for text, label in texts)
        writer.writerows([f"{text} indeed", label, text_mark(text)] for text, label in texts)
    with pytest.raises(DataError, match=r"more\.csv: some rows are augmented copies.*give test texts of their own"):
        find(tmp_path, jobs_of(more))
    # Beside other data it stops nothing, and with test texts of their own there is nothing to fear.
    found = find(tmp_path, jobs_of(file, more))
    assert [failed.label for failed in found.failed] == [f"more cross_entropy seed {seed}" for seed in (0, 1)]
    judged = [replace(one, spec=replace(one.spec, test=str(file))) for one in jobs_of(more)]
    assert len(find(tmp_path, judged).waiting) == 2


def test_rows_that_lack_something_are_told_of_and_listed(tmp_path: Path, file: Path) -> None:
    with file.open("a", encoding="utf-8") as stream:
        stream.write(",billing\nno label,\n")
    said: list[str] = []
    find(tmp_path, jobs_of(file), said)
    listed = tmp_path / "results" / "set_aside.csv"
    assert said == [
        f"{file}: 1 row has no text: row 66 (line 67); 1 row has no label: row 67 (line 68)",
        f"rows without a text or a label are listed in {listed}",
    ]
    assert listed.read_text().splitlines() == [
        "file,row,line,lacks", f"{file},66,67,text", f"{file},67,68,label",
    ]  # fmt: skip


def test_a_run_that_stands_twice_in_a_plan_is_made_once(tmp_path: Path, file: Path) -> None:
    twice = [replace(one, row=row) for one in jobs_of(file) for row in ("first", "second")]
    assert [task.label for task in find(tmp_path, twice).waiting] == ["train first seed 0", "train first seed 1"]
    assert find(tmp_path, twice).total == 2


def test_other_texts_are_other_runs(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file))
    assert not find(tmp_path, jobs_of(file, seeds=1)).waiting
    file.write_text(file.read_text() + "a word more,billing\n")
    assert len(find(tmp_path, jobs_of(file, seeds=1)).waiting) == 1


def test_runs_of_older_code_are_made_anew_unless_they_will_do(tmp_path: Path, file: Path) -> None:
    finish(tmp_path, made(file, code="o" * 64))
    assert len(find(tmp_path, jobs_of(file, seeds=1)).waiting) == 1
    assert find(tmp_path, jobs_of(file, seeds=1), any_code=True).done == 1


def test_failed_runs_wait_until_they_are_asked_for(tmp_path: Path, file: Path) -> None:
    run = made(file)
    folder = Store(tmp_path / "results").run(run.key)
    folder.fail(Failure(run.spec, run.data, CODE, "Traceback\nValueError: small\n"))
    found = find(tmp_path, jobs_of(file))
    assert [(run.label, run.sentence) for run in found.failed] == [("train cross_entropy seed 0", "ValueError: small")]
    assert Path(found.failed[0].where) == folder.path / "error.txt"
    assert [task.run.spec.seed for task in found.waiting] == [1]
    assert [task.run.spec.seed for task in find(tmp_path, jobs_of(file), retry_failed=True).waiting] == [0, 1]


def test_data_that_cannot_be_had_stop_nothing_else(tmp_path: Path, file: Path) -> None:
    said: list[str] = []
    found = find(tmp_path, jobs_of(tmp_path / "gone.csv", file), said)
    assert [task.label for task in found.waiting] == ["train cross_entropy seed 0", "train cross_entropy seed 1"]
    assert [run.label for run in found.failed] == ["gone cross_entropy seed 0", "gone cross_entropy seed 1"]
    assert len(said) == 1
    assert said[0].startswith("gone cannot be had, so its 2 runs are left out: ")


def test_without_any_data_there_is_nothing_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.csv"):
        find(tmp_path, jobs_of(tmp_path / "gone.csv"))


def test_finished_runs_of_a_benchmark_need_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sharprecl.experiments.sweep.prepare", lambda *_: pytest.fail("the data were read"))
    finish(tmp_path, record(0))
    assert find(tmp_path, [job(0)]).done == 1


def test_a_damaged_run_is_told_and_made_anew(tmp_path: Path, file: Path) -> None:
    run = made(file)
    finish(tmp_path, run)
    (Store(tmp_path / "results").run(run.key).path / "answers.json").write_text("")
    said: list[str] = []
    assert [task.key for task in find(tmp_path, jobs_of(file, seeds=1), said).waiting] == [run.key]
    assert "cannot be read" in said[0]


def test_the_order_is_that_of_the_jobs(tmp_path: Path, file: Path) -> None:
    other = write_table(tmp_path / "other.csv", seed=2)
    labels = [task.label for task in find(tmp_path, jobs_of(file, other)).waiting]
    assert labels == [f"{name} cross_entropy seed {seed}" for seed in (0, 1) for name in ("train", "other")]


def test_labels() -> None:
    assert job(2).label == "trec@50 cross_entropy seed 2"
    assert replace(job(0), row="mu", x=0.3).label == "trec@50 mu=0.3 seed 0"
    assert list(first_jobs([job(0), job(1), job(0)])) == [spec(0).hash, spec(1).hash]
