"""Which shards of a folder of outputs are finished: what was cut off goes on with the others."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock

from sharprecl.data.messages import plural
from sharprecl.data.unfinished import check_made_of, hold
from sharprecl.data.writers import cannot_write
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import sha256_file, write_text

FILE = "_shards.record"
"""The record in the folder: lines of JSON, under a name that no pattern for tables fits."""


class FinishedShards:
    """The record: a line that says of what all is made, one for each shard that was begun, one when it is finished.

    Lines are only appended, so it costs the same for the last of ten thousand shards as for the first. The last line of
    a shard counts; one that a kill cut off does not.

    Attributes:
        replaces: whether files that lie where a shard is to be written may be replaced.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.replaces = folder, False
        self._lines: dict[str, dict[str, Any]] = {}
        self._stream: BinaryIO | None = None
        self._lock = FileLock(folder / "_shards.lock", timeout=0)

    def check(self, *, resume: bool, overwrite: bool) -> None:
        """Refuse to throw away what an earlier command left, unasked.

        Raises:
            ConfigError: there is something, and nobody said whether to go on with it.
        """
        if (found := self._read()) and not (resume or overwrite):
            done = plural(sum("sha256" in line for line in found.values()), "finished shard", "finished shards")
            raise ConfigError(
                f"{self.folder} holds {done} of an earlier command; add --resume to go on with it, or --overwrite to "
                "begin anew"
            )

    def open(self, of: Mapping[str, str], *, resume: bool, overwrite: bool) -> int:
        """Go on with a record of outputs that are made of the same things, or begin one.

        Args:
            of: hashes of what all outputs depend on, by what sentences call it.
            resume: whether to go on.
            overwrite: whether files in the way may be replaced.

        Returns:
            How many shards are said to be finished.

        Raises:
            ConfigError: the outputs were made of other things, or another command writes them.
            OutputError: the place cannot be written.
        """
        hold(self._lock, self.folder, f"into {self.folder}")
        found = self._read() if resume else {}
        first = found.pop("", {})
        if first:
            check_made_of(of, first["of"], self.folder)
        self._lines, self.replaces = found, overwrite or bool(first.get("replaces"))
        try:
            if not first or self.replaces != first["replaces"]:
                lines = [{"shard": "", "of": dict(of), "replaces": self.replaces}, *found.values()]
                write_text(self._path, "".join(json.dumps(line) + "\n" for line in lines))
            self._stream = self._path.open("ab")
        except OSError as error:
            raise cannot_write(self._path, error) from error
        return sum("sha256" in line for line in found.values())

    def done(self, output: Path, texts: str) -> dict[str, Any] | None:
        """What is recorded of a shard that is finished and still is what was written; None if it is to be made.

        Args:
            output: where the shard is written.
            texts: the hash of what is read for it. One that was made of other texts is to be made anew.

        Raises:
            DataError: something lies there that was not written there, or was changed since.
        """
        line = self._lines.get(output.name)
        there = sha256_file(output) if output.is_file() else ""
        if line and line.get("sha256") == there:
            return line if line["texts"] == texts else None
        # Between taking its name and being recorded, the output of a shard that was begun may lie there.
        if there and not self.replaces and (not line or "sha256" in line):
            was = "was changed after it was written" if line else "is there already, and not by this command"
            raise DataError(f"{output} {was}; move it away, then run the same command with --resume")
        return None

    def recorded(self, output: Path) -> bool:
        """Whether a shard is said to be finished."""
        return "sha256" in self._lines.get(output.name, {})

    def begin(self, output: Path, texts: str) -> bool:
        """Note that what lies there from now on is ours; say whether it was begun before, of the same texts."""
        before = self._lines.get(output.name, {}).get("texts")
        self._append({"shard": output.name, "texts": texts})
        return bool(before == texts)

    def finish(self, output: Path, texts: str, **more: int) -> None:
        """Note that a shard is finished; where it has no rows, there is no output."""
        there = sha256_file(output) if output.is_file() else ""
        self._append({"shard": output.name, "texts": texts, "sha256": there, **more})

    def close(self) -> None:
        """Let others write there."""
        if self._stream is not None:
            with suppress(OSError):  # a full disk, which was told when the line was written
                self._stream.close()
            self._stream = None
        if self._lock.is_locked:
            Path(self._lock.lock_file).unlink(missing_ok=True)
            self._lock.release()

    @property
    def _path(self) -> Path:
        return self.folder / FILE

    def _append(self, line: dict[str, Any]) -> None:
        assert self._stream is not None
        self._lines[line["shard"]] = line
        try:
            # On a line of its own, for the last one may have been cut off.
            self._stream.write(f"\n{json.dumps(line)}\n".encode())
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise cannot_write(self._path, error, "make room, then run the same command with --resume") from error

    def _read(self) -> dict[str, dict[str, Any]]:
        """The last line of every shard, the first line under an empty name; nothing without that one."""
        lines: dict[str, dict[str, Any]] = {}
        try:
            for text in self._path.read_text(encoding="utf-8", errors="replace").splitlines():
                try:
                    line = json.loads(text)
                    lines[line["shard"]] = line
                except (ValueError, TypeError, KeyError):
                    continue
        except OSError:
            return {}
        return lines if "" in lines else {}
