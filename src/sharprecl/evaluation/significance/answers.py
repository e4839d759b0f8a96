"""The answers of one system over its seeds, checked once at the door."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.errors import DataError

Ids = NDArray[np.int64]


def checked_gold(gold: ArrayLike, n_classes: int) -> Ids:
    """True class ids as an array [N].

    Raises:
        DataError: no items, or ids outside [0, n_classes).
    """
    ids = np.asarray(gold)
    if ids.ndim != 1 or ids.size == 0:
        raise DataError(f"the true labels have shape {ids.shape}; give one class id for each of at least one test item")
    return _checked_ids(ids, "true labels", 0, n_classes)


def checked_answers(answers: ArrayLike, n_items: int, n_classes: int) -> Ids:
    """Answers of a system as [S, N]; a single row [N] is one seed.

    Raises:
        DataError: other shapes, or ids outside [-1, n_classes).
    """
    ids = np.atleast_2d(np.asarray(answers))
    if ids.ndim != 2 or len(ids) == 0 or ids.shape[1] != n_items:
        raise DataError(
            f"the answers have shape {np.shape(answers)} but there are {n_items} true labels, so they belong to "
            "different test sets; give one answer for each test item, one row a seed"
        )
    return _checked_ids(ids, "answers", -1, n_classes)


def _checked_ids(ids: NDArray[np.generic], kind: str, least: int, n_classes: int) -> Ids:
    if ids.dtype.kind not in "iu":
        raise DataError(f"the {kind} are {ids.dtype}, not integers; give class ids, not label names")
    whole = ids.astype(np.int64)
    outside = whole[(whole < least) | (whole >= n_classes)]
    if outside.size:
        raise DataError(
            f"the {kind} hold the id {outside[0]}, but ids run from {least} to {n_classes - 1}; "
            "do the answers belong to other data?"
        )
    return whole
