"""Runs through a file into another store."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.experiments.exchange import Merged, export, merge
from sharprecl.experiments.exported import read_exported
from sharprecl.experiments.store import Store
from sharprecl.runs.record import Failure
from tiny_experiment import CODE, DATA, record, spec


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "results")
    store.add_data(DATA)
    for seed in range(3):
        store.run(record(seed).key).finish(record(seed), f"history {seed}\n")
    store.run(record(7).key).fail(Failure(spec(7), DATA.hash, CODE, "Traceback\nValueError: seven\n"))
    return store


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.jsonl.gz"])
def test_a_whole_store_moves(store: Store, tmp_path: Path, name: str) -> None:
    features = np.linspace(-1, 1, 8, dtype=np.float16).reshape(4, 2)
    scores = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    store.run(record(0).key).finish(record(0), "history 0\n", features, scores)
    export(store, tmp_path / name, full=True)
    there = Store(tmp_path / "there")
    assert merge(tmp_path / name, there) == Merged(new=3, known=0, differing=0, busy=0)
    assert there.finished() == store.finished()
    assert there.failed() == store.failed()
    assert there.data() == store.data()
    for seed in range(3):
        assert there.run(record(seed).key).history() == f"history {seed}\n"
    read = there.run(record(0).key).features()
    assert read is not None
    assert read.tolist() == features.tolist()
    read = there.run(record(0).key).scores()
    assert read is not None
    assert (read.dtype, read.tolist()) == (scores.dtype, scores.tolist())
    assert there.run(record(1).key).scores() is None
    assert merge(tmp_path / name, there) == Merged(new=0, known=3, differing=0, busy=0)


def test_equal_stores_give_equal_bytes(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "here.jsonl.gz", full=True)
    merge(tmp_path / "here.jsonl.gz", there := Store(tmp_path / "there"))
    export(there, tmp_path / "there.jsonl.gz", full=True)
    assert (tmp_path / "here.jsonl.gz").read_bytes() == (tmp_path / "there.jsonl.gz").read_bytes()
    # Not even the time of the compression, which gzip would note here.
    assert (tmp_path / "here.jsonl.gz").read_bytes()[4:8] == bytes(4)
    export(there, tmp_path / "there.jsonl", full=True)
    assert gzip.decompress((tmp_path / "there.jsonl.gz").read_bytes()) == (tmp_path / "there.jsonl").read_bytes()


def test_each_line_is_a_record(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "runs.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["data", "run", "run", "run"]
    assert {line["key"] for line in lines[1:]} == {record(seed).key for seed in range(3)}


def test_only_the_newest_run_of_the_specs_that_were_asked_for(store: Store, tmp_path: Path) -> None:
    newer = record(1, code="e" * 64, answers=(0, 0, 0, 0))
    newer.environment["started"] = "2026-03-01T00:00:00Z"
    store.run(newer.key).finish(newer)
    written = export(store, tmp_path / "runs.jsonl", [spec(1), spec(2), spec(9)], full=True)
    assert set(written.runs) == {newer.key, record(2).key}
    assert written.failures == {}
    assert set(export(store, tmp_path / "all.jsonl").runs) == {newer.key, *(record(seed).key for seed in range(3))}


def test_a_finished_run_stays_and_a_failed_one_is_replaced(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "runs.jsonl", full=True)
    there = Store(tmp_path / "there")
    there.run(record(0).key).finish(record(0, answers=(2, 2, 2, 2)))
    there.run(record(1).key).fail(Failure(spec(1), DATA.hash, CODE, "of no use"))
    there.run(record(7).key).finish(record(7))
    with there.run(record(2).key).alone():
        assert merge(tmp_path / "runs.jsonl", there) == Merged(new=1, known=1, differing=1, busy=1)
    assert there.finished()[record(0).key].answers == (2, 2, 2, 2)
    assert there.finished()[record(1).key] == record(1)
    assert there.failed() == {}


def test_runs_without_their_data_are_refused(store: Store, tmp_path: Path) -> None:
    (store.folder / "data" / f"{DATA.hash}.json").unlink()
    with pytest.raises(DataError, match="run its plan again"):
        export(store, tmp_path / "runs.jsonl")
    assert not (tmp_path / "runs.jsonl").exists()


def test_a_file_is_not_replaced_by_fewer_runs_unasked(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    export(store, path)
    kept = path.read_bytes()
    export(store, path)
    with pytest.raises(DataError, match=r"runs\.jsonl holds 2 runs that would be lost; .* --overwrite"):
        export(store, path, [spec(1)])
    with pytest.raises(DataError, match="holds no finished runs to export"):
        export(Store(tmp_path / "mistyped"), path)
    with pytest.raises(DataError, match="holds no finished runs of these plans"):
        export(store, path, [spec(9)])
    assert path.read_bytes() == kept
    export(store, path, [spec(1)], overwrite=True)
    assert set(read_exported(path).runs) == {record(1).key}

    other = tmp_path / "notes.jsonl"
    other.write_text("mine\n")
    with pytest.raises(DataError, match="holds no runs"):
        export(store, other)
    assert other.read_text() == "mine\n"


@pytest.mark.parametrize(
    "line", ["{", "[]", "{}", '{"kind": "cake"}', '{"kind": "run", "key": "x"}', '{"kind": "data"}']
)
def test_what_is_no_export_is_refused_with_its_line(store: Store, tmp_path: Path, line: str) -> None:
    path = tmp_path / "runs.jsonl"
    export(store, path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DataError, match=r"runs\.jsonl, line 5: not what 'sharprecl experiment export' writes"):
        merge(path, Store(tmp_path / "there"))
    assert not (tmp_path / "there").exists()


def test_names_that_are_not_what_they_name_are_refused(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "runs.jsonl")
    data, *runs = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = json.loads(runs[0]), json.loads(runs[1])

    def refused(*lines: str) -> str:
        (tmp_path / "bad.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        with pytest.raises(DataError) as raised:
            merge(tmp_path / "bad.jsonl", Store(tmp_path / "there"))
        assert not (tmp_path / "there").exists()
        return str(raised.value)

    assert "stands twice" in refused(data, runs[0], runs[0])
    assert "is not of the settings" in refused(data, json.dumps({**first, "key": second["key"]}))
    assert "is not of the settings" in refused(data, json.dumps({**first, "spec": second["spec"]}))
    for name in ("../outside", "/tmp/outside", ""):
        assert "is no name of a run" in refused(data, json.dumps({**first, "key": name}))
        assert "is no name of a run" in refused(json.dumps({**json.loads(data), "hash": name}))


def test_a_broken_archive_is_refused(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.gz"
    export(store, path)
    whole = path.read_bytes()
    for broken in (whole[:-20], whole[:30] + bytes(20) + whole[50:]):
        path.write_bytes(broken)
        with pytest.raises(DataError, match="export it again"):
            read_exported(path)
    with pytest.raises(DataError, match="export it again"):
        read_exported(tmp_path / "nothing.jsonl")


def test_a_folder_of_runs_in_place_of_a_file_is_told_how_to_become_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder; write its runs to a file: 'sharprecl experiment export"):
        read_exported(tmp_path)


def test_a_run_that_cannot_be_read_is_not_passed_over(store: Store, tmp_path: Path) -> None:
    (store.run(record(1).key).path / "answers.json").write_text("[")
    with pytest.raises(DataError, match="cannot be read"):
        export(store, tmp_path / "runs.jsonl")


def test_replaced_records_survive_the_way(tmp_path: Path) -> None:
    store = Store(tmp_path / "results")
    store.add_data(DATA)
    odd = replace(record(4, answers=(-1, 0, 1, -1)), notes=("line\nbreak\u2028",))
    store.run(odd.key).finish(odd)
    export(store, tmp_path / "runs.jsonl")
    assert read_exported(tmp_path / "runs.jsonl").runs == {odd.key: odd}
