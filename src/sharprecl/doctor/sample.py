"""A sample of labelled rows, small enough to train on several times, that keeps what is rare."""

import numpy as np
from numpy.typing import NDArray

from sharprecl.doctor.keys import Keys, mixed

MOST_CLASSES = 1000
"""Of more classes the largest ones are examined: each has weights of its own."""
MOST_WORK = 20_000_000
"""Rows times classes: the time of training grows with it, to minutes."""
KEPT = 20
"""Texts of a class that stay whatever the share."""
MOST_SINGLE = 1000
"""Classes of a single text that are looked at."""


def sample(keys: Keys, labels: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """Choose rows: all of small classes, an equal share of the large ones. It does not depend on their order.

    Classes of a single text come on top, MOST_SINGLE of them at most: nothing is trained on those.

    Args:
        keys: hashes of the texts, ``[N]``.
        labels: of the rows, ``[N]``.
        most: rows at most, but for KEPT a class; no more than MOST_WORK allows, either.
        seed: of the choice.

    Returns:
        The chosen rows in the order of their hashes, int64.
    """
    counts = np.bincount(labels)
    order = np.lexsort((mixed(keys, seed), labels))
    within = np.arange(len(labels)) - (np.cumsum(counts) - counts)[labels[order]]
    larger = np.argsort(-counts, kind="stable")[:MOST_CLASSES]
    larger = larger[counts[larger] > 1]
    allowed = np.zeros(len(counts), dtype=np.int64)
    allowed[larger] = _shares(counts[larger], min(most, MOST_WORK // max(1, len(larger))))
    chosen = order[within < allowed[labels[order]]]
    single = np.flatnonzero(counts[labels] == 1)
    single = single[np.argsort(mixed(keys[single], seed), kind="stable")[:MOST_SINGLE]]
    rows = np.concatenate([chosen, single])
    return np.asarray(rows[np.lexsort((labels[rows], mixed(keys[rows], seed)))])


def _shares(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """How many of each class: KEPT at least, where there are so many, and of the rest one share that fits ``most``."""
    if counts.sum() <= most:
        return counts
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        fits = _at(counts, share).sum() <= most
        low, high = (share, high) if fits else (low, share)
    return _at(counts, low)


def _at(counts: NDArray[np.int64], share: float) -> NDArray[np.int64]:
    return np.minimum(counts, np.maximum(KEPT, (counts * share).astype(np.int64)))
