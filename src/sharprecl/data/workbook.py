"""Excel workbooks, by fastexcel and xlsxwriter: every cell is read as the text that it shows, and written as text."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sharprecl.data.messages import closest, names_phrase, shorten
from sharprecl.data.raw_table import RawTable
from sharprecl.errors import DataError
from sharprecl.extras import require

MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 1_048_575, 16_384, 32_767
"""What a sheet holds below its header, and a cell."""

_WRITING, _CURE = "writing .xlsx", "write to .csv instead"
_WIDEST = 60
_EXACT = 10**15
"""Whole numbers from here on lose digits as numbers."""


def read_workbook(data: bytes, sheet: str | None, origin: str) -> RawTable:
    """Read a sheet whose first row with something in it names the columns.

    Numbers, dates and truth values become text, numbers with the fifteen digits that Excel shows; formulas their last
    value; of merged cells the first has the value. Columns without a name must be empty.

    Args:
        data: the whole file.
        sheet: its name; None takes the only visible one that is not empty.
        origin: how sentences call the file.

    Raises:
        DataError: no workbook, no such sheet, several sheets and none named, no header.
        MissingExtraError: fastexcel is not installed.
    """
    fastexcel = require("fastexcel", "excel", "reading .xlsx")
    try:
        book = fastexcel.read_excel(data)
        every: list[str] = book.sheet_names
        names = [sheet] if sheet in every else every
        read = {name: book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string") for name in names}
        sheets = {name: found.to_polars() for name, found in read.items() if found.visible == "visible" or sheet}
    except BaseException as error:  # a panic of its Rust code is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise DataError(f"{origin} is no workbook that can be read ({reason}); save it anew as .xlsx") from error
    if sheet is not None and sheet not in read:
        raise DataError(f"{origin} has no sheet {sheet!r}{closest(sheet, every)}; its sheets are {names_phrase(every)}")
    filled = {name: frame for name, frame in sheets.items() if frame.height and sheet in (None, name)}
    if len(filled) != 1:
        if not filled:
            raise DataError(f"{origin} has nothing in {'its sheets' if sheet is None else 'this sheet'}; was it saved?")
        raise DataError(
            f"{origin} has several sheets ({names_phrase(filled)}); name one with --sheet (sheet= in Python)"
        )
    (frame,) = filled.values()
    return _table([[value or "" for value in row] for row in frame.rows()], origin)


def _table(rows: Sequence[Sequence[str]], origin: str) -> RawTable:
    """A header and rows up to the last that has something in it."""
    filled = [place for place, row in enumerate(rows) if any(map(str.strip, row))]
    if not filled:
        raise DataError(f"{origin} has nothing in its sheet; was it saved?")
    first, last = filled[0], filled[-1]
    header = rows[first]
    columns = [place for place, name in enumerate(header) if name.strip()]
    for place in sorted(set(range(len(header))) - set(columns)):
        if stray := [row for row in filled if rows[row][place].strip()]:
            raise DataError(
                f"{origin}: row {stray[0] + 1} of the sheet holds {shorten(rows[stray[0]][place])} in a column without "
                "a name; name the column in the first row, or clear the cell"
            )
    names = tuple(header[place] for place in columns)

    def column(name: str) -> list[str]:
        place = columns[names.index(name)]
        return [row[place] for row in rows[first + 1 : last + 1]]

    return RawTable(origin, names, last - first, column, range(first + 2, last + 2))


def write_workbook(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a sheet with a header that stays in sight and can filter; texts stay texts, whatever they begin with.

    Raises:
        DataError: a value that does not fit; ``check_cells`` says so before the work.
        MissingExtraError: xlsxwriter is not installed.
    """
    xlsxwriter = require("xlsxwriter", "excel", _WRITING)
    # Nothing is guessed: a text that looks like a formula, a number or an address stays one.
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(path, {**options, "nan_inf_to_errors": True}) as book:
        sheet, bold = book.add_worksheet(), book.add_format({"bold": True})
        for place, name in enumerate(names):
            sheet.set_column(place, place, min(_WIDEST, max(12, len(name) + 2)))
            sheet.write_string(0, place, name, bold)
        number = 0
        for number, row in enumerate(rows, start=1):
            for place, value in enumerate(row):
                if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < _EXACT):
                    sheet.write(number, place, value)
                elif value is not None and value != "" and sheet.write_string(number, place, str(value)) < 0:
                    raise DataError(f"row {number:,} does not fit into a sheet of Excel; write to .csv instead")
        sheet.freeze_panes(1, 0)
        sheet.autofilter(0, 0, max(1, number), max(0, len(names) - 1))


def check_columns(origin: str, names: Sequence[str]) -> None:
    """Refuse more columns than a sheet has.

    Raises:
        DataError: there are too many.
        MissingExtraError: xlsxwriter is not installed.
    """
    require("xlsxwriter", "excel", _WRITING)
    if len(names) > MOST_COLUMNS:
        raise DataError(f"{origin}: a sheet has room for {MOST_COLUMNS:,} columns, not for {len(names):,}; {_CURE}")


def check_cells(origin: str, rows: Iterable[Mapping[str, Any]], first: int = 0) -> None:
    """Refuse what a sheet cannot hold, which xlsxwriter would leave out.

    Args:
        origin: how sentences call the source of the rows.
        rows: their cells by column.
        first: how many rows come before them.

    Raises:
        DataError: too many rows, a text that is too long.
    """
    for number, row in enumerate(rows, start=first + 1):
        if number > MOST_ROWS:
            raise DataError(f"{origin}: a sheet has room for {MOST_ROWS:,} rows under its header; {_CURE}")
        for name, value in row.items():
            if isinstance(value, str) and len(value) > MOST_CHARACTERS:
                raise DataError(
                    f"{origin}: row {number:,} has {len(value):,} characters in column {name!r}, and a cell of Excel "
                    f"holds {MOST_CHARACTERS:,}; {_CURE}"
                )
