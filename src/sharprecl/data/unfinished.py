"""An output that is written block by block, and continued where it was cut off."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from sharprecl.data.messages import plural
from sharprecl.data.row_format import RowFormat
from sharprecl.data.writers import cannot_write
from sharprecl.errors import ConfigError
from sharprecl.files import sync, write_json


class Unfinished:
    """The part of an output, under another name, with a note beside it that says what it is and how far it goes.

    Killed at any moment, it leaves the output as it was, and blocks that were appended are not lost.

    Attributes:
        rows: how many are in the part.
    """

    def __init__(self, output: Path) -> None:
        self.output, self.rows = output, 0
        self.part, self._note = output.with_name(f"{output.name}.part"), output.with_name(f"{output.name}.part.json")
        self._stream: BinaryIO | None = None
        self._lock = FileLock(output.with_name(f"{output.name}.part.lock"), timeout=0)

    def check(self, *, resume: bool, overwrite: bool) -> None:
        """Refuse to throw away what an earlier command left, unasked.

        Raises:
            ConfigError: there is something, and nobody said whether to go on with it.
        """
        found = self._read()
        if found and found.get("rows") and not (resume or overwrite):
            rows = plural(found["rows"], "row", "rows")
            raise ConfigError(
                f"{self.part} holds the first {rows} of a command that was cut off; add --resume to go on with it, or "
                "--overwrite to begin anew"
            )

    def open(self, what: dict[str, str], *, resume: bool) -> bool:
        """Go on with a part that was made of the same things, or begin one.

        Args:
            what: hashes of what the output depends on, by what sentences call it.
            resume: whether to go on.

        Returns:
            Whether there was something to go on with.

        Raises:
            ConfigError: the part was made of other things, or another command writes it.
            DataError: the place cannot be written.
        """
        self._what = what
        hold(self._lock, self.part, f"{self.part}")
        found = self._read() if resume else None
        if found:
            check_made_of(what, found.get("of", {}), self.part)
        try:
            if not found:
                # A note of another part must not be taken for one of this.
                self.discard()
            self._stream = self.part.open("r+b" if found else "wb")
            if found:
                self.rows = found["rows"]
                self._stream.truncate(found["bytes"])
                self._stream.seek(0, os.SEEK_END)
        except OSError as error:
            raise cannot_write(self.part, error) from error
        return bool(found)

    def append(self, data: bytes, rows: int) -> None:
        """Write a block behind the others, up to row ``rows``.

        Raises:
            DataError: there is no room.
        """
        assert self._stream is not None
        try:
            self._stream.write(data)
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self.rows = rows
            write_json(self._note, {"of": self._what, "rows": rows, "bytes": self._stream.tell()})
        except OSError as error:
            raise cannot_write(self.part, error, "make room, then run the same command with --resume") from error

    def finish(self, form: RowFormat) -> None:
        """Make the output of the whole part.

        Raises:
            DataError: there is no room, or values that such a file cannot hold together.
        """
        assert self._stream is not None
        self._stream.close()
        try:
            made = form.finish(self.part)
            sync(made)
            made.replace(self.output)
            sync(self.output.parent)
            self.discard()
        except OSError as error:
            raise cannot_write(self.output, error, "make room, then run the same command with --resume") from error

    def close(self, *, keep: bool = True) -> None:
        """Leave the part to be continued, if it has a row and is to be kept."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
            if not (self.rows and keep):
                self.discard()
        if self._lock.is_locked:
            Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release()

    def discard(self) -> None:
        """Take the part away."""
        for path in (self.part, self._note):
            with suppress(FileNotFoundError):
                path.unlink()

    def _read(self) -> dict[str, Any] | None:
        """What the note says of a part that is there."""
        try:
            found = json.loads(self._note.read_text(encoding="utf-8"))
            usable = self.part.stat().st_size >= found["bytes"] and found["rows"] > 0
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return found if usable else None


def hold(lock: FileLock, place: Path, named: str) -> None:
    """Keep other commands away from an output, whose folder is made.

    Args:
        place: the output.
        named: how the sentence calls it.

    Raises:
        ConfigError: another one is there.
        OutputError: the place cannot be written.
    """
    try:
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise ConfigError(f"another command is writing {named}; wait for it, or name another --output") from error
    except OSError as error:
        raise cannot_write(place, error) from error


def check_made_of(wanted: Mapping[str, str], found: Mapping[str, str], place: Path) -> None:
    """Refuse to go on with what was made of other things.

    Args:
        wanted: hashes of what an output depends on, by what sentences call it.
        found: those of what is there.

    Raises:
        ConfigError: they differ.
    """
    if other := [name for name, value in wanted.items() if found.get(name) != value]:
        raise ConfigError(
            f"{place} was made with other {' and '.join(other)}, and cannot go on with these; leave --resume "
            "out and add --overwrite to begin anew"
        )
