"""Rows to answer, block by block: a file of any size, or a pipe, in the memory of a block."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sharprecl.data.checks import checked_texts
from sharprecl.data.messages import empty_lines_note
from sharprecl.data.raw_table import RawTable
from sharprecl.data.set_aside import SetAside, check_set_aside, find_set_aside, set_aside_note

ROWS = 4096
"""Of a block: so many are lost at most when the work is cut off, and sorted by length they fill batches evenly."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a stream.

    Attributes:
        first: how many rows come before them.
        records: one dictionary a row. Rows of JSON keep the keys that they have.
        texts: the column of texts, checked: strings, empty where there is none.
    """

    first: int
    records: list[dict[str, Any]]
    texts: tuple[str, ...]

    @property
    def end(self) -> int:
        """How many rows come up to the last of these."""
        return self.first + len(self.records)


class RowStream:
    """Reads and checks tables, one after the other. What it finds out is whole after a pass.

    Args:
        tables: opens the source: gives its tables, of at most ``ROWS`` rows where it does not come whole.
        origin: how sentences call the source.
        text: the column of texts.
        strict: refuse rows without a text.
        once: the source is a pipe, and can be read only once.

    Attributes:
        names: all columns in order, as far as they are known.
        size: how many rows there were.
        set_aside: the rows without a text.
        delimiter: between the fields of a .csv or .tsv file; None for all else.
    """

    def __init__(
        self,
        tables: Callable[[], Iterator[RawTable]],
        origin: str,
        text: str,
        *,
        strict: bool = False,
        once: bool = False,
    ) -> None:
        self.origin, self.text, self.once = origin, text, once
        self._tables, self._strict = tables, strict
        self._forget()

    def _forget(self) -> None:
        self.names: tuple[str, ...] = ()
        self.size = 0
        self.delimiter: str | None = None
        self.set_aside: list[SetAside] = []
        self._notes: tuple[str, ...] = ()
        self._empty_lines = array("q")

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about how the source was read and what was passed over."""
        aside = (set_aside_note(self.set_aside),) if self.set_aside else ()
        return self._notes + empty_lines_note(self.origin, self._empty_lines) + aside

    def blocks(self) -> Iterator[Block]:
        """Read the source from its start.

        Raises:
            DataError: whatever is wrong with it, in one sentence with row numbers.
        """
        self._forget()
        raw: RawTable | None = None
        for raw in self._tables():
            self._take(raw)
            texts = checked_texts(raw, self.text)
            self.set_aside += find_set_aside(raw, texts, None)
            if self.once and self._strict:
                check_set_aside(self.set_aside, self.size, strict=True)
            records = raw.records()
            for start in range(0, raw.size, ROWS):
                yield Block(raw.first + start, records[start : start + ROWS], texts[start : start + ROWS])
        assert raw is not None
        replace(raw, names=self.names).require(self.text, "text")
        check_set_aside(self.set_aside, self.size, strict=self._strict)

    def _take(self, raw: RawTable) -> None:
        """Note what a table tells of the source."""
        self.names += tuple(name for name in raw.names if name not in self.names)
        self.size += raw.size
        self.delimiter = raw.delimiter
        self._notes += raw.notes
        self._empty_lines.extend(raw.empty_lines)
        # Of a file in JSON any object may have the column, and all are seen before the work begins.
        if raw.objects is None or (self.once and not raw.first):
            raw.require(self.text, "text")
