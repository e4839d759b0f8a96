"""Methods ranked over many columns (data sets), with Friedman's test and Nemenyi's critical difference (Demšar 2006).

The tests take the columns as independent. Columns of one data set, such as its imbalance ratios, are not: a method that
suits the data set is lucky in all of them, and methods alike on average are then told apart many times too often
(``benchmarks/significance_null.py``). ``blocks`` names the data set of each column, and a data set counts once. Two
metrics of the same runs are not independent either: rank one metric.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import Floats

LEVEL = 0.05


@dataclass(frozen=True)
class Ranking:
    """Average ranks and what separates them: all that a critical-difference diagram shows.

    Attributes:
        methods: names, best average rank first; equal ranks in the order that was given.
        average_ranks: over the blocks, 1 is best, in the order of ``methods``; methods that tie in a block share the
            mean of their ranks there.
        p: Friedman's, of "all methods rank alike"; None with fewer than three methods or two blocks.
        critical_difference: methods whose average ranks are at least this far apart differ at 5 % (Nemenyi).
        groups: the bars of the diagram: the largest sets of neighbours within which no two methods differ, as names,
            best first; methods that differ from all others are in none.
    """

    methods: tuple[str, ...]
    average_ranks: tuple[float, ...]
    p: float | None
    critical_difference: float
    groups: tuple[tuple[str, ...], ...]

    @property
    def can_reject(self) -> bool:
        """Whether any ranks of so many methods over so few blocks could differ at 5 %."""
        return self.critical_difference <= len(self.methods) - 1


def rank_methods(methods: Sequence[str], scores: ArrayLike, blocks: Sequence[Hashable] | None = None) -> Ranking:
    """Rank the methods in every column, larger scores first; in a block of several columns, by their mean rank.

    Args:
        methods: k names, at least two.
        scores: [k, columns]. Round them first if what a table shows as equal shall tie.
        blocks: what each column belongs to, such as its data set; None takes every column for itself.

    Raises:
        DataError: fewer than two methods, no columns, other shapes, or a method without a score in one.
    """
    values = np.asarray(scores, dtype=np.float64)
    if len(methods) < 2 or values.ndim != 2 or len(values) != len(methods) or not values.size:
        raise DataError(
            f"there are {len(methods)} methods and scores of shape {values.shape}; "
            "give at least two methods and one row of scores for each"
        )
    if blocks is not None and len(blocks) != values.shape[1]:
        raise DataError(f"there are {values.shape[1]} columns but {len(blocks)} blocks; name the block of every column")
    if not np.isfinite(values).all():
        raise DataError("a method has no score in some column, so it cannot be ranked there; finish the missing runs")
    ranks = rankdata(-values, axis=0)
    if blocks is not None:
        ranks = _by_block(ranks, blocks)
    average = ranks.mean(axis=1)
    order = np.argsort(average, kind="stable")
    distance = critical_difference(*ranks.shape)
    names = tuple(methods[index] for index in order)
    return Ranking(
        methods=names,
        average_ranks=tuple(average[order].tolist()),
        p=_friedman(ranks),
        critical_difference=distance,
        groups=tuple(names[start:stop] for start, stop in _groups(average[order], distance)),
    )


def critical_difference(n_methods: int, n_blocks: int) -> float:
    """Nemenyi's: ``q sqrt(k (k + 1) / (6 N))``, q the 95 % point of the studentised range of k over sqrt(2)."""
    q = float(studentized_range.ppf(1 - LEVEL, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))


def _by_block(ranks: Floats, blocks: Sequence[Hashable]) -> Floats:
    """Rank the methods by their mean rank in each block: [k, columns] to [k, blocks]."""
    members = {block: [other == block for other in blocks] for block in dict.fromkeys(blocks)}
    # Ranks are halves, so their sums are exact: equal mean ranks tie.
    means = [ranks[:, columns].mean(axis=1) for columns in members.values()]
    return np.asarray(rankdata(np.stack(means, axis=1), axis=0))


def _friedman(ranks: Floats) -> float | None:
    if len(ranks) < 3 or ranks.shape[1] < 2:
        return None
    if (ranks == ranks[0]).all():
        return 1.0  # scipy divides 0 by 0 where all methods tie in every column.
    return float(friedmanchisquare(*ranks).pvalue)


def _groups(average: Floats, distance: float) -> list[tuple[int, int]]:
    """Runs [start, stop) of sorted average ranks that lie within the distance and in no longer run."""
    # Average ranks are sums of halves over N, so a gap that equals the distance may come out a rounding short.
    reach = [int(np.searchsorted(average, rank + distance - 1e-12)) for rank in average]
    runs = []
    for start, stop in enumerate(reach):
        if stop - start > 1 and (start == 0 or stop > reach[start - 1]):
            runs.append((start, stop))
    return runs
