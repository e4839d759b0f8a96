"""Augmented copies of a file's rows, as ``sharprecl augment`` writes them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharprecl.augment.base import ProgressCallback
from sharprecl.augment.budget import water_fill
from sharprecl.augment.copies import Ints, Make, make_copies
from sharprecl.augment.originals import LONGEST, Originals, Usable, usable_rows
from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN, text_mark
from sharprecl.data.leaks import normalised
from sharprecl.data.tables import Rows


@dataclass(frozen=True, eq=False)
class Augmented:
    """Copies of the rows of a file.

    Attributes:
        originals: the file.
        usable: which of its rows could have copies.
        texts: the new texts.
        of_rows: the row, from 0, that each is a copy of, int64 ``[M]``, ascending.
        unchanged: how many texts came back as they were.
        most: copies of one text at most, as they were asked for.
        seeded: whether another seed gives another text; where it does not, a text has one copy at most.
        lacking: how many more new texts there were to be.
    """

    originals: Originals
    usable: Usable
    texts: list[str]
    of_rows: Ints
    unchanged: int
    most: int
    seeded: bool
    lacking: int

    def class_counts(self) -> tuple[Ints, Ints]:
        """Texts of each class before and after, in the order of ``label_names``, int64 ``[C]`` each."""
        before, ids = _counts(self.originals)
        new = ids[self.of_rows]
        return before, before + np.bincount(new[new >= 0], minlength=len(before))

    def output(self, only_new: bool) -> tuple[Rows, dict[str, list[Any]]]:
        """The rows to write, and the columns to write behind theirs."""
        rows = self.originals.rows
        old = [] if only_new else rows.records
        new = [
            {**rows.records[row], self.originals.text: text}
            for row, text in zip(self.of_rows.tolist(), self.texts, strict=True)
        ]
        texts = (*(() if only_new else rows.texts), *self.texts)
        empty = [None] * len(old)
        columns = {
            SOURCE_COLUMN: [*empty, *(row + 1 for row in self.of_rows.tolist())],
            MARK_COLUMN: [*empty, *(text_mark(rows.texts[row]) for row in self.of_rows.tolist())],
        }
        return replace(rows, records=[*old, *new], texts=texts), columns

    def sentences(self) -> Iterator[str]:
        """What a person should know: what got no copies and why."""
        usable = self.usable
        if self.unchanged:
            yield f"{_texts(self.unchanged)} got no copy: nothing in {_them(self.unchanged)} could be changed"
        if usable.repeated:
            rows, own = ("1 row", "its") if usable.repeated == 1 else (f"{usable.repeated} rows", "their")
            yield f"{rows} got no copies of {own} own: an earlier row has the same text"
        if usable.contradicting:
            them = _them(usable.contradicting)
            yield f"{_texts(usable.contradicting)} got no copy: rows give {them} different labels"
        if usable.too_long:
            yield f"{_texts(usable.too_long)} got no copy: over {LONGEST} characters, more than any encoder reads"
        if not self.seeded and self.most > 1:
            yield f"no text got more than 1 of {self.most} copies: this augmenter gives the same text for every seed"
        if self.lacking:
            limit = f"none has more copies than --copies says ({self.most})" if self.seeded else "none has two copies"
            fewer = f"{_texts(self.lacking)} fewer than asked for could be made"
            yield f"{fewer}: none repeats a text that is there, and {limit}"


def augment_rows(
    originals: Originals,
    make: Make,
    progress: ProgressCallback,
    *,
    copies: int,
    budget: int | None = None,
    seed: int = 0,
    seeded: bool = True,
) -> Augmented:
    """Make new rows for a file: ``copies`` of each text, or as many of rare classes as a budget pays for.

    Which texts are made does not depend on the order of the rows.

    Args:
        originals: the file; with a budget, every row has a label.
        make: gives second views of texts for a seed.
        progress: called with (copies made, copies in all).
        copies: of one text; with a budget, at most.
        budget: new texts in all, see ``water_fill``; None makes ``copies`` of each text.
        seed: of the first copies; the second ones have ``seed + 1``.
        seeded: whether another seed gives another text; where it does not, each text is asked for once.
    """
    usable = usable_rows(originals)
    texts = [originals.rows.texts[row] for row in usable.rows]
    taken = {normalised(text) for text in set(originals.rows.texts) if len(text) <= LONGEST}
    if budget is None:
        made = make_copies(
            texts, np.zeros(len(texts), dtype=np.int64), 1, copies, _all, make, taken, seed, progress, seeded
        )
    else:
        counts, ids = _counts(originals)
        classes = ids[usable.rows]
        made = make_copies(
            texts,
            classes,
            len(counts),
            copies,
            lambda room: water_fill(counts, room, budget),
            make,
            taken,
            seed,
            progress,
            seeded,
        )
    pairs = sorted(
        (row, k, text) for row, some in zip(usable.rows, made.texts, strict=True) for k, text in enumerate(some)
    )
    unchanged = int(made.unchanged.sum())
    a_text = copies if seeded else min(copies, 1)
    possible = a_text * (len(texts) - unchanged) if budget is None else budget
    return Augmented(
        originals,
        usable,
        [text for _, _, text in pairs],
        np.array([row for row, _, _ in pairs], dtype=np.int64),
        unchanged,
        copies,
        seeded,
        possible - len(pairs),
    )


def _all(room: Ints) -> Ints:
    return room


def _counts(originals: Originals) -> tuple[Ints, Ints]:
    """Texts of each class, int64 ``[C]``, and the class of each row, int64 ``[N]``, -1 where it has none."""
    places = {name: place for place, name in enumerate(originals.label_names)}
    labels = originals.labels or [None] * len(originals.rows)
    ids = np.array([-1 if label is None else places[label] for label in labels], dtype=np.int64)
    return np.bincount(ids[ids >= 0], minlength=len(places)).astype(np.int64), ids


def _texts(count: int) -> str:
    return "1 text" if count == 1 else f"{count} texts"


def _them(count: int) -> str:
    return "it" if count == 1 else "them"
