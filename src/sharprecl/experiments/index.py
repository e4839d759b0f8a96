"""``index.sqlite3``: the runs of a store at a glance, made from their folders and from nothing else.

It saves the reading of thousands of small files, and answers questions of a person's own:

    sqlite3 results/index.sqlite3 "SELECT method, count(*), sum(seconds) FROM runs GROUP BY method"

A run whose files have changed since is read again. An index that is missing or damaged is made anew; one that cannot be
written is done without.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
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
_PUT = f"INSERT OR REPLACE INTO runs VALUES ({', '.join('?' * len(_COLUMNS))})"


@dataclass
class Found:
    """The runs of a store, by key, in the order of their keys.

    Attributes:
        damaged: sentences about the folders that cannot be read.
    """

    finished: dict[str, RunRecord] = field(default_factory=dict)
    failed: dict[str, Failure] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)

    def add(self, key: str, value: RunRecord | Failure | str) -> None:
        """Take a run's record, a failure, what is wrong with a folder, or nothing of a run without an end."""
        if isinstance(value, RunRecord):
            self.finished[key] = value
        elif isinstance(value, Failure):
            self.failed[key] = value
        elif value:
            self.damaged[key] = value


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
        found.add(folder.key, _value(folder))
    return found


def _read(path: Path, folders: list[RunFolder]) -> Found:
    """In one transaction."""
    found = Found()
    with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as connection, connection:
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise ValueError(f"an index of version {version}")
        if version == 0:
            connection.execute(_CREATE)
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        rows = connection.execute("SELECT key, stamp, state, record FROM runs")
        known = {key: (stamp, state, text) for key, stamp, state, text in rows}
        for folder in folders:
            stamp = folder.stamp
            was, state, text = known.pop(folder.key, (None, "", ""))
            if was == stamp:
                value = _from_text(state, text)
            else:
                value = _value(folder)
                connection.execute(_PUT, _row(folder, stamp, value))
            found.add(folder.key, value)
        connection.executemany("DELETE FROM runs WHERE key = ?", [(key,) for key in known])
    return found


def _value(folder: RunFolder) -> RunRecord | Failure | str:
    """What ``Found.add`` takes."""
    try:
        if folder.state == "finished":
            return folder.record()
        return folder.failure() if folder.state == "failed" else ""
    except DataError as error:
        return str(error)


def _row(folder: RunFolder, stamp: str, value: RunRecord | Failure | str) -> tuple[Any, ...]:
    if isinstance(value, str):
        state = "damaged" if value else folder.state
        return (folder.key, stamp, state, *[None] * (len(_COLUMNS) - 4), json.dumps(value))
    spec = value.spec
    about = spec.data, spec.ir, spec.settings.get("method", {}).get("name"), spec.seed
    record = json.dumps(value.to_json())
    if isinstance(value, Failure):
        return (folder.key, stamp, "failed", *about, None, None, None, None, None, record)
    figures = [value.metrics.get(name) for name in ("accuracy", "macro_f1", "balanced_accuracy")]
    return (folder.key, stamp, "finished", *about, *figures, value.seconds, value.environment.get("started"), record)


def _from_text(state: str, text: str) -> RunRecord | Failure | str:
    values = json.loads(text)
    if state == "finished":
        return RunRecord.from_json(values)
    return Failure.from_json(values) if state == "failed" else str(values)
