"""The review file: rows about which a person decides, one line each, in a table that any spreadsheet opens."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sharprecl.data.checks import plain
from sharprecl.data.dialect import RECOGNISED
from sharprecl.data.messages import excerpt, shorten
from sharprecl.data.raw_table import RawTable
from sharprecl.data.sources import open_table
from sharprecl.data.workbook import MOST_CHARACTERS
from sharprecl.errors import DataError

ROW, DECISION, MARK = "row", "decision", "mark"
COLUMNS = (ROW, "why", "label", "suggested label", "text", DECISION, MARK)
SHOWN_TEXT = 1000
"""Characters of a text: enough to decide by, and no spreadsheet takes 40,000."""


class Doubt(NamedTuple):
    """A row (from 0) that a person should decide about. ``kept``: until then it stays in the cleaned file."""

    row: int
    what: str
    why: str
    suggested: str
    kept: bool


def mark(text: str, label: str) -> str:
    """What tells a row from others, whatever a spreadsheet does to the text: a letter, so that it is taken for no
    number, and 12 hex digits of the SHA-256 of label and text as they were read.
    """
    return "m" + hashlib.sha256(f"{label}\0{text}".encode()).hexdigest()[:12]


def review_rows(doubts: Iterable[Doubt], raw: RawTable, text: str, label: str) -> Iterator[dict[str, Any]]:
    """The lines of the file. Labels are shown as they were read."""
    texts, labels = plain(raw.column(text)), plain(raw.column(label))
    for doubt in doubts:
        here, name = texts[doubt.row], str(labels[doubt.row])
        told = map(writable, (doubt.why, name, doubt.suggested, excerpt(here, SHOWN_TEXT)))
        cells = (doubt.row + 1, *told, None, mark(here, name))
        yield dict(zip(COLUMNS, cells, strict=True))


def read_review(path: Path) -> list[tuple[int, str, str]]:
    """The row (from 0), its mark and the decision of each line, empty where nobody decided; lines may be missing, or
    sorted otherwise.

    Raises:
        DataError: the file cannot be read, is no review file, or has a line without a row.
    """
    raw = open_table(path, "text", "label", RECOGNISED)
    names = {name.strip().casefold(): name for name in raw.names}
    if lacking := [name for name in (ROW, DECISION, MARK) if name not in names]:
        raise DataError(
            f"{path} has no column {lacking[0]!r}, so it is no review file; give the one that 'sharprecl doctor --fix' "
            "wrote, with its header"
        )
    columns = ([_cell(value) for value in plain(raw.column(names[name]))] for name in (ROW, MARK, DECISION))
    lines = []
    for place, (row, told, decision) in enumerate(zip(*columns, strict=True)):
        if not (row or told or decision):
            continue
        number = row.removesuffix(".0")
        if not (number.isascii() and number.isdigit() and len(number) < 19 and int(number)):
            raise DataError(
                f"{path}: the row of line {place + 1} below the header is {shorten(row)}, not a number; leave the "
                f"columns {ROW!r} and {MARK!r} as they were written"
            )
        lines.append((int(number) - 1, told, decision))
    return lines


def decisions_on(path: Path, raw: RawTable, text: str, label: str) -> dict[int, str]:
    """What a person decided, by row (from 0) of the file that the review was made from.

    Raises:
        DataError: see ``read_review``; no decision, two about one row, or rows that the file does not have.
    """
    texts, labels = plain(raw.column(text)), plain(raw.column(label))
    decisions: dict[int, str] = {}
    for row, told, decision in read_review(path):
        if not decision:
            continue
        same = row < raw.size and isinstance(texts[row], str) and mark(texts[row], str(labels[row])) == told
        if not same:
            raise DataError(
                f"{path} decides on row {row + 1}, which is not as it was in {raw.origin} when the review file was "
                "written; give the file that it was made from, or write a review file anew"
            )
        if decisions.setdefault(row, decision) != decision:
            raise DataError(f"{path} decides on row {row + 1} in two ways; leave one of them")
    if not decisions:
        raise DataError(
            f"{path} holds no decision yet; write keep, drop or the name of a class into its column {DECISION!r}"
        )
    return decisions


def writable(text: str) -> str:
    """A text as every file can hold it: without half characters, NUL, and more than a cell of a workbook takes."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")[:MOST_CHARACTERS]


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()
