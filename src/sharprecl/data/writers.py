"""Predictions to a file: all that came in, and the new columns behind it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sharprecl.data.rows import Rows
from sharprecl.data.wording import names_phrase
from sharprecl.errors import DataError
from sharprecl.files import atomic_path

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
"""The file name endings that can be written."""


def check_output(rows: Rows, new_names: Iterable[str], path: Path | str) -> None:
    """Refuse a bad output before the work is done: call it before the model is loaded.

    A new column never replaces one of the input and never gets another name behind the user's back.

    Raises:
        DataError: an unknown ending, a folder of that name, or a new column whose name the input already has.
    """
    path = Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise DataError(f"{path} has the unknown ending {path.suffix!r}; the known ones are {', '.join(ENDINGS)}")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    if taken := [name for name in new_names if name in rows.names]:
        raise DataError(
            f"{rows.origin} already has the column(s) {names_phrase(taken)} that the predictions would get; "
            "rename or delete them in the input"
        )


def write_predictions(rows: Rows, columns: Mapping[str, Sequence[Any]], path: Path | str) -> None:
    """Write the input columns and the new ones, by the ending of ``path``; the file is whole or absent.

    Text files are UTF-8. In CSV and TSV a missing value is an empty field, and lists and objects are JSON.

    Args:
        rows: what was read.
        columns: new columns, one value a row.
        path: the file to write; an old one is replaced.

    Raises:
        DataError: see ``check_output``; a column of another length; values that Parquet cannot hold together; a
            place that cannot be written.
    """
    path = Path(path)
    check_output(rows, columns, path)
    for name, values in columns.items():
        if len(values) != len(rows):
            raise DataError(f"the new column {name!r} has {len(values)} values for {len(rows)} rows")
    new = zip(*columns.values(), strict=True) if columns else [()] * len(rows)
    records = [
        record | dict(zip(columns, values, strict=True)) for record, values in zip(rows.records, new, strict=True)
    ]
    names = (*rows.names, *columns)
    ending = path.suffix.lower()
    try:
        with atomic_path(path) as temporary:
            if ending == ".parquet":
                _write_parquet(records, names, temporary)
            elif ending in (".jsonl", ".ndjson"):
                lines = (json.dumps(record, ensure_ascii=False, default=str) + "\n" for record in records)
                _write_lines(lines, temporary)
            else:
                _write_lines(_delimited(records, names, "," if ending == ".csv" else "\t"), temporary)
    except OSError as error:
        raise DataError(
            f"{path} cannot be written ({error.strerror or error}); name a place that is writable and has room"
        ) from error


def _write_lines(lines: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(lines)


def _delimited(records: Sequence[Mapping[str, Any]], names: Sequence[str], delimiter: str) -> Iterable[str]:
    """Lines of CSV or TSV. The csv module of Python 3.11 leaves a lone carriage return unquoted, so not by it."""
    needs_quotes = re.compile(rf'[{delimiter}"\r\n]')

    def field(value: Any) -> str:
        if value is None:
            text = ""
        elif isinstance(value, dict | list):
            text = json.dumps(value, ensure_ascii=False, default=str)
        else:
            text = str(value)
        return '"' + text.replace('"', '""') + '"' if needs_quotes.search(text) else text

    for row in (names, *([record.get(name) for name in names] for record in records)):
        # An empty line would not be a row.
        yield (delimiter.join(map(field, row)) or '""') + "\n"


def _write_parquet(records: Sequence[Mapping[str, Any]], names: Sequence[str], path: Path) -> None:
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
    pl.DataFrame(series).write_parquet(path)
