"""Wilcoxon's signed-rank test over paired values: the scores of two methods seed by seed, or item by item."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import wilcoxon

from sharprecl.errors import DataError

# Differences of metrics that are equal come out a few roundings apart, and a rank test would order them.
DECIMALS = 10


@dataclass(frozen=True)
class SignedRank:
    """What the test found.

    Attributes:
        statistic: the smaller of the rank sums of the positive and of the negative differences.
        p: two-sided; 1 where no pair differs.
        least_p: what p cannot fall below with this many pairs that differ, ``2 / 2^n``: three seeds never give less
            than 0.25, and six are the fewest that can reach 0.05.
        mean_difference, median_difference: first minus second, over all pairs.
        n_better, n_worse, n_equal: pairs where the first is larger, smaller, equal.
    """

    statistic: float
    p: float
    least_p: float
    mean_difference: float
    median_difference: float
    n_better: int
    n_worse: int
    n_equal: int


def signed_rank(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """Test whether the differences lie symmetrically around 0 (``scipy.stats.wilcoxon``).

    Pairs without a difference are left out, as Wilcoxon does. Exact up to 50 pairs, also with ties up to 13 pairs; the
    normal approximation, corrected for ties, beyond. Over seeds, the pairs must belong together (same split and seed).

    Args:
        first: values of one method, [n]; over test items, ``item_scores`` gives them.
        second: values of the other for the same seeds or items, [n].

    Raises:
        DataError: no pairs, other shapes, or values that are not finite.
    """
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.shape != b.shape or a.ndim != 1 or a.size == 0:
        raise DataError(
            f"the values have shapes {a.shape} and {b.shape}, so they are not pairs; give both methods' values for the "
            "same seeds, at least one"
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise DataError("some values are not finite numbers; leave out the seeds whose runs failed, for both methods")
    differences = np.round(a - b, DECIMALS)
    moved = differences[differences != 0]
    statistic, p = (float(value) for value in wilcoxon(moved)) if len(moved) else (0.0, 1.0)
    return SignedRank(
        statistic=statistic,
        p=p,
        least_p=min(1.0, 2.0 ** (1 - len(moved))),
        mean_difference=float(differences.mean()),
        median_difference=float(np.median(differences)),
        n_better=int((differences > 0).sum()),
        n_worse=int((differences < 0).sum()),
        n_equal=len(differences) - len(moved),
    )
