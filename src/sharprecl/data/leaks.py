"""Test rows whose text also stands in training: a model may simply remember them."""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from sharprecl.data.tables import TextTable
from sharprecl.errors import DataError


class _Letters(dict[int, int | str | None]):
    """What ``str.translate`` makes of each character, looked up once in Unicode's tables."""

    def __missing__(self, code: int) -> int | str | None:
        category = unicodedata.category(chr(code))
        kept: int | str | None = code
        if category[0] in "PZ" or category in ("Cc", "Sk"):  # Sk: ` and ´ serve as quotes
            kept = " "
        elif category == "Cf":  # without width: joiners, marks of direction, soft hyphens
            kept = None
        self[code] = kept
        return kept


_LETTERS = _Letters()


def normalised(text: str) -> str:
    """The text with case, punctuation and spacing ignored: two texts with one result count as the same text.

    Compatible forms become one (NFKC), letters lose their case, each run of punctuation and space becomes one
    space. Letters, marks, digits and symbols (``+``, ``$``, emoji) stay, so ``C++`` is not ``C``. A text of nothing but
    punctuation keeps it.
    """
    folded = text.lower() if text.isascii() else _folded(text)
    return " ".join(folded.translate(_LETTERS).split()) or " ".join(folded.split())


def _folded(text: str) -> str:
    # Case folding can take a composed letter apart, so it is composed again.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@dataclass(frozen=True)
class Leaks:
    """Which rows of a test table stand in the training table. Rows are indices from 0.

    Attributes:
        exact_rows: rows whose very text is there.
        rows: rows whose text is there up to case, punctuation and spacing; the exact ones are among them.
        same_label: how many of ``exact_rows`` have a label that their text also has in training.
        tested: rows of the test table.
    """

    exact_rows: tuple[int, ...]
    rows: tuple[int, ...]
    same_label: int
    tested: int

    @property
    def note(self) -> str | None:
        """A sentence for every result on these test rows; None where nothing leaks."""
        return self.note_on("test texts")

    def note_on(self, texts: str) -> str | None:
        """``note`` for rows that go by another name, such as ``validation texts``."""
        if not self.rows:
            return None
        verb = "stands" if len(self.rows) == 1 else "stand"
        return (
            f"{len(self.rows)} of {self.tested} {texts} also {verb} in training ({len(self.exact_rows)} letter for "
            f"letter, {self.same_label} of these with the same label), which may flatter the result"
        )


def find_leaks(train: TextTable, test: TextTable) -> Leaks:
    """Look up every test text among the training texts. The two tables may number their classes differently."""
    labels: dict[str, set[str]] = defaultdict(set)
    for text, label in zip(train.texts, train.label_ids, strict=True):
        labels[text].add(train.label_names[label])
    known = set(map(normalised, labels))
    exact = [row for row, text in enumerate(test.texts) if text in labels]
    same = sum(test.label_names[test.label_ids[row]] in labels[test.texts[row]] for row in exact)
    rows = [row for row, text in enumerate(test.texts) if text in labels or normalised(text) in known]
    return Leaks(tuple(exact), tuple(rows), same, len(test))


def without_leaks(test: TextTable, leaks: Leaks) -> TextTable:
    """The test table without ``leaks.rows``, in its order; a note says how many were left out.

    Raises:
        DataError: the leaks were found in another table, or nothing would be left.
    """
    if leaks.tested != len(test):
        raise DataError(f"the leaks were found among {leaks.tested} test rows, but {test.origin} has {len(test)}")
    if not leaks.rows:
        return test
    if len(leaks.rows) == len(test):
        raise DataError(
            f"{test.origin}: the text of every row also stands in the training data, so nothing is left to judge on; "
            "is it the same file?"
        )
    kept = np.setdiff1d(np.arange(len(test)), leaks.rows)
    count = len(leaks.rows)
    note = f"{count} test {'text that also stands' if count == 1 else 'texts that also stand'} in training left out"
    return replace(test.select(kept), notes=(*test.source_notes, note))
