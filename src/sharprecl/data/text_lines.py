"""The lines of a text file or a pipe, decoded piece by piece: what a reader has not asked for is not in memory."""

import codecs
import io
import select
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from sharprecl.data.encodings import BOMS, cure, recognise_encoding, undecodable, utf16_without_mark
from sharprecl.data.rawfile import check_kind
from sharprecl.errors import DataError

_PIECE = 1 << 20


class TextLines:
    """Iterates over lines with their ends.

    Attributes:
        origin: how sentences call the text.
        newline: the end of a line; an empty string is any of the three kinds. May change before the first line.
        notes: a sentence where it was read otherwise than the user said, or than UTF-8.
        position: characters of the pieces that were begun.
        live: it is a pipe, and what comes next may be long in coming.
    """

    def __init__(self, source: Path | bytes | BinaryIO, encoding: str | None, origin: str, newline: str = "") -> None:
        """Open a text.

        Args:
            source: a file, what one holds, or a pipe, whose encoding its beginning tells.
            encoding: what the user says.
            origin: how sentences call the text.
            Raises:
            DataError: unknown encoding, or bytes of which nobody can say what they are.
        """
        self.origin, self.position, self.live = origin, 0, not isinstance(source, Path | bytes)
        self.newline, self._more, self._lines = newline, False, self._split()
        self._texts = self._decoded()
        self._pipe = None if isinstance(source, Path | bytes) else source
        if isinstance(source, Path | bytes):
            self._pieces = _of_file(source)
            self._codec, self.notes = recognise_encoding(lambda: _of_file(source), encoding, origin)
        else:
            head = _head(source)
            check_kind(head, origin)
            self._pieces = _of_pipe(head, source)
            self._codec, self.notes = recognise_encoding(lambda: [head], encoding, origin)

    def beginning(self) -> str:
        """What comes first; it stays to be read."""
        first = next(self._texts)
        self._texts = chain([first], self._texts)
        return first

    def ready(self) -> bool:
        """Whether another line is there without waiting."""
        if self._pipe is None or self._more:
            return True
        try:
            return bool(select.select([self._pipe], [], [], 0)[0])
        except (OSError, ValueError):  # nothing that could be waited for
            return True

    def __iter__(self) -> Iterator[str]:
        """The lines that were not taken yet."""
        return self._lines

    def _split(self) -> Iterator[str]:
        start: list[str] = []
        for text in self._texts:
            lines = list(io.StringIO(text, newline=self.newline))
            rest = "" if lines[-1].endswith(self.newline or ("\r", "\n")) else lines.pop()
            if start and lines:
                # Joined once, at its end: a long line may come in a thousand pieces.
                lines[0] = "".join([*start, lines[0]])
                start = []
            start += [rest] if rest else []
            self._more = True
            yield from lines[:-1]
            self._more = False
            yield from lines[-1:]
        if start:
            yield "".join(start)

    def _decoded(self) -> Iterator[str]:
        """The decoded pieces, none of them empty or ending within a ``\\r\\n``."""
        bytewise = codecs.getincrementaldecoder(self._codec)()
        # It only keeps a \r back until it is known what follows.
        ends = io.IncrementalNewlineDecoder(None, translate=False)
        offset, lines, begun, blank, first = 0, 0, False, True, b""
        for data in self._pieces:
            final = not data
            first = first or data
            pending = bytewise.getstate()[0]
            try:
                text = ends.decode(bytewise.decode(data, final), final)
            except UnicodeDecodeError as error:
                whole = pending + data
                line = lines + whole.count(b"\n", 0, error.start) + 1
                place = offset - len(pending) + error.start
                raise undecodable(whole, error.start, self._codec, self.origin, place, line) from error
            offset += len(data)
            if text and not begun:
                text, begun = text.removeprefix("\ufeff"), True
            if (nul := text.find("\0")) >= 0:
                if guess := utf16_without_mark(first):
                    raise DataError(f"{self.origin} has a NUL in every second byte, as {guess} has; {cure(guess)}")
                line = lines + text.count("\n", 0, nul) + 1
                raise DataError(
                    f"{self.origin} has a NUL character in line {line}; the file is damaged or no text: write it anew"
                )
            lines += text.count("\n")
            blank = blank and not text.strip()
            self.position += len(text)
            if text:
                yield text
        if blank:
            raise DataError(f"{self.origin} is empty; was it written to the end?")


def _of_file(file: Path | bytes) -> Iterator[bytes]:
    with io.BytesIO(file) if isinstance(file, bytes) else file.open("rb") as stream:
        yield from iter(lambda: stream.read(_PIECE), b"")
    yield b""


def _of_pipe(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    if head:
        yield head
        yield from iter(lambda: _available(stream), b"")
    yield b""


def _head(stream: BinaryIO) -> bytes:
    """What is there, but not half a byte order mark."""
    head = _available(stream)
    while head and any(mark != head and mark.startswith(head) for mark, _ in BOMS) and (more := _available(stream)):
        head += more
    return head


def _available(stream: BinaryIO) -> bytes:
    """What is there, at least one byte; nothing at the end."""
    read = getattr(stream, "read1", stream.read)
    data: bytes = read(_PIECE)
    return data
