"""``index.sqlite3``: the runs of a store at a glance, made from their folders and from nothing else.

It saves the reading of thousands of small files, and answers questions of a person's own:

    sqlite3 results/index.sqlite3 "SELECT method, count(*), sum(seconds) FROM runs GROUP BY method"

A run whose files have changed since is read again. An index that is missing or damaged is made anew; one that cannot be
written is done without.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sharprecl.errors import DataError
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.record import Failure, RunRecord

_BUSY_SECONDS = 60.0
_VERSION = 1  # of the columns; another one's index is made anew
_COLUMNS = (
    "key", "stamp", "state", "data", "ir", "method", "seed", "accuracy", "macro_f1", "balanced_accuracy", "seconds",
    "started", "record",
)  # fmt: skip
_CREATE = f"CREATE TABLE runs ({', '.join(_COLUMNS)}, PRIMARY KEY (key))"
_ALL = "SELECT key, stamp, state, record FROM runs"
_PUT = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * len(_COLUMNS))})"


_Value = RunRecord | Failure | str


@dataclass
class Found:
    """The runs of a store, by key, in the order of their keys.

    Attributes:
        damaged: sentences about the folders that cannot be read.
    """

    finished: dict[str, RunRecord] = field(default_factory=dict)
    failed: dict[str, Failure] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)


def read_indexed(path: Path, folders: Iterable[RunFolder]) -> Found:
    """Read all runs that are finished or failed, those that have not changed from the index.

    Args:
        path: the index's file.
        folders: of all runs.
    """
    every = sorted(folders, key=lambda folder: folder.key)
    for _ in range(2):
        try:
            return _read(path, every)
        except (sqlite3.OperationalError, OSError):  # read-only, full, or locked for too long
            break
        except (sqlite3.DatabaseError, ValueError, TypeError, KeyError):  # damaged, or another version's
            # A journal belongs to the file that it lay beside.
            for name in (path.name, f"{path.name}-journal"):
                with suppress(OSError):
                    path.with_name(name).unlink()
    return read_folders(every)


def read_folders(folders: Iterable[RunFolder]) -> Found:
    """The same from the folders alone."""
    found = Found()
    for folder in sorted(folders, key=lambda folder: folder.key):
        _sort_in(found, folder.key, *_value(folder))
    return found


def _read(path: Path, folders: list[RunFolder]) -> Found:
    found = Found()
    with _opened(path) as connection:
        known = {key: (stamp, state, text) for key, stamp, state, text in connection.execute(_ALL)}
        for folder in folders:
            stamp = folder.stamp
            old = known.pop(folder.key, None)
            if old is not None and old[0] == stamp:
                state, value = old[1], _from_text(old[1], old[2])
            else:
                state, value = _value(folder)
                connection.execute(_PUT, (folder.key, stamp, state, *_row(value)))
            _sort_in(found, folder.key, state, value)
        connection.executemany("DELETE FROM runs WHERE key = ?", [(key,) for key in known])
    return found


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The index in one transaction, with its table."""
    with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise ValueError(f"an index of version {version}")
        if version == 0:
            connection.execute(_CREATE)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        yield connection


def _value(folder: RunFolder) -> tuple[str, _Value]:
    state = folder.state
    try:
        if state == "finished":
            return state, folder.record()
        return (state, folder.failure()) if state == "failed" else (state, "")
    except DataError as error:
        return "damaged", str(error)


def _sort_in(found: Found, key: str, state: str, value: _Value) -> None:
    if isinstance(value, RunRecord):
        found.finished[key] = value
    elif isinstance(value, Failure):
        found.failed[key] = value
    elif state == "damaged":
        found.damaged[key] = value


def _row(value: _Value) -> tuple[Any, ...]:
    """All columns behind key, stamp and state."""
    if isinstance(value, str):
        return (*[None] * (len(_COLUMNS) - 4), json.dumps(value))
    spec = value.spec
    about = spec.data, spec.ir, spec.settings.get("method", {}).get("name"), spec.seed
    if isinstance(value, Failure):
        return (*about, None, None, None, None, None, json.dumps(value.to_json()))
    figures = [value.metrics.get(name) for name in ("accuracy", "macro_f1", "balanced_accuracy")]
    return (*about, *figures, value.seconds, value.environment.get("started"), json.dumps(value.to_json()))


def _from_text(state: str, text: str) -> _Value:
    values = json.loads(text)
    kinds: dict[str, type[RunRecord] | type[Failure]] = {"finished": RunRecord, "failed": Failure}
    kind = kinds.get(state)
    return str(values) if kind is None else kind.from_json(values)
