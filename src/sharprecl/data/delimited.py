"""CSV and TSV files, read strictly: what the csv module would quietly mend is refused with its line."""

import csv
import io
import re
from array import array

from sharprecl.data.messages import rows_phrase, shorten
from sharprecl.data.raw_table import RawTable, check_different
from sharprecl.errors import DataError

_SPOKEN = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
_LINE_END = re.compile(r"\r\n|\r|\n")


def read_delimited(text: str, delimiter: str, origin: str) -> RawTable:
    """Parse the text of a CSV (``delimiter`` ``","``) or TSV (a tab) file whose first line names the columns.

    Fields may be in double quotes, with quotes inside doubled; a quoted field may hold line ends. Empty lines
    are passed over and noted, except where there is one column only: there an empty line is an empty text.

    Raises:
        DataError: a quote that is not closed, rows of another length than the header, columns of one name,
            or another delimiter than the ending says.
    """
    _check_kind(text, delimiter, origin)
    # The limit is the process's; it is only ever raised, to what this text can need.
    csv.field_size_limit(max(csv.field_size_limit(), len(text) + 1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    # One flat list: a million small lists would keep the garbage collector busy for longer than the parser.
    fields: list[str] = []
    lines = array("q")
    empty: list[int] = []
    wrong: dict[int, int] = {}
    start = 1
    try:
        header = next(row for row in reader if row)
        width = len(header)
        start = reader.line_num + 1
        for row in reader:
            if not row:
                empty.append(start)
                row = [""] if width == 1 else []
            elif len(row) != width:
                wrong[len(lines)] = len(row)
            if row:
                fields += row
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"{origin}: {_quote_fault(text, start, delimiter) or error}") from error
    check_different(header, origin)
    if wrong:
        raise DataError(
            f"{origin}: {rows_phrase(list(wrong), lines)} {'has' if len(wrong) == 1 else 'have'} another number of "
            f"fields ({next(iter(wrong.values()))}) than the header ({width}); put texts that hold a "
            f"{_SPOKEN[delimiter]} in double quotes and complete short rows"
        )
    while empty and empty[-1] == start - 1:  # at the end of the file
        start = empty.pop()
        if width == 1:
            fields.pop()
            lines.pop()
    notes: tuple[str, ...] = ()
    if empty and width > 1:
        notes = (f"{origin}: {len(empty)} empty line(s) passed over, the first is line {empty[0]}",)

    def column(name: str) -> list[str]:
        return fields[header.index(name) :: width]

    return RawTable(origin, tuple(header), len(lines), column, lines, notes)


def _check_kind(text: str, delimiter: str, origin: str) -> None:
    """Refuse JSON and other delimiters before their quotes are taken for faults."""
    if text.lstrip().startswith(('{"', '[{"')):
        raise DataError(
            f"{origin} holds JSON, whatever its ending says; rename it to end in .jsonl (one object a line) or "
            ".json (one array of objects)"
        )
    header = _LINE_END.split(text.lstrip("\r\n"), maxsplit=1)[0]
    others = [other for other in _SPOKEN if other in header]
    if others and delimiter not in header:
        endings = {",": "rename it to end in .csv", "\t": "rename it to end in .tsv"}
        raise DataError(
            f"{origin}: the header {shorten(header)} is one column, so the fields seem to be separated by a "
            f"{_SPOKEN[others[0]]}, not by a {_SPOKEN[delimiter]}; "
            f"{endings.get(others[0], f'save it with a {_SPOKEN[delimiter]} instead')}"
        )


def _quote_fault(text: str, line: int, delimiter: str) -> str:
    """What is wrong with the quotes of the record that starts in ``line``: the csv module does not say where."""
    cure = 'close it, and double the quotes that belong to a text ("")'
    stream = io.StringIO(text, newline="")
    here = sum(len(next(stream)) for _ in range(line - 1))
    field_end = re.compile(rf"[{re.escape(delimiter)}\r\n]")

    def line_of(place: int) -> int:
        return len(_LINE_END.findall(text, 0, place)) + 1

    while here < len(text):
        if text[here] != '"':
            found = field_end.search(text, here)
            here = found.end() if found else len(text)
            continue
        opened, close = here, text.find('"', here + 1)
        while close >= 0 and text[close + 1 : close + 2] == '"':
            close = text.find('"', close + 2)
        if close < 0:
            return f"the quote that opens in line {line_of(opened)} is never closed; {cure}"
        if close + 1 < len(text) and not field_end.match(text, close + 1):
            return (
                f"the quote that opens in line {line_of(opened)} closes in line {line_of(close)} before "
                f"{text[close + 1 : close + 11]!r}, not before a {_SPOKEN[delimiter]} or the line's end; {cure}"
            )
        here = close + 2
    return ""
