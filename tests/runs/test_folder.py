"""A run's folder: whole or not there."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from sharprecl.errors import DataError
from sharprecl.runs import folder as folder_module
from sharprecl.runs.folder import BusyError, RunFolder
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import RunId
from tiny_experiment import CODE, DATA, record, spec


def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / record().key)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    run, made = folder(tmp_path), record(metrics={"accuracy": 0.1 + 0.2, "macro_f1": 1 / 3, "tail": None})
    features = np.arange(8, dtype=np.float16).reshape(4, 2) / 3
    scores = np.linspace(-3, 3, 12, dtype=np.float32).reshape(4, 3)
    run.finish(made, '{"kind": "step"}\n', features, scores)
    assert run.state == "finished"
    assert run.record() == made
    assert run.history() == '{"kind": "step"}\n'
    read = run.features()
    assert read is not None
    assert read.dtype == np.float16
    assert (read == features).all()
    kept = run.scores()
    assert kept is not None
    assert kept.dtype == np.float32
    assert (kept == scores).all()
    assert yaml.safe_load((run.path / "config.yaml").read_text()) == made.config


def test_figures_are_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, write = folder(tmp_path), folder_module.write_json

    def write_all_but_figures(path: Path, value: object) -> None:
        if path.name == "metrics.json":
            raise OSError("the power went")
        write(path, value)

    monkeypatch.setattr(folder_module, "write_json", write_all_but_figures)
    with pytest.raises(OSError, match="the power went"):
        run.finish(record(), "history", np.zeros((4, 2), np.float16))
    assert run.state == "begun"
    names = {path.name for path in run.path.iterdir()}
    assert names == {"spec.json", "config.yaml", "environment.json", "history.jsonl", "answers.json", "features.npz"}


def test_equal_runs_write_equal_bytes_but_for_the_environment(tmp_path: Path) -> None:
    first, second = RunFolder(tmp_path / "1"), RunFolder(tmp_path / "2")
    first.finish(record(), "history", np.ones((4, 2), np.float16), np.ones((4, 3), np.float32))
    second.finish(
        record(seconds=9.0, environment={"workers": 8}),
        "history",
        np.ones((4, 2), np.float16),
        np.ones((4, 3), np.float32),
    )
    for path in first.path.iterdir():
        same = path.read_bytes() == (second.path / path.name).read_bytes()
        assert same == (path.name != "environment.json"), path.name


def test_a_failure_is_kept_and_forgotten_when_the_run_begins_again(tmp_path: Path) -> None:
    run = folder(tmp_path)
    failure = Failure(spec(), DATA.hash, CODE, "Traceback\nValueError: far too small\n\n")
    run.fail(failure)
    assert run.state == "failed"
    assert run.failure() == failure
    assert failure.sentence == "ValueError: far too small"
    run.begin(RunId(spec(), DATA.hash, CODE))
    assert run.state == "begun"
    assert run.identity() == RunId(spec(), DATA.hash, CODE)


def test_a_finished_run_is_tidied(tmp_path: Path) -> None:
    run = folder(tmp_path)
    (run.path / "checkpoints" / "step-00000001").mkdir(parents=True)
    (run.path / "output.txt").write_text("a warning")
    run.finish(record())
    assert run.scores() is None
    assert not (run.path / "checkpoints").exists()
    assert not (run.path / "output.txt").exists()


def test_two_cannot_work_on_one_run(tmp_path: Path) -> None:
    run = folder(tmp_path)
    with run.alone():
        assert run.is_busy()
        with pytest.raises(BusyError), RunFolder(run.path).alone():
            raise AssertionError
        assert run.is_busy()
    assert not run.is_busy()
    with run.alone():
        pass


@pytest.mark.parametrize("name", ["spec.json", "config.yaml", "environment.json", "answers.json", "metrics.json"])
@pytest.mark.parametrize("damage", ["", "{", "[1"])
def test_damage_is_told_with_the_folder(tmp_path: Path, name: str, damage: str) -> None:
    run = folder(tmp_path)
    run.finish(record())
    (run.path / name).write_text(damage)
    with pytest.raises(DataError, match=f"{run.key} cannot be read"):
        run.record()


def test_the_stamp_follows_every_file_of_the_record(tmp_path: Path) -> None:
    run = folder(tmp_path)
    run.finish(record())
    for name in ("spec.json", "config.yaml", "environment.json", "answers.json", "metrics.json"):
        before = run.stamp
        (run.path / name).write_text((run.path / name).read_text() + " ")
        assert run.stamp != before
