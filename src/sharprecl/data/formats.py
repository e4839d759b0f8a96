"""Rows as text files and workbooks, and which format a file's ending means."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sharprecl.data.checks import is_unicode
from sharprecl.data.dialect import DELIMITERS
from sharprecl.data.parquet_rows import ParquetRows
from sharprecl.data.row_format import Columns, Records, RowFormat, beside
from sharprecl.data.workbook import check_cells, check_columns, write_workbook
from sharprecl.errors import DataError

ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".parquet")
"""The file name endings that can be written."""

_FORMULA = re.compile(r"[=+\-@\t\r](?!\d[\d.,]*$)")
"""What a spreadsheet runs, or takes for more than text, when it opens a .csv file; numbers with a sign are harmless."""


def format_of(ending: str, origin: str, *, for_excel: bool = False) -> RowFormat:
    """The format of one of ``ENDINGS``.

    Args:
        ending: of the file's name.
        origin: how sentences call the source of the rows.
        for_excel: see ``write_predictions``.
    """
    if usual := DELIMITERS.get(ending):
        return _Delimited(origin, usual, for_excel)
    return {".xlsx": _Workbook, ".parquet": ParquetRows}.get(ending, _JsonLines)(origin)


class _JsonLines(RowFormat):
    """Strict JSON, an object a line; half a character is written as its escape."""

    typed = any_keys = True

    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        return "".join(map(_json_line, _joined(records, columns))).encode()


class _Delimited(RowFormat):
    """CSV and TSV. The csv module of Python 3.11 leaves a lone carriage return unquoted, so not by it."""

    def __init__(self, origin: str, usual: str, for_excel: bool) -> None:
        super().__init__(origin)
        self._delimiter, self._for_excel = usual, for_excel

    def examine(self, records: Records, first: int) -> None:
        _check_encodable(self.origin, records, first)

    def start(self, names: Sequence[str], delimiter: str | None = None) -> bytes:
        self.names = tuple(names)
        self._delimiter = delimiter or self._delimiter
        _check_names(self.origin, names)
        return self._lines([names]).encode("utf-8-sig" if self._for_excel else "utf-8")

    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        return self._lines([record.get(name) for name in self.names] for record in _joined(records, columns)).encode()

    def _lines(self, rows: Iterable[Iterable[Any]]) -> str:
        needs_quotes = re.compile(rf'[{re.escape(self._delimiter)}"\r\n]').search

        def field(value: Any) -> str:
            text = "" if value is None else spelled(value)
            if self._for_excel and isinstance(value, str) and _FORMULA.match(text):
                text = f"'{text}"
            return '"' + text.replace('"', '""') + '"' if needs_quotes(text) else text

        # An empty line would not be a row.
        return "".join((self._delimiter.join(map(field, row)) or '""') + "\n" for row in rows)


class _Workbook(RowFormat):
    """A sheet is written at once, from a part of JSON: numbers stay numbers."""

    def examine(self, records: Records, first: int) -> None:
        _check_encodable(self.origin, records, first)
        check_cells(self.origin, map(_cells, records), first)

    def start(self, names: Sequence[str], delimiter: str | None = None) -> bytes:
        if "" in names:
            raise DataError(
                f"{self.origin} has a column without a name, which .xlsx cannot hold; name it, or write .csv"
            )
        _check_names(self.origin, names)
        check_columns(self.origin, names)
        return super().start(names, delimiter)

    def rows(self, records: Records, columns: Columns | None = None) -> bytes:
        cells = ([row.get(name) for name in self.names] for row in map(_cells, _joined(records, columns)))
        return "".join(json.dumps(row) + "\n" for row in cells).encode()

    def finish(self, part: Path) -> Path:
        made = beside(part)
        with part.open(encoding="utf-8") as lines:
            write_workbook(made, self.names, map(json.loads, lines))
        return made


def _joined(records: Records, columns: Columns | None) -> Iterable[Mapping[str, Any]]:
    if not columns:
        return records
    return (
        {**record, **dict(zip(columns, row, strict=True))}
        for record, row in zip(records, zip(*columns.values(), strict=True), strict=True)
    )


def _cells(record: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a workbook: numbers stay numbers."""
    return {
        name: value if value is None or isinstance(value, bool | int | float) else spelled(value)
        for name, value in record.items()
    }


_HALF = "half a character (a lone surrogate, such as half an emoji)"
_CURE = "which no text file can hold; write to .jsonl, or mend it"


def _check_names(origin: str, names: Iterable[str]) -> None:
    if wrong := [name for name in names if "\0" in name or not is_unicode(name)]:
        raise DataError(f"{origin}: the name of column {wrong[0]!r} has a NUL or {_HALF}, {_CURE}")


def _check_encodable(origin: str, records: Records, first: int) -> None:
    for number, record in enumerate(records, start=first + 1):
        for name, value in record.items():
            if isinstance(value, str | list | dict):
                text = spelled(value)
                if "\0" in text or not is_unicode(text):
                    what = "a NUL character" if "\0" in text else _HALF
                    raise DataError(f"{origin}: row {number:,} has {what} in column {name!r}, {_CURE}")


def spelled(value: Any) -> str:
    """A value in a field of text; lists and objects are JSON."""
    return _json(value) if isinstance(value, dict | list) else str(value)


def _json_line(record: Mapping[str, Any]) -> str:
    line = _json(record)
    return (line if is_unicode(line) else _json(record, ensure_ascii=True)) + "\n"


def _json(value: Any, *, ensure_ascii: bool = False) -> str:
    """Strict JSON: what is no finite number is null."""
    try:
        return json.dumps(value, ensure_ascii=ensure_ascii, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=ensure_ascii, default=str, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
