"""From rows of the usable table to rows of the file that a person has open."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sharprecl.doctor.diagnosis import Duplicates, LabelErrors, TextFacts

Rows = NDArray[np.int64]
"""Where each usable row stands in its file, both counted from 1."""


def _at(rows: Sequence[int], where: Rows) -> tuple[int, ...]:
    return tuple(int(where[row - 1]) for row in rows)


def in_file_duplicates(found: Duplicates, train: Rows, test: Rows | None) -> Duplicates:
    """Duplicates with the rows of the files."""
    return replace(
        found,
        groups=tuple(
            replace(
                group,
                rows=_at(group.rows, train),
                test_rows=() if test is None else _at(group.test_rows, test),
            )
            for group in found.groups
        ),
    )


def in_file_texts(found: TextFacts, train: Rows) -> TextFacts:
    """Facts about texts with the rows of the file."""
    return replace(found, empty=_at(found.empty, train), foreign=_at(found.foreign, train))


def in_file_errors(found: LabelErrors | None, train: Rows) -> LabelErrors | None:
    """Label errors with the rows of the file."""
    if found is None:
        return None
    suspects = tuple(replace(suspect, row=int(train[suspect.row - 1])) for suspect in found.suspects)
    return replace(found, suspects=suspects)
