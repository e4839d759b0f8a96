"""Rows that ``sharprecl augment`` made, as far as a file that may be damaged tells of them."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sharprecl.data.augmented import MARK_COLUMN, SOURCE_COLUMN, CopyRows, copies_in
from sharprecl.data.raw_table import RawTable
from sharprecl.doctor.issues.base import Finding, Issue
from sharprecl.errors import DataError


def read_copies(raw: RawTable, texts: Sequence[Any], labels: Sequence[Any]) -> tuple[CopyRows | None, list[Finding]]:
    """The copies among all rows, usable or not. Where training would refuse the file, there are none and a finding.

    ``texts`` and ``labels`` are the columns as they were read.
    """
    if SOURCE_COLUMN not in raw.names and MARK_COLUMN not in raw.names:
        return None, []
    # Half characters have no UTF-8, which marks are made of; the row is set aside and told of elsewhere.
    whole = [text.encode("utf-8", "replace").decode() if isinstance(text, str) else "" for text in texts]
    numbers: dict[str, int] = {}
    label_ids = np.array([numbers.setdefault(str(label), len(numbers)) for label in labels], dtype=np.int64)
    try:
        return copies_in(raw, whole, label_ids), []
    except DataError as error:
        sentence, _, cure = str(error).removeprefix(f"{raw.origin}: ").partition("; ")
    except ValueError:
        # Python reads no number of over 4,300 digits.
        sentence = f"column {SOURCE_COLUMN!r} holds a number without end, which names no original row"
        cure = "augment the originals again"
    return None, [Finding("problem", "rows", f"{sentence}; every row was taken for an original", cure)]


class AugmentedCopies(Issue):
    """How many copies there are among the usable rows, and what they are left out of."""

    def findings(self) -> Iterator[Finding]:
        if (copies := self.data.train.table.copies) is not None:
            count, total = int(copies.is_copy.sum()), len(copies.is_copy)
            but = " but for one of each text" if count == total else ""
            sentence = (
                f"{count:,} of {total:,} rows {'is a copy' if count == 1 else 'are copies'} that sharprecl augment "
                f"made: counted in classes and batches, but left out{but} where repeats, leaks, wrong labels and the "
                "floor are looked for"
            )
            yield Finding("note", "rows", sentence)
