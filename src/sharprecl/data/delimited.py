"""CSV and TSV files, read strictly: what other readers quietly mend is refused with its line.

Python's csv module reads them, for it can be strict; the reader of polars completes short rows and drops stray quotes.
"""

import csv
import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain

from sharprecl.data.dialect import SAMPLED_CHARACTERS, declared, recognise, spoken
from sharprecl.data.messages import rows_phrase
from sharprecl.data.raw_table import CHARACTERS, RawTable
from sharprecl.data.text_lines import TextLines
from sharprecl.errors import DataError

LONGEST = 1 << 27
"""Characters of a field: where a quote is never closed, the rest of the file is not read into memory."""

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_delimited(lines: TextLines, delimiter: str | None, usual: str, rows: int | None = None) -> Iterator[RawTable]:
    """Parse a text whose first line names the columns.

    Fields may be in double quotes, with quotes inside doubled; a quoted field may hold line ends. Empty lines
    are passed over and listed, except where there is one column only: there an empty line is an empty text.

    Args:
        lines: of the file.
        delimiter: between fields; None recognises it, and a note tells of another than the ``usual`` one.
        usual: what the file's ending says.
        rows: most rows of a table; None gives one table of all.

    Raises:
        DataError: a quote that is not closed, rows of another length than the header, columns of one name, no header.
    """
    # The limit is the process's; it is only ever raised, to more than a text can need.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST))
    origin, given = lines.origin, delimiter
    excel, first = _beginning(lines)
    delimiter = given or excel or recognise("".join(first), usual)
    notes: tuple[str, ...] = (
        () if given or delimiter == usual else (f"{origin}: its fields are separated by a {spoken(delimiter)}",)
    )
    recent: list[str] = []
    reader = csv.reader(_kept(chain(first, lines), recent), delimiter=delimiter, strict=True)
    part: _Rows | None = None
    # Empty lines at the end of a file are none, so they wait for what follows.
    empty, end = array("q"), 0
    try:
        for row in reader:
            start, end = end + 1, reader.line_num
            recent.clear()
            if not row:
                empty.append(start)
                continue
            if part is None:
                part, empty = _Rows(lines, tuple(row), delimiter, notes), array("q")
                continue
            texts = [(place, [""]) for place in empty] if len(part.header) == 1 else []
            if empty:
                part.empty.extend(empty if len(part.header) > 1 else ())
                empty = array("q")
            for place, fields in (*texts, (start, row)):
                part.add(fields, place)
                waits = end >= len(first) and not lines.ready()
                if rows and (len(part.starts) >= rows or part.characters >= CHARACTERS or waits):
                    yield part.table()
                    part = part.following()
    except csv.Error as error:
        raise DataError(f"{origin}: {_quote_fault(''.join(recent), delimiter, end) or error}") from error
    if part is None:
        raise DataError(f"{origin} has no header; write the names of the columns into its first line")
    if part.starts or not part.first:
        yield part.table()


class _Rows:
    """Rows that become one table."""

    def __init__(
        self, lines: TextLines, header: tuple[str, ...], delimiter: str, notes: tuple[str, ...], first: int = 0
    ) -> None:
        self.header, self.first, self.starts, self.empty = header, first, array("q"), array("q")
        self._lines, self._delimiter, self._notes, self._begun = lines, delimiter, notes, lines.position
        # One flat list: a million small lists would keep the garbage collector busy for longer than the parser.
        self._fields: list[str] = []
        self._wrong: dict[int, int] = {}

    def following(self) -> "_Rows":
        return _Rows(self._lines, self.header, self._delimiter, (), self.first + len(self.starts))

    @property
    def characters(self) -> int:
        """About how many were read for these rows."""
        return self._lines.position - self._begun

    def add(self, row: list[str], start: int) -> None:
        if len(row) != len(self.header):
            self._wrong[len(self.starts)] = len(row)
        self._fields += row
        self.starts.append(start)

    def table(self) -> RawTable:
        origin, width, sign = self._lines.origin, len(self.header), self._delimiter

        def column(name: str) -> list[str]:
            return self._fields[self.header.index(name) :: width]

        size, notes, first = len(self.starts), self._notes, self.first
        table = RawTable(origin, self.header, size, column, self.starts, notes, None, sign, first, self.empty)
        if self._wrong:
            raise DataError(
                f"{origin}: {rows_phrase(list(self._wrong), self.starts, first)} "
                f"{'has' if len(self._wrong) == 1 else 'have'} another number of fields "
                f"({next(iter(self._wrong.values()))}) than the header ({width}); put texts that hold a {spoken(sign)} "
                "in double quotes and complete short rows"
            )
        return table


def _beginning(lines: TextLines) -> tuple[str | None, list[str]]:
    """The delimiter that Excel's first line declares, and the first lines, that one emptied."""
    first, size = list[str](), 0
    for line in lines:
        first.append(line)
        size += len(line)
        if size >= SAMPLED_CHARACTERS or (lines.live and line.strip() and not lines.ready()):
            break
    excel, sample = declared("".join(first))
    if excel is not None:
        first[0] = "\n"
    if sample.lstrip().startswith(('{"', '[{"')):
        cure = "rename it to end in .jsonl (one object a line) or .json (one array of objects)"
        if lines.live:
            cure = "write one object a line, and give --format jsonl"
        raise DataError(f"{lines.origin} holds JSON, whatever its ending says; {cure}")
    return excel, first


def _kept(lines: Iterable[str], recent: list[str]) -> Iterator[str]:
    """The lines, which also gather in a list."""
    for line in lines:
        recent.append(line)
        yield line


def _quote_fault(text: str, delimiter: str, before: int) -> str:
    """What is wrong with the quotes of the first bad field: the csv module does not say where it begins.

    Args:
        text: from the start of a row to the line that the csv module refused.
        delimiter: between fields.
        before: lines before that row.
    """
    quoted, sign = r'"(?:[^"]++|"")*+"', re.escape(delimiter)
    field = re.compile(rf'(?:{quoted}|(?!")[^{sign}\r\n]*+)(?:[{sign}\r\n]|\Z)')
    here = 0
    while here < len(text) and (found := field.match(text, here)):
        here = found.end()
    if here == len(text):
        return ""

    def line_of(place: int) -> int:
        return before + len(_LINE_END.findall(text, 0, place)) + 1

    cure = 'close it, and double the quotes that belong to a text ("")'
    closed = re.compile(quoted).match(text, here)
    if not closed:
        return f"the quote that opens in line {line_of(here)} is never closed; {cure}"
    return (
        f"the quote that opens in line {line_of(here)} closes in line {line_of(closed.end() - 1)} before "
        f"{text[closed.end() : closed.end() + 10]!r}, not before a {spoken(delimiter)} or the line's end; {cure}"
    )
