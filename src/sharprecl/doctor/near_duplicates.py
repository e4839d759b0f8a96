"""Which texts are nearly equal: candidates from sketches, each verified exactly, joined into groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sharprecl.doctor.minhash import BANDS, Pairs, candidates, jaccard, resemblance, sketch
from sharprecl.doctor.texts import READ, Progress, distinct, silent

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
    a few dozen texts are as alike as that. The order of the texts decides which of many are compared, so it must not
    come from the rows. ``in_train`` and ``in_test`` say in which files each of them stands, ``[N]``.
    """
    found = Alike(in_train, in_test)
    lengths = np.fromiter((min(len(text), READ) for text in texts), dtype=np.int64, count=len(texts))
    sketches = sketch(texts, progress)
    refuted = np.empty(0, dtype=np.int64)
    for band, met in candidates(sketches):
        progress("comparing texts", band, BANDS)
        pairs = met[:, found.news(met)]
        pairs = pairs[:, resemblance(sketches, pairs) >= WORTH_VERIFYING]
        names = pairs[0] << 32 | pairs[1]
        fresh = ~np.isin(names, refuted, assume_unique=True)
        pairs, names = pairs[:, fresh], names[fresh]
        if not len(names):
            continue
        cuts = np.flatnonzero(np.diff(np.cumsum(lengths[pairs].sum(axis=0)) // AT_ONCE)) + 1
        for some in np.split(pairs, cuts, axis=1):
            found.join(some[:, _verified(texts, some)])
        # Whatever is still news was refuted: what was confirmed has been joined.
        refuted = np.concatenate([refuted, names[found.news(pairs)]])
    progress("comparing texts", BANDS, BANDS)
    return found


def _verified(texts: Sequence[str], pairs: Pairs) -> NDArray[np.bool_]:
    """Which pairs are nearly equal, exactly, ``[P]``."""
    needed = distinct(pairs.ravel().astype(np.uint64)).astype(np.int64)
    return np.asarray(jaccard([texts[place] for place in needed], np.searchsorted(needed, pairs)) >= NEARLY)


def _joined(groups: NDArray[np.int64], pairs: Pairs) -> NDArray[np.int64]:
    """The groups after joining those of each pair."""
    if not pairs.shape[1]:
        return groups
    first, second = groups[pairs]
    size = len(groups)
    links = coo_matrix((np.ones(len(first), dtype=bool), (first, second)), shape=(size, size))
    numbers = connected_components(links, directed=False)[1]
    return np.asarray(numbers[groups], dtype=np.int64)
