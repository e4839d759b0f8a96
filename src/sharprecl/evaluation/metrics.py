"""Metrics as pure functions of counts: one confusion matrix or a whole stack of them at once.

All metrics read ``Counts`` of shape [..., C], so the bootstrap computes a thousand resamples in one call. Counts may
be fractions (weighted texts). The conventions, once: 0/0 is 0, macro-F1 averages over all C classes (a class that is
never predicted counts 0, and so does a class without test texts), balanced accuracy over the classes that occur.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.errors import DataError

Floats = NDArray[np.float64]


class Counts(NamedTuple):
    """What every metric here is made of, by class, each of shape [..., C].

    Attributes:
        tp: texts of the class that were found.
        fp: texts of other classes that were given to the class.
        fn: texts of the class that were given to others.
    """

    tp: Floats
    fp: Floats
    fn: Floats


def checked_ids(ids: NDArray[Any], kind: str, least: int, n_classes: int) -> NDArray[np.int64]:
    """Class ids as they came, if they lie in [least, n_classes).

    Args:
        kind: what they are, in the plural, for the error.

    Raises:
        DataError: they are no whole numbers, or one lies outside.
    """
    if ids.dtype.kind not in "iu":
        raise DataError(f"the {kind} are {ids.dtype}, not integers; give class ids, not label names")
    outside = ids[(ids < least) | (ids >= n_classes)]
    if outside.size:
        raise DataError(
            f"the {kind} hold the id {outside[0]}, but ids run from {least} to {n_classes - 1}; "
            "was the model trained with other labels, or do they belong to other data?"
        )
    return ids.astype(np.int64)


def confusion_matrix(y_true: ArrayLike, y_pred: ArrayLike, n_classes: int) -> NDArray[np.int64]:
    """Count the texts by true class (rows) and predicted class (columns), shape [C, C].

    Args:
        y_true: class ids in [0, C), shape [N].
        y_pred: class ids in [0, C), shape [N].
        n_classes: C.
    """
    cells = np.asarray(y_true, dtype=np.int64) * n_classes + np.asarray(y_pred, dtype=np.int64)
    return np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes).astype(np.int64)


def counts_of(confusion: ArrayLike) -> Counts:
    """Reduce confusion matrices [..., C, C] to counts [..., C]."""
    matrix = np.asarray(confusion, dtype=np.float64)
    tp = np.diagonal(matrix, axis1=-2, axis2=-1)
    return Counts(tp, matrix.sum(axis=-2) - tp, matrix.sum(axis=-1) - tp)


def ratio(part: Floats, whole: Floats) -> Floats:
    """``part / whole`` where 0/0 is 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)


def precision(counts: Counts) -> Floats:
    """Of the texts given to a class, the share that belongs to it, [..., C]."""
    return ratio(counts.tp, counts.tp + counts.fp)


def recall(counts: Counts) -> Floats:
    """Of the texts of a class, the share that was found, [..., C]."""
    return ratio(counts.tp, counts.tp + counts.fn)


def f1(counts: Counts) -> Floats:
    """Harmonic mean of precision and recall, ``2 tp / (2 tp + fp + fn)``, [..., C]."""
    return ratio(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)


def accuracy(counts: Counts) -> Floats:
    """Share of the texts that were given to their class, [...]."""
    return ratio(counts.tp.sum(axis=-1), (counts.tp + counts.fn).sum(axis=-1))


def macro_f1(counts: Counts) -> Floats:
    """Mean F1 over all C classes, [...]."""
    return np.asarray(f1(counts).mean(axis=-1))


def balanced_accuracy(counts: Counts) -> Floats:
    """Mean recall over the classes that have texts, [...]."""
    return mean_where(recall(counts), counts.tp + counts.fn > 0)


def mean_where(values: Floats, mask: NDArray[np.bool_]) -> Floats:
    """Mean of ``values`` [..., C] over the classes where ``mask`` holds, [...]; 0 where it holds nowhere."""
    kept = np.where(mask, values, 0.0)
    return ratio(kept.sum(axis=-1), np.broadcast_to(mask, kept.shape).sum(axis=-1, dtype=np.float64))
