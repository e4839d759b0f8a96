"""Which texts are nearly equal: candidates from sketches, each verified exactly, joined into groups."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sharprecl.doctor.keys import distinct
from sharprecl.doctor.minhash import BANDS, Pairs, candidates, resemblance, sketch
from sharprecl.doctor.shingles import jaccard
from sharprecl.doctor.slices import READ, Progress, silent

NEARLY = 0.8
"""Two texts are nearly equal that share this much of their pieces (Jaccard index of runs of five characters): a typo in
a title of fifty characters, a word changed in a text of twenty, and not two questions that differ by what they ask."""
WORTH_VERIFYING = NEARLY - 0.12
"""The estimate may be too low by four standard errors: one pair in 30,000 is lost so."""
AT_ONCE = 4_000_000
"""Characters of the texts that are verified together."""


class Alike:
    """Groups of nearly equal texts, as they are found.

    Attributes:
        groups: a number for each of N texts, equal in a group, int64 ``[N]``; a chain of pairs makes one group.
        train_groups, test_groups: the same with pairs within training, or within test, alone.
        leaking: texts of the test file that are equal or nearly so to one of training, bool ``[N]``.
    """

    def __init__(self, in_train: NDArray[np.bool_], in_test: NDArray[np.bool_]) -> None:
        self.in_train, self.in_test = in_train, in_test
        self.groups, self.train_groups, self.test_groups = (np.arange(len(in_train)) for _ in range(3))
        self.leaking = in_train & in_test

    def news(self, pairs: Pairs) -> NDArray[np.bool_]:
        """Which pairs would tell something that is not known yet, ``[P]``."""
        first, second = pairs
        new = np.asarray(self.groups[first] != self.groups[second])
        for inside, groups in ((self.in_train, self.train_groups), (self.in_test, self.test_groups)):
            new |= inside[first] & inside[second] & (groups[first] != groups[second])
        for one, other in ((first, second), (second, first)):
            new |= self.in_train[one] & self.in_test[other] & ~self.leaking[other]
        return new

    def join(self, pairs: Pairs) -> None:
        """Take in pairs of nearly equal texts."""
        first, second = pairs
        self.groups = _joined(self.groups, pairs)
        self.train_groups = _joined(self.train_groups, pairs[:, self.in_train[first] & self.in_train[second]])
        self.test_groups = _joined(self.test_groups, pairs[:, self.in_test[first] & self.in_test[second]])
        for one, other in ((first, second), (second, first)):
            self.leaking[other[self.in_train[one] & self.in_test[other]]] = True


def find_alike(
    texts: Sequence[str],
    in_train: NDArray[np.bool_],
    in_test: NDArray[np.bool_],
    progress: Progress = silent,
) -> Alike:
    """Group N texts, no two of them equal; see ``NEARLY`` for when two belong together.

    No pair below the threshold is joined. One above it is missed with a chance below 1 in 10,000, or where more than
    a few dozen texts are as alike as that.

    Args:
        texts: N texts, in an order that does not come from the rows, for it decides which of many are compared.
        in_train, in_test: which of them stand in the training file and which in the test file, ``[N]``.
        progress: is told twice about every text: as sketched and as compared.
    """
    found = Alike(in_train, in_test)
    lengths = np.fromiter((min(len(text), READ) for text in texts), dtype=np.int64, count=len(texts))
    sketches = sketch(texts, progress)
    refuted = np.empty(0, dtype=np.uint64)
    for band, met in candidates(sketches):
        progress("comparing texts", band, BANDS)
        pairs = met[:, found.news(met)]
        pairs = pairs[:, resemblance(sketches, pairs) >= WORTH_VERIFYING]
        names = pairs[0].astype(np.uint64) << np.uint64(32) | pairs[1].astype(np.uint64)
        fresh = ~_holds(refuted, names)
        pairs, names = pairs[:, fresh], names[fresh]
        for part in _parts(lengths[pairs].sum(axis=0)):
            alike = _verified(texts, pairs[:, part])
            found.join(pairs[:, part][:, alike])
            refuted = np.concatenate([refuted, names[part][~alike]])
        refuted.sort()
    progress("comparing texts", BANDS, BANDS)
    return found


def _holds(ordered: NDArray[np.uint64], values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    places = np.searchsorted(ordered, values)
    held = np.zeros(len(values), dtype=bool)
    inside = places < len(ordered)
    held[inside] = ordered[places[inside]] == values[inside]
    return held


def _parts(sizes: NDArray[np.int64]) -> list[slice]:
    """Cut pairs of these sizes into runs of about AT_ONCE."""
    runs = np.cumsum(sizes) // AT_ONCE
    edges = [0, *(np.flatnonzero(np.diff(runs)) + 1).tolist(), len(sizes)]
    return [slice(start, stop) for start, stop in pairwise(edges) if stop > start]


def _verified(texts: Sequence[str], pairs: Pairs) -> NDArray[np.bool_]:
    """Which pairs are nearly equal, exactly, ``[P]``."""
    needed = distinct(pairs.ravel().astype(np.uint64)).astype(np.int64)
    first, second = np.searchsorted(needed, pairs)
    return np.asarray(jaccard([texts[place] for place in needed], first, second) >= NEARLY)


def _joined(groups: NDArray[np.int64], pairs: Pairs) -> NDArray[np.int64]:
    """The groups after joining those of each pair."""
    if not pairs.shape[1]:
        return groups
    first, second = groups[pairs]
    size = len(groups)
    links = coo_matrix((np.ones(len(first), dtype=bool), (first, second)), shape=(size, size))
    numbers = connected_components(links, directed=False)[1]
    return np.asarray(numbers[groups], dtype=np.int64)
