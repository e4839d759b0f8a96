"""The lines of a table ranked over its columns, with what separates them: a critical-difference diagram shows that."""

from dataclasses import dataclass

import numpy as np

from sharprecl.errors import DataError
from sharprecl.evaluation.ranks import Ranking, rank_methods
from sharprecl.experiments.cells import in_percent
from sharprecl.experiments.tables import Table


@dataclass(frozen=True)
class Ranked:
    """Rankings of a table in one metric, one for each group of lines that can be ranked."""

    metric: str
    rankings: tuple[Ranking, ...] = ()

    @property
    def ranks(self) -> dict[str, float]:
        """Average ranks by the lines' titles, 1 is best."""
        return {
            name: rank
            for ranking in self.rankings
            for name, rank in zip(ranking.methods, ranking.average_ranks, strict=True)
        }


def rank_lines(table: Table, metric: str = "macro_f1") -> Ranked:
    """Rank the lines that are complete in all columns, as the table shows them; columns of one data set count once.

    A table of one column, or with fewer than two such lines, ranks nothing.
    """
    rankings = []
    averages = table.averages(metric)
    blocks = [table.plan.columns[column].data for column in table.columns]
    for group in table.groups:
        lines = [line for line in group if line in averages]
        if len(lines) < 2 or len(table.columns) < 2:
            continue
        scores = [
            [_shown(table.means(metric, column).get(line)) for column in table.columns]
            for line in lines
        ]  # fmt: skip
        try:
            rankings.append(rank_methods([line.title for line in lines], scores, blocks))
        except DataError:  # no column has scores of all
            continue
    return Ranked(metric, tuple(rankings))


def _shown(value: float | None) -> float:
    return np.nan if value is None else in_percent(value)
