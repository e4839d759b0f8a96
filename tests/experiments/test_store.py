"""The store: runs by key, data by hash, and the records that tables are made of."""

from pathlib import Path

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.exchange import export
from sharprecl.experiments.store import Store, load_records
from tiny_experiment import DATA, record, spec


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "results")
    store.add_data(DATA)
    store.run(record(0).key).finish(record(0), "history\n", np.ones((4, 2), np.float16))
    store.run(record(1).key).finish(record(1))
    return store


def test_runs_lie_by_the_first_two_letters_of_their_key(store: Store) -> None:
    key = record(0).key
    assert store.run(key).path == store.folder / "runs" / key[:2] / key
    assert {run.key for run in store.runs()} == {record(0).key, record(1).key}


def test_what_is_kept_is_found(store: Store) -> None:
    assert store.finished() == {record(seed).key: record(seed) for seed in (0, 1)}
    assert store.data() == {DATA.hash: DATA}
    assert store.failed() == {}


def test_an_empty_store_is_none(tmp_path: Path) -> None:
    nowhere = Store(tmp_path / "nowhere")
    assert nowhere.finished() == nowhere.data() == {}
    assert not nowhere.folder.exists()


def test_records_are_the_same_from_the_folder_and_from_a_file(store: Store, tmp_path: Path) -> None:
    export(store, tmp_path / "runs.jsonl")
    for records in (load_records(store.folder), load_records(tmp_path / "runs.jsonl")):
        assert records.runs == store.finished()
        assert records.data == store.data()
        assert list(records.features) == [record(0).key]
        assert records.features[record(0).key].tolist() == np.ones((4, 2)).tolist()


def test_records_are_read_past_the_index(store: Store) -> None:
    store.finished()
    (store.folder / "index.sqlite3").write_bytes(b"forged")
    assert len(load_records(store.folder).runs) == 2
    assert (store.folder / "index.sqlite3").read_bytes() == b"forged"


def test_of_several_runs_the_newest_is_found() -> None:
    first, second = record(0), record(0, code="e" * 64)
    second.environment["started"] = "2026-02-01T00:00:00Z"
    for runs in ((first, second), (second, first)):
        records = Records({run.key: run for run in runs}, {})
        assert records.find(spec(0)) == second
    assert Records({}, {}).find(spec(0)) is None


def test_what_cannot_be_read_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no runs"):
        load_records(tmp_path / "elsewhere")
    (store.folder / "data" / f"{DATA.hash}.json").write_text("{}")
    with pytest.raises(DataError, match="run the plan again"):
        store.data()
    (store.run(record(0).key).path / "answers.json").write_text("")
    with pytest.raises(DataError, match="cannot be read"):
        load_records(store.folder)
