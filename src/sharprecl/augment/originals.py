"""The rows of a file that is to be augmented, and which of them can be."""

from collections import defaultdict
from dataclasses import dataclass

from sharprecl.data.checks import checked_labels, plain
from sharprecl.data.raw_table import RawTable
from sharprecl.data.tables import Rows

LONGEST = 100_000
"""Characters of the longest text that is augmented. No encoder reads that far, and word lists would fill the memory."""

LABEL = "label"
"""The column of labels where none is named."""


@dataclass(frozen=True, eq=False)
class Originals:
    """A file to augment.

    Attributes:
        rows: the texts, and all columns.
        text: the column of the texts.
        labels: one a row, None where there is none; None altogether where there is no column of labels.
    """

    rows: Rows
    text: str
    labels: list[str | None] | None

    @property
    def label_names(self) -> list[str]:
        """All labels, sorted."""
        return sorted({label for label in self.labels or () if label is not None})


@dataclass(frozen=True)
class Usable:
    """Which rows can have copies.

    Attributes:
        rows: the first row of every text that can, from 0.
        repeated: rows whose text an earlier row has too.
        contradicting: texts that rows give different labels: a copy would belong to no class for sure.
        too_long: texts of more than ``LONGEST`` characters.
    """

    rows: list[int]
    repeated: int
    contradicting: int
    too_long: int


def originals_of(rows: Rows, text: str, label: str | None = None, *, need_labels: bool = False) -> Originals:
    """Find the labels of rows that are to be augmented.

    Args:
        rows: as ``read_rows`` gives them.
        text: the column of texts.
        label: the column of labels; None means ``LABEL``, where there is one.
        need_labels: every row needs a label.

    Raises:
        DataError: no such column, or labels that are needed are missing or unfit; one sentence with row numbers.
    """
    name = LABEL if label is None else label
    sheet = RawTable(rows.origin, rows.names, len(rows), lambda column: [record.get(column) for record in rows.records])
    if need_labels or label is not None:
        sheet.require(name, "label")
    if name not in sheet.names:
        return Originals(rows, text, None)
    if need_labels:
        return Originals(rows, text, list(checked_labels(sheet, name)))
    values = (None if value is None else str(value) for value in plain(sheet.column(name)))
    return Originals(rows, text, [value if value and value.strip() else None for value in values])


def usable_rows(originals: Originals) -> Usable:
    """Leave out what cannot or must not have copies."""
    texts = originals.rows.texts
    first: dict[str, int] = {}
    for row, text in enumerate(texts):
        first.setdefault(text, row)
    names: dict[str, set[str]] = defaultdict(set)
    for text, label in zip(texts, originals.labels or [], strict=False):
        if label is not None:
            names[text].add(label)
    torn = {text for text, given in names.items() if len(given) > 1}
    whole = [row for text, row in first.items() if text not in torn]
    rows = [row for row in whole if len(texts[row]) <= LONGEST]
    repeated = sum(text not in torn for text in texts) - len(whole)
    return Usable(rows, repeated, len(torn), len(whole) - len(rows))
