"""The index says what the folders say, whatever happened to it."""

import os
import sqlite3
from pathlib import Path

import pytest

from sharprecl.experiments import index
from sharprecl.experiments.index import read_folders, read_indexed
from sharprecl.experiments.store import Store
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.record import Failure
from sharprecl.runs.spec import RunId
from tiny_experiment import CODE, DATA, record, spec


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path)
    for seed in range(3):
        store.run(record(seed).key).finish(record(seed))
    store.run(record(7).key).fail(Failure(spec(7), DATA.hash, CODE, "Traceback\nValueError: seven"))
    store.run(record(8).key).begin(RunId(spec(8), DATA.hash, CODE))
    return store


def read(store: Store) -> index.Found:
    found = read_indexed(store.folder / "index.sqlite3", store.runs())
    assert found == read_folders(store.runs())
    return found


def test_it_holds_what_the_folders_hold(store: Store) -> None:
    for _ in range(2):
        found = read(store)
        assert found.finished == {record(seed).key: record(seed) for seed in range(3)}
        assert [failure.sentence for failure in found.failed.values()] == ["ValueError: seven"]
        assert not found.damaged


def test_what_has_not_changed_is_not_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    read(store)
    asked = []
    one = store.run(record(1).key)
    monkeypatch.setattr(RunFolder, "record", lambda folder: asked.append(folder.key) or record(1, seconds=7.0))
    answers = one.path / "answers.json"
    answers.write_text(answers.read_text() + " ")
    found = read_indexed(store.folder / "index.sqlite3", store.runs())
    assert asked == [one.key]
    assert found.finished[one.key].seconds == 7.0


def test_runs_that_are_gone_leave_it(store: Store) -> None:
    read(store)
    for path in store.run(record(1).key).path.iterdir():
        path.unlink()
    store.run(record(1).key).path.rmdir()
    assert record(1).key not in read(store).finished
    with sqlite3.connect(store.folder / "index.sqlite3") as connection:
        keys = {key for (key,) in connection.execute("SELECT key FROM runs")}
    assert keys == {record(seed).key for seed in (0, 2, 7, 8)}


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\7" * 4096])
def test_a_damaged_one_is_made_anew(store: Store, damage: bytes) -> None:
    path = store.folder / "index.sqlite3"
    read(store)
    path.write_bytes(damage)
    assert len(read(store).finished) == 3
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (5,)


def test_a_damaged_row_is_made_anew(store: Store) -> None:
    read(store)
    with sqlite3.connect(store.folder / "index.sqlite3") as connection:
        connection.execute("UPDATE runs SET record = '{' WHERE state = 'finished'")
    assert len(read(store).finished) == 3


def test_another_versions_is_made_anew(store: Store) -> None:
    with sqlite3.connect(store.folder / "index.sqlite3") as connection:
        connection.execute("CREATE TABLE runs (something)")
        connection.execute("PRAGMA user_version = 99")
    assert len(read(store).finished) == 3


def test_it_is_done_without_where_it_cannot_be_written(store: Store) -> None:
    (store.folder / "index.sqlite3").mkdir()
    assert len(read(store).finished) == 3


def test_a_damaged_run_is_told_and_hides_no_other(store: Store) -> None:
    broken = store.run(record(1).key)
    (broken.path / "metrics.json").write_text("{")
    for _ in range(2):
        found = read(store)
        assert list(found.damaged) == [broken.key]
        assert set(found.finished) == {record(0).key, record(2).key}
    os.replace(store.run(record(0).key).path / "metrics.json", broken.path / "metrics.json")
    assert broken.key in read(store).finished


def test_people_can_ask_it(store: Store) -> None:
    read(store)
    with sqlite3.connect(store.folder / "index.sqlite3") as connection:
        query = "SELECT data, ir, method, avg(accuracy), count(*) FROM runs WHERE state = 'finished' GROUP BY 1, 2, 3"
        assert connection.execute(query).fetchall() == [("trec", 50.0, "cross_entropy", 0.75, 3)]
