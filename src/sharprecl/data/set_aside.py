"""Rows without a text or a label: set aside, counted, named and listed, never dropped without a word."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sharprecl.data.messages import plural, rows_phrase
from sharprecl.data.raw_table import RawTable
from sharprecl.data.writers import write_rows
from sharprecl.errors import DataError

FILE = "set_aside.csv"
"""How the list is called in the folder of what was made of the other rows."""


class SetAside(NamedTuple):
    """A row that lacks something: what, and where it stands: the source, the row from 1, the line where it starts."""

    file: str
    row: int
    line: int | None
    lacks: str


def find_set_aside(raw: RawTable, texts: Sequence[str], labels: Sequence[str] | None) -> list[SetAside]:
    """The rows whose text or label is empty."""
    found = []
    for row, text in enumerate(texts):
        if text and (labels is None or labels[row]):
            continue
        lacks = [*(["text"] if not text else []), *(["label"] if labels is not None and not labels[row] else [])]
        line = None if raw.lines is None else raw.lines[row]
        found.append(SetAside(raw.origin, raw.first + row + 1, line, " and ".join(lacks)))
    return found


def check_set_aside(found: Sequence[SetAside], rows: int, *, strict: bool) -> None:
    """Refuse a table of so many rows of which these are set aside.

    Raises:
        DataError: there is one, and the caller is strict; or no row is left.
    """
    if found and (strict or len(found) == rows):
        cure = "fill in or delete them, or leave --strict out (strict=False in Python) to set them aside"
        if len(found) == rows:
            cure = "are the right columns named with --text and --label?"
        raise DataError(f"{set_aside_note(found)}; {cure}")


def set_aside_note(found: Sequence[SetAside]) -> str:
    """How many rows lack what, and which: ``x.csv: 2 rows have no text: rows 3 (line 4) and 7 (line 8)``."""
    parts = []
    for lacks in ("text", "label", "text and label"):
        if lines := {one.row - 1: one.line for one in found if one.lacks == lacks}:
            nothing = "neither text nor label" if "and" in lacks else f"no {lacks}"
            where = rows_phrase(list(lines), None if None in lines.values() else lines)
            parts.append(f"{plural(len(lines), 'row has', 'rows have')} {nothing}: {where}")
    return f"{found[0].file}: {'; '.join(parts)}"


def write_set_aside(found: Iterable[SetAside], path: Path) -> bool:
    """List the rows in a file, of which nothing older stays; say whether there was any.

    Raises:
        DataError: the file cannot be written.
    """
    records = [one._asdict() for one in found]
    if records:
        write_rows(records, SetAside._fields, path)
    else:
        path.unlink(missing_ok=True)
    return bool(records)
