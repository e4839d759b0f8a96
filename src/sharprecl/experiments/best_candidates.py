"""Which rows of a column may be the best one, whoever came out first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sharprecl.evaluation.significance.with_the_best import compare_with_best
from sharprecl.experiments.cells import Line
from sharprecl.experiments.comparisons import LEVEL, TESTED
from sharprecl.experiments.tables import Table

LEAST_TEXTS = 20
"""Test texts below which a mean over them is no normal variable, and nothing is decided."""


@dataclass(frozen=True)
class BestCandidates:
    """One column in one metric, every row held against the one that leads.

    Attributes:
        p: of each complete row, that it comes out so far behind though it is the best.
        seeds: how many each row has.
    """

    metric: str
    column: str
    p: Mapping[Line, float]
    seeds: int

    @property
    def ruled_out(self) -> tuple[Line, ...]:
        """Rows that are not the best one, as far as anything can be told."""
        return tuple(line for line, p in self.p.items() if p <= LEVEL)


def find_best_candidates(table: Table) -> tuple[BestCandidates, ...]:
    """Hold the rows of each column against its best; in a curve, the values of each setting among themselves.

    Only complete rows, and none where a column's data changed between runs or are fewer than ``LEAST_TEXTS``.
    """
    return tuple(found for metric in TESTED for column in table.columns for found in _of_column(table, metric, column))


def _of_column(table: Table, metric: str, column: str) -> Iterator[BestCandidates]:
    data, means = table.data_of(column), table.means(metric, column)
    if data is None or len(data.gold) < LEAST_TEXTS:
        return
    for group in table.groups:
        keys = {line: table.keys(line, column) for line in group if line in means}
        # Rows that are the same runs are one contender.
        cells = {keys[line]: table.cells[line, column] for line in keys}
        if len(cells) < 2:
            continue
        answers = [[cell.runs[seed].answers for seed in sorted(cell.runs)] for cell in cells.values()]
        found = compare_with_best(np.asarray(data.gold), answers, len(data.label_names), TESTED[metric])
        p_of = dict(zip(cells, found.p, strict=True))
        yield BestCandidates(metric, column, {line: p_of[runs] for line, runs in keys.items()}, found.n_seeds)
