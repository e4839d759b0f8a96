"""A content-addressed store of texts in one SQLite file, which two processes may share and no damage can poison.

Whatever goes wrong with the file, the caller still gets right answers: a damaged entry is not there, a damaged file is
set aside and begun anew, and a folder that cannot be written is told once and then done without.
"""

import hashlib
import sqlite3
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Self, TypeVar

from filelock import FileLock

Result = TypeVar("Result")
_FILE = "augmented.sqlite3"
_BUSY_SECONDS = 60.0
_KEYS_A_QUERY = 500  # SQLite's oldest limit on parameters is 999
_CREATE = "CREATE TABLE IF NOT EXISTS texts_v1 (key BLOB PRIMARY KEY, text BLOB, checksum BLOB) WITHOUT ROWID"


class TextStore:
    """Texts by 32-byte key. Use it as a context manager; every ``put`` is one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / _FILE
        self._connection: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._do_without(error)
        else:
            self._guarded(lambda _: None, None, opening=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The texts that are stored whole under ``keys``."""
        found: dict[bytes, str] = {}
        nothing: list[tuple[bytes, bytes, bytes]] = []
        for start in range(0, len(keys), _KEYS_A_QUERY):
            some = keys[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, text, checksum FROM texts_v1 WHERE key IN ({marks})"
            for key, text, checksum in self._guarded(lambda c: c.execute(query, some).fetchall(), nothing):  # noqa: B023
                if isinstance(text, bytes) and checksum == _checksum(key, text):
                    found[key] = text.decode("utf-8", "surrogatepass")
        return found

    def put(self, texts: dict[bytes, str]) -> None:
        """Store all of ``texts`` or, if the process dies, none of them."""
        rows = []
        for key, text in texts.items():
            encoded = text.encode("utf-8", "surrogatepass")
            rows.append((key, encoded, _checksum(key, encoded)))

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany("INSERT OR REPLACE INTO texts_v1 VALUES (?, ?, ?)", rows)

        self._guarded(write, None)

    def _guarded(
        self, action: Callable[[sqlite3.Connection], Result], without: Result, opening: bool = False
    ) -> Result:
        """Run ``action``; on a damaged file once more on a new one; where nothing can be stored give ``without``."""
        if self._connection is None and not opening:
            return without
        rebuilt = False
        while True:
            try:
                if self._connection is None:
                    self._connection = self._open()
                return action(self._connection)
            except (sqlite3.OperationalError, OSError) as error:  # read-only, full, locked for too long, no such folder
                self._do_without(error)
                return without
            except sqlite3.DatabaseError as error:  # "malformed", "not a database"
                self._close()
                if rebuilt or not self._set_aside():
                    self._do_without(error)
                    return without
                rebuilt = True

    def _open(self) -> sqlite3.Connection:
        # Under the lock: a file made while another process sets the damaged one aside would lose its journal to it.
        with self._lock():
            return self._connect()

    def _lock(self) -> FileLock:
        return FileLock(self.folder / f"{_FILE}.lock", timeout=_BUSY_SECONDS)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        # Damage may turn bytes into "text", which sqlite3 would refuse to decode: the checksum judges bytes.
        connection.text_factory = bytes
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            with connection:
                connection.execute(_CREATE)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self) -> bool:
        """Give a damaged file another name, unless another process did so meanwhile. False if that cannot be done."""
        try:
            with self._lock():
                if not self._is_damaged():
                    return True
                aside = self._path.with_name(f"{_FILE}.damaged-{time.time_ns()}")
                self._path.rename(aside)
                for ending in ("-wal", "-shm"):
                    with suppress(FileNotFoundError):
                        self._path.with_name(_FILE + ending).unlink()
        except OSError:  # FileLock's Timeout is one too
            return False
        warnings.warn(
            f"the cache of augmented texts {self._path} is damaged, perhaps by a full disk or a crash; it was set "
            f"aside as {aside.name} and is built anew",
            stacklevel=2,
        )
        return True

    def _is_damaged(self) -> bool:
        try:
            with closing(sqlite3.connect(self._path, timeout=_BUSY_SECONDS)) as connection:
                return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",))
        except sqlite3.DatabaseError:
            return True

    def _do_without(self, error: Exception) -> None:
        self._close()
        cause = getattr(error, "strerror", None) or error
        warnings.warn(
            f"augmented texts cannot be cached in {self.folder} ({cause}); they are computed without a cache, so give "
            "a folder that can be written to save that time in the next run",
            stacklevel=2,
        )

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None


def _checksum(key: bytes, text: bytes) -> bytes:
    return hashlib.sha256(key + text).digest()[:16]
