"""Rows to a file: predictions, with all that came in and the new columns behind it, and lists."""

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharprecl.data.checks import is_unicode
from sharprecl.data.dialect import DELIMITERS
from sharprecl.data.messages import names_phrase
from sharprecl.data.workbook import check_cells, write_workbook
from sharprecl.errors import DataError
from sharprecl.files import atomic_path

if TYPE_CHECKING:
    import polars as pl

    from sharprecl.data.tables import Rows

ENDINGS = (".csv", ".tsv", ".xlsx", ".jsonl", ".ndjson", ".parquet")
"""The file name endings that can be written."""

_FORMULA = re.compile(r"[=+\-@\t\r](?!\d[\d.,]*$)")
"""What a spreadsheet runs, or takes for more than text, when it opens a .csv file; numbers with a sign are harmless."""


def check_output(rows: "Rows", new_names: Iterable[str], path: Path | str) -> None:
    """Refuse a bad output before the work is done: call it before the model is loaded.

    A new column never replaces one of the input and never gets another name behind the user's back.

    Raises:
        DataError: an unknown ending, a folder of that name, a place where nothing can be written, a new column whose
            name the input already has, or values that such a file cannot hold.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise DataError(f"{path} has the unknown ending {path.suffix!r}; the known ones are {', '.join(ENDINGS)}")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    if taken := [name for name in new_names if name in rows.names]:
        raise DataError(
            f"{rows.origin} already has the column(s) {names_phrase(taken)} that the predictions would get; "
            "rename or delete them in the input"
        )
    if ending in (".xlsx", ".parquet") and "" in rows.names:
        raise DataError(
            f"{rows.origin} has a column without a name, which {ending} cannot hold; name it, or write .csv"
        )
    place = next(folder for folder in path.absolute().parents if folder.exists())
    if not os.access(place, os.W_OK):
        raise DataError(f"{path} cannot be written (nobody may write into {place}); name a place that is writable")
    if ending == ".parquet":
        _series(rows.records, rows.names)
    elif ending == ".xlsx":
        check_cells(rows.origin, rows.names, _cells(rows.records, rows.names))
    if ending in (*DELIMITERS, ".xlsx"):
        _check_encodable(rows)


def write_predictions(
    rows: "Rows", columns: Mapping[str, Sequence[Any]], path: Path | str, *, for_excel: bool = False
) -> None:
    """Write the input columns and the new ones, by the ending of ``path``; the file is whole or absent.

    Text files are UTF-8. In CSV, TSV and workbooks a missing value is an empty field, and lists and objects are JSON.

    Args:
        rows: what was read.
        columns: new columns, one value a row.
        path: the file to write; an old one is replaced.
        for_excel: write .csv and .tsv as Excel opens them: with a byte order mark, with the delimiter of the file that
            was read, which is the one of the user's country, and with an apostrophe before what Excel would run.

    Raises:
        DataError: see ``check_output``; a column of another length; values that Parquet cannot hold together; a
            place that cannot be written.
    """
    check_output(rows, columns, path)
    for name, values in columns.items():
        if len(values) != len(rows):
            raise DataError(f"the new column {name!r} has {len(values)} values for {len(rows)} rows")
    records = [
        record | {name: values[row] for name, values in columns.items()} for row, record in enumerate(rows.records)
    ]
    write_rows(records, (*rows.names, *columns), Path(path), rows.delimiter if for_excel else None, for_excel)


def write_rows(
    records: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    path: Path,
    delimiter: str | None = None,
    for_excel: bool = False,
) -> None:
    """Write rows with these columns, by the ending of ``path``, which is one of ``ENDINGS``.

    Args:
        records: one mapping a row; what it lacks is missing.
        names: of the columns, in order.
        path: the file to write, whole or not at all.
        delimiter: between the fields of .csv and .tsv; None takes that of the ending.
        for_excel: see ``write_predictions``.

    Raises:
        DataError: values that Parquet cannot hold together, or a place that cannot be written.
    """
    ending = path.suffix.lower()
    try:
        with atomic_path(path) as temporary:
            if ending == ".parquet":
                import polars as pl

                pl.DataFrame(_series(records, names)).write_parquet(temporary)
            elif ending == ".xlsx":
                write_workbook(temporary, names, _cells(records, names))
            else:
                usual = DELIMITERS.get(ending)
                marked = for_excel and usual is not None
                with temporary.open("w", encoding="utf-8-sig" if marked else "utf-8", newline="") as stream:
                    if usual is None:
                        stream.writelines(map(_json_line, records))
                    else:
                        stream.writelines(_delimited(records, names, delimiter or usual, for_excel))
    except OSError as error:
        raise DataError(
            f"{path} cannot be written ({error.strerror or error}); name a place that is writable and has room"
        ) from error


def _cells(records: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Iterator[list[Any]]:
    """Values of a workbook: numbers stay numbers."""
    for record in records:
        values = map(record.get, names)
        yield [value if value is None or isinstance(value, bool | int | float) else _spelled(value) for value in values]


def _delimited(
    records: Iterable[Mapping[str, Any]], names: Sequence[str], delimiter: str, for_excel: bool
) -> Iterator[str]:
    """Lines of CSV or TSV. The csv module of Python 3.11 leaves a lone carriage return unquoted, so not by it."""
    needs_quotes = re.compile(rf'[{re.escape(delimiter)}"\r\n]')

    def field(value: Any) -> str:
        text = "" if value is None else _spelled(value)
        if for_excel and isinstance(value, str) and _FORMULA.match(text):
            text = f"'{text}"
        return '"' + text.replace('"', '""') + '"' if needs_quotes.search(text) else text

    for row in (names, *([record.get(name) for name in names] for record in records)):
        # An empty line would not be a row.
        yield (delimiter.join(map(field, row)) or '""') + "\n"


def _spelled(value: Any) -> str:
    return _json(value) if isinstance(value, dict | list) else str(value)


def _check_encodable(rows: "Rows") -> None:
    half = "half a character (a lone surrogate, such as half an emoji)"
    cure = "which no text file can hold; write to .jsonl, or mend it"
    if wrong := [name for name in rows.names if "\0" in name or not is_unicode(name)]:
        raise DataError(f"{rows.origin}: the name of column {wrong[0]!r} has a NUL or {half}, {cure}")
    for number, record in enumerate(rows.records, start=1):
        for name, value in record.items():
            if isinstance(value, str | list | dict):
                text = _spelled(value)
                if "\0" in text or not is_unicode(text):
                    what = "a NUL character" if "\0" in text else half
                    raise DataError(f"{rows.origin}: row {number:,} has {what} in column {name!r}, {cure}")


def _json_line(record: Mapping[str, Any]) -> str:
    """A line of strict JSON; half a character is written as its escape."""
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


def _series(records: Sequence[Mapping[str, Any]], names: Sequence[str]) -> "list[pl.Series]":
    import polars as pl

    series = []
    for name in names:
        values = [record.get(name) for record in records]
        try:
            column = pl.Series(name, values, strict=True)
            # polars drops the keys that the first object of a column lacks.
            whole = not column.dtype.is_nested() or column.to_list() == values
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            whole = False
        if not whole:
            raise DataError(f"Parquet cannot hold the different kinds of values in column {name!r}; write to .jsonl")
        series.append(column)
    return series
