"""Rows to a file: predictions, with all that came in and the new columns behind it, and lists."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sharprecl.data.formats import ENDINGS, format_of
from sharprecl.data.messages import names_phrase
from sharprecl.errors import DataError, OutputError
from sharprecl.files import atomic_path

if TYPE_CHECKING:
    from sharprecl.data.tables import Rows

_AT_ONCE = 10_000


def check_output(rows: "Rows", new_names: Iterable[str], path: Path | str) -> None:
    """Refuse a bad output before the work is done: call it before the model is loaded.

    A new column never replaces one of the input and never gets another name behind the user's back.

    Raises:
        DataError: an unknown ending, a folder of that name, a place where nothing can be written, a new column whose
            name the input already has, or values that such a file cannot hold.
    """
    path = Path(path)
    check_place(path)
    check_new(rows.origin, rows.names, new_names)
    form = format_of(path.suffix.lower(), rows.origin)
    form.start(rows.names)
    form.examine(rows.records, 0)


def check_place(path: Path, endings: Sequence[str] = ENDINGS) -> None:
    """Refuse a file that cannot be written.

    Raises:
        DataError: an unknown ending, a folder of that name, or a place where nothing can be written.
    """
    if path.suffix.lower() not in endings:
        raise DataError(f"{path} has the unknown ending {path.suffix!r}; the known ones are {', '.join(endings)}")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")
    place = next(folder for folder in path.absolute().parents if folder.exists())
    if not os.access(place, os.W_OK):
        raise DataError(f"{path} cannot be written (nobody may write into {place}); name a place that is writable")


def check_new(origin: str, names: Iterable[str], new_names: Iterable[str], cure: str = "") -> None:
    """Refuse new columns whose names the input already has.

    Raises:
        DataError: one has.
    """
    known = {*names}
    if taken := [name for name in new_names if name in known]:
        raise DataError(
            f"{origin} already has the column(s) {names_phrase(taken)} that are to be added; "
            f"{cure}rename or delete them in the input"
        )


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
    records: Iterable[Mapping[str, Any]],
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
    form = format_of(path.suffix.lower(), str(path), for_excel=for_excel)
    try:
        with atomic_path(path) as temporary:
            with temporary.open("wb") as stream:
                stream.write(form.start(names, delimiter))
                rest, more = iter(records), True
                while more:
                    # Also an empty one, from which Parquet learns its columns.
                    block = list(islice(rest, _AT_ONCE))
                    stream.write(form.rows(block))
                    more = len(block) == _AT_ONCE
            form.finish(temporary).replace(temporary)
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError, cure: str = "name a place that is writable and has room") -> OutputError:
    """The sentence on a place that cannot be written."""
    return OutputError(f"{path} cannot be written ({error.strerror or error}); {cure}")
