"""A worker's part in a run: the lock, the tables it keeps, what is printed, what goes wrong."""

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sharprecl.errors import AssetError, CheckpointError, OutputError
from sharprecl.experiments import attempt
from sharprecl.experiments.attempt import Attempts
from sharprecl.experiments.store import Store
from sharprecl.experiments.task import Outcome, Task
from sharprecl.runs.data import prepare
from sharprecl.runs.execute import Executed
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.spec import RunId, RunSpec, run_key
from sharprecl.training.history import Callback
from tiny_experiment import CODE, record, spec, write_table

SCORES = np.eye(4, 3, dtype=np.float32)
PLACE = {"workers": 1, "threads": 1, "hardware": "pretended"}


class Bench:
    """Runs that only pretend, and what they were called with."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, []
        self.then: Any = lambda: None
        self.attempts = Attempts(folder / "results", "cpu", PLACE, Callback())

    def execute(self, asked: RunSpec, prepared: Any, code: str, **options: Any) -> Executed:
        self.calls.append((asked, prepared, code, options))
        self.then()
        return Executed(record(spec=asked, data=prepared.record.hash), [{"kind": "step", "step": 1}], SCORES, None)

    def task(self, name: str = "train.csv", **changes: Any) -> Task:
        asked = spec(data=str(write_table(self.folder / name, seed=len(name))), ir=None)
        data = prepare(asked).record.hash
        return replace(Task("a run", run_key(asked, data, CODE), RunId(asked, data, CODE)), **changes)

    def run(self, task: Task) -> tuple[Outcome, RunFolder]:
        done = self.attempts.attempt(task)
        return done, Store(self.folder / "results").run(task.key)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.setattr(attempt, "execute", made.execute)
    return made


def test_a_run_is_made_and_written(bench: Bench) -> None:
    task = bench.task()
    done, folder = bench.run(task)
    assert done == "made"
    assert folder.record().spec == task.run.spec
    assert folder.history() == '{"kind": "step", "step": 1}\n'
    assert (folder.scores() == SCORES).all()
    ((asked, prepared, code, options),) = bench.calls
    assert (asked, code, prepared.record.hash) == (task.run.spec, CODE, task.run.data)
    assert (options["device"], options["place"], options["checkpoints"]) == ("cpu", PLACE, None)


def test_a_finished_run_is_not_made_again(bench: Bench) -> None:
    bench.run(bench.task())
    done, folder = bench.run(bench.task())
    assert done == "had"
    assert len(bench.calls) == 1
    assert not (folder.path / "run.lock").exists()


@pytest.mark.parametrize("fails", [False, True])
def test_a_damaged_run_is_made_anew(bench: Bench, fails: bool) -> None:
    def fail() -> None:
        raise ZeroDivisionError("this time")

    _, folder = bench.run(bench.task())
    (folder.path / "answers.json").write_text("")
    bench.then = fail if fails else lambda: None
    done, folder = bench.run(bench.task())
    assert done == ("failed" if fails else "made")
    assert len(bench.calls) == 2
    # The old figures must not make a failed run look finished.
    assert folder.state == ("failed" if fails else "finished")
    if not fails:
        assert folder.record().answers


def test_a_run_of_another_process_is_left_alone(bench: Bench) -> None:
    with Store(bench.folder / "results").run(bench.task().key).alone():
        assert bench.run(bench.task())[0] == "busy"
    assert not bench.calls


def test_checkpoints_lie_in_the_runs_folder_and_are_always_gone_on_with(bench: Bench) -> None:
    task = bench.task(checkpoints=True)
    folder = Store(bench.folder / "results").run(task.key)
    bench.run(task)
    assert bench.calls[0][3]["checkpoints"] == folder.path
    (folder.path / "metrics.json").unlink()
    (folder.path / "checkpoints" / "step-00000003").mkdir(parents=True)
    bench.run(replace(task, checkpoints=False))
    assert bench.calls[1][3]["checkpoints"] == folder.path


def test_a_fault_is_kept_with_its_traceback_and_a_sentence_as_such(bench: Bench) -> None:
    def fail() -> None:
        raise ZeroDivisionError("at step 3")

    bench.then = fail
    done, folder = bench.run(bench.task())
    assert done == "failed"
    assert folder.failure().text.startswith("Traceback (most recent call last):\n")
    assert folder.failure().sentence == "ZeroDivisionError: at step 3"

    def refuse() -> None:
        raise AssetError("there is no such encoder")

    bench.then = refuse
    done, folder = bench.run(bench.task("other.csv"))
    assert folder.failure().sentence == "there is no such encoder"
    assert "in refuse" in folder.failure().text


FULL = OSError(errno.ENOSPC, "full")


@pytest.mark.parametrize(
    ("error", "cause"),
    [(FULL, None), (CheckpointError("cannot write"), FULL), (CheckpointError("cannot write"), RuntimeError("PyTorch"))],
    ids=["file", "checkpoint", "PyTorch"],
)
def test_a_full_disk_fails_no_run(bench: Bench, error: Exception, cause: Exception | None) -> None:
    def fill() -> None:
        raise error from cause

    bench.then = fill
    with pytest.raises(OutputError, match=r"nothing more could be written to .*No space left.*same command again"):
        bench.run(bench.task())
    bench.then = lambda: None
    assert bench.run(bench.task())[0] == "made"


def test_a_checkpoint_of_another_run_is_no_full_disk(bench: Bench) -> None:
    def refuse() -> None:
        raise CheckpointError("the checkpoint belongs to a run with other settings")

    bench.then = refuse
    assert bench.run(bench.task())[0] == "failed"


def test_who_ends_the_worker_fails_no_run(bench: Bench) -> None:
    def leave() -> None:
        raise SystemExit(0)

    bench.then = leave
    with pytest.raises(SystemExit):
        bench.run(bench.task())
    folder = Store(bench.folder / "results").run(bench.task().key)
    assert folder.state == "begun"
    assert not folder.is_busy()


def test_what_is_printed_stays_out_of_the_way(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    def talk() -> None:
        print("from Python")
        os.write(2, b"from below\n")

    def talk_and_fail() -> None:
        talk()
        raise ValueError("no")

    bench.then = talk
    _, folder = bench.run(bench.task())
    assert not (folder.path / "output.txt").exists()
    bench.then = talk_and_fail
    _, folder = bench.run(bench.task("other.csv"))
    assert "from below\n" in (folder.path / "output.txt").read_text()
    print("afterwards")
    assert "from below" not in capfd.readouterr().err


def test_a_file_that_changes_meanwhile_fails_the_run(bench: Bench) -> None:
    task = bench.task()
    (bench.folder / "train.csv").write_text("text,label\none,a\ntwo,b\nthree,a\nfour,b\n")
    done, folder = bench.run(task)
    assert done == "failed"
    assert folder.failure().sentence.endswith("changed while the experiment ran; start it again")
    assert not bench.calls


def test_the_last_tables_are_kept(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(attempt, "prepare", lambda asked: read.append(Path(asked.data).name) or prepare(asked))
    tasks = {name: bench.task(name) for name in ("a.csv", "bb.csv", "ccc.csv")}
    for name in ("a.csv", "bb.csv", "a.csv", "ccc.csv", "a.csv", "bb.csv"):
        run = replace(tasks[name].run, spec=replace(tasks[name].run.spec, seed=len(bench.calls)))
        bench.run(replace(tasks[name], run=run, key=run_key(run.spec, run.data, run.code)))
    assert read == ["a.csv", "bb.csv", "ccc.csv", "bb.csv"]
