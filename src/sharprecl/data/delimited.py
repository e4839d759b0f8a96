"""CSV and TSV files, read strictly: what other readers quietly mend is refused with its line.

Python's csv module reads them, for it can be strict; the reader of polars completes short rows and drops stray quotes.
"""

import csv
import io
import re
from array import array

from sharprecl.data.dialect import declared, recognise, spoken
from sharprecl.data.messages import empty_lines_note, rows_phrase
from sharprecl.data.raw_table import RawTable
from sharprecl.errors import DataError

_LINE_END = re.compile(r"\r\n|\r|\n")


def read_delimited(text: str, delimiter: str | None, usual: str, origin: str) -> RawTable:
    """Parse a text whose first line names the columns.

    Fields may be in double quotes, with quotes inside doubled; a quoted field may hold line ends. Empty lines
    are passed over and noted, except where there is one column only: there an empty line is an empty text.

    Args:
        text: the whole file.
        delimiter: between fields; None recognises it, and a note tells of another than the ``usual`` one.
        usual: what the file's ending says.
        origin: how sentences call the file.

    Raises:
        DataError: a quote that is not closed, rows of another length than the header, columns of one name, no header.
    """
    if text.lstrip().startswith(('{"', '[{"')):
        raise DataError(
            f"{origin} holds JSON, whatever its ending says; rename it to end in .jsonl (one object a line) or "
            ".json (one array of objects)"
        )
    # The limit is the process's; it is only ever raised, to what this text can need.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    given, (excel, text) = delimiter, declared(text)
    delimiter = given or excel or recognise(text, usual)
    notes: tuple[str, ...] = (
        () if given or delimiter == usual else (f"{origin}: its fields are separated by a {spoken(delimiter)}",)
    )
    reader = csv.reader(io.StringIO(text.rstrip("\r\n"), newline=""), delimiter=delimiter, strict=True)
    # One flat list: a million small lists would keep the garbage collector busy for longer than the parser.
    fields: list[str] = []
    lines = array("q")
    empty: list[int] = []
    wrong: dict[int, int] = {}
    try:
        header = next((row for row in reader if row), None)
        if header is None:
            raise DataError(f"{origin} has no header; write the names of the columns into its first line")
        width, end = len(header), reader.line_num
        for row in reader:
            start, end = end + 1, reader.line_num
            if not row and width == 1:
                row = [""]
            if not row:
                empty.append(start)
                continue
            if len(row) != width:
                wrong[len(lines)] = len(row)
            fields += row
            lines.append(start)
    except csv.Error as error:
        raise DataError(f"{origin}: {_quote_fault(text, delimiter) or error}") from error

    def column(name: str) -> list[str]:
        return fields[header.index(name) :: width]

    notes += empty_lines_note(origin, empty)
    table = RawTable(origin, tuple(header), len(lines), column, lines, notes, delimiter=delimiter)
    if wrong:
        raise DataError(
            f"{origin}: {rows_phrase(list(wrong), lines)} {'has' if len(wrong) == 1 else 'have'} another number of "
            f"fields ({next(iter(wrong.values()))}) than the header ({width}); put texts that hold a "
            f"{spoken(delimiter)} in double quotes and complete short rows"
        )
    return table


def _quote_fault(text: str, delimiter: str) -> str:
    """What is wrong with the quotes of the first bad field: the csv module does not say where it begins."""
    quoted, sign = r'"(?:[^"]++|"")*+"', re.escape(delimiter)
    field = re.compile(rf'(?:{quoted}|(?!")[^{sign}\r\n]*+)(?:[{sign}\r\n]|\Z)')
    here = 0
    while here < len(text) and (found := field.match(text, here)):
        here = found.end()
    if here == len(text):
        return ""

    def line_of(place: int) -> int:
        return len(_LINE_END.findall(text, 0, place)) + 1

    cure = 'close it, and double the quotes that belong to a text ("")'
    closed = re.compile(quoted).match(text, here)
    if not closed:
        return f"the quote that opens in line {line_of(here)} is never closed; {cure}"
    return (
        f"the quote that opens in line {line_of(here)} closes in line {line_of(closed.end() - 1)} before "
        f"{text[closed.end() : closed.end() + 10]!r}, not before a {spoken(delimiter)} or the line's end; {cure}"
    )
