"""Augmented copies of a file's rows, as ``sharprecl augment`` writes them."""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharprecl.augment.base import ProgressCallback
from sharprecl.augment.copies import Ints, Make, make_copies, water_fill
from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN, text_mark
from sharprecl.data.checks import checked_labels, plain
from sharprecl.data.leaks import normalised
from sharprecl.data.raw_table import RawTable
from sharprecl.data.tables import Rows

LONGEST = 100_000
"""Characters of the longest text that is augmented. No encoder reads that far, and word lists would fill the memory."""

LABEL = "label"
"""The column of labels where none is named."""

Labels = list[str | None] | None
"""A label for each row, None where it has none; None altogether where there is no column of labels."""


@dataclass(frozen=True, eq=False)
class AugmentedRows:
    """The copies of a file's rows.

    Attributes:
        rows: the file.
        text: its column of texts.
        texts: the new texts.
        of_rows: the row, from 0, that each is a copy of, int64 [M], ascending.
        counts, new_counts: texts of each class before, and new ones, int64 [C] each.
        notes: sentences about what got no copies and why.
    """

    rows: Rows
    text: str
    texts: list[str]
    of_rows: Ints
    counts: Ints
    new_counts: Ints
    notes: list[str]

    def output(self, only_new: bool) -> tuple[Rows, dict[str, list[Any]]]:
        """The rows to write, and the columns to write behind theirs."""
        of_rows = self.of_rows.tolist()
        old = [] if only_new else self.rows.records
        new = [{**self.rows.records[row], self.text: text} for row, text in zip(of_rows, self.texts, strict=True)]
        texts = (*(() if only_new else self.rows.texts), *self.texts)
        empty = [None] * len(old)
        columns = {
            SOURCE_COLUMN: [*empty, *(row + 1 for row in of_rows)],
            MARK_COLUMN: [*empty, *(text_mark(self.rows.texts[row]) for row in of_rows)],
        }
        return replace(self.rows, records=[*old, *new], texts=texts), columns


def row_labels(rows: Rows, label: str | None = None, *, needed: bool = False) -> Labels:
    """The labels of rows that are to be augmented.

    Args:
        rows: as ``read_rows`` gives them.
        label: the column of labels; None means ``LABEL``, where there is one.
        needed: whether there must be such a column, of strings or numbers.

    Raises:
        DataError: no such column, or unfit labels where they are needed; one sentence with row numbers.
    """
    name = LABEL if label is None else label
    raw = RawTable(rows.origin, rows.names, len(rows), lambda column: [record.get(column) for record in rows.records])
    if needed or label is not None:
        raw.require(name, "label")
    if needed:
        return [value or None for value in checked_labels(raw, name)]
    return labels_in(raw, name)


def labels_in(raw: RawTable, name: str) -> Labels:
    """The labels of a table, whatever they are."""
    if name not in raw.names:
        return None
    values = (None if value is None else str(value) for value in plain(raw.column(name)))
    return [value if value and value.strip() else None for value in values]


def label_names(labels: Labels) -> list[str]:
    """All labels, sorted."""
    return sorted({label for label in labels or () if label is not None})


def augment_rows(
    rows: Rows,
    text: str,
    labels: Labels,
    make: Make,
    progress: ProgressCallback,
    *,
    copies: int,
    budget: int | None = None,
    seed: int = 0,
    seeded: bool = True,
) -> AugmentedRows:
    """Make new rows for a file: ``copies`` of each text, or as many of rare classes as a budget pays for.

    Which texts are made does not depend on the order of the rows.

    Args:
        rows: the file.
        text: its column of texts.
        labels: as ``row_labels`` gives them; with a budget, a row without one gets no copies.
        make: gives second views of texts for a seed.
        progress: called with (copies made, copies in all).
        copies: of one text; with a budget, at most.
        budget: new texts in all, see ``water_fill``; None makes ``copies`` of each text.
        seed: of the first copies; the second ones have ``seed + 1``.
        seeded: whether another seed gives another text; where it does not, each text is asked for once.
    """
    usable, notes = _usable_rows(rows.texts, labels, labelled=budget is not None)
    texts = [rows.texts[row] for row in usable]
    ids = {name: place for place, name in enumerate(label_names(labels))}
    class_N = np.array([-1 if label is None else ids[label] for label in labels or [None] * len(rows)], dtype=np.int64)
    counts = np.bincount(class_N[class_N >= 0], minlength=len(ids)).astype(np.int64)
    made, unchanged_N = make_copies(
        texts,
        np.zeros(len(texts), dtype=np.int64) if budget is None else class_N[usable],
        lambda room: room if budget is None else water_fill(counts, room, budget),
        make,
        progress,
        n_classes=1 if budget is None else len(counts),
        most=copies,
        taken={normalised(text) for text in set(rows.texts) if len(text) <= LONGEST},
        seed=seed,
        seeded=seeded,
    )
    pairs = sorted((row, k, text) for row, some in zip(usable, made, strict=True) for k, text in enumerate(some))
    of_rows = np.array([row for row, _, _ in pairs], dtype=np.int64)
    new = class_N[of_rows]
    if unchanged := int(unchanged_N.sum()):
        notes.insert(0, f"{_texts(unchanged)} got no copy: nothing in {_them(unchanged)} could be changed")
    if not seeded and copies > 1:
        notes.append(f"no text got more than 1 of {copies} copies: this augmenter gives the same text for every seed")
    possible = (copies if seeded else min(copies, 1)) * (len(texts) - unchanged) if budget is None else budget
    if lacking := possible - len(pairs):
        limit = f"none has more copies than --copies says ({copies})" if seeded else "none has two copies"
        notes.append(
            f"{_texts(lacking)} fewer than asked for could be made: none repeats a text that is there, and {limit}"
        )
    new_counts = np.bincount(new[new >= 0], minlength=len(counts))
    return AugmentedRows(rows, text, [text for _, _, text in pairs], of_rows, counts, new_counts, notes)


def _usable_rows(texts: tuple[str, ...], labels: Labels, *, labelled: bool) -> tuple[list[int], list[str]]:
    """The first row of every text that can have copies, and sentences about the others but empty ones."""
    there = [row for row, text in enumerate(texts) if text]
    known = [row for row in there if labels is not None and labels[row] is not None] if labelled else there
    first: dict[str, int] = {}
    for row in known:
        first.setdefault(texts[row], row)
    names: dict[str, set[str]] = defaultdict(set)
    for text, label in zip(texts, labels or [], strict=False):
        if label is not None:
            names[text].add(label)
    torn = {text for text, given in names.items() if len(given) > 1}
    whole = [row for text, row in first.items() if text not in torn]
    rows = [row for row in whole if len(texts[row]) <= LONGEST]
    notes = []
    if unlabelled := len(there) - len(known):
        notes.append(f"{_texts(unlabelled)} got no copy: no label says to which class {_them(unlabelled)} would go")
    if repeated := sum(texts[row] not in torn for row in known) - len(whole):
        some, own = ("1 row", "its") if repeated == 1 else (f"{repeated} rows", "their")
        notes.append(f"{some} got no copies of {own} own: an earlier row has the same text")
    if torn:
        notes.append(f"{_texts(len(torn))} got no copy: rows give {_them(len(torn))} different labels")
    if too_long := len(whole) - len(rows):
        notes.append(f"{_texts(too_long)} got no copy: over {LONGEST} characters, more than any encoder reads")
    return rows, notes


def _texts(count: int) -> str:
    return "1 text" if count == 1 else f"{count} texts"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"
