"""The lines of a table ranked over its columns, with what separates them: a critical-difference diagram shows that."""

from collections.abc import Sequence
from dataclasses import dataclass

from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.ranks import Ranking, rank_methods
from sharprecl.experiments.cells import in_percent
from sharprecl.experiments.tables import Common, Table


@dataclass(frozen=True)
class Ranked:
    """Rankings of a table in one metric, one for each group of lines that can be ranked.

    Attributes:
        over: what they rest on, in words: ``2 columns of 1 data set``, and what of the table is not in them.
    """

    metric: str
    rankings: tuple[Ranking, ...] = ()
    over: str = ""

    @property
    def ranks(self) -> dict[str, float]:
        """Average ranks by the lines' titles, 1 is best."""
        return {
            name: rank
            for ranking in self.rankings
            for name, rank in zip(ranking.methods, ranking.average_ranks, strict=True)
        }


def rank_lines(table: Table, metric: str = "macro_f1") -> Ranked:
    """Rank what lines and columns have in common, scores as the table shows them; columns of one data set count once.

    A table of one column, or with fewer than two lines to rank, ranks nothing.
    """
    common = table.common(metric)
    means = [table.means(metric, column) for column in common.columns]
    blocks = [table.plan.columns[column].data for column in common.columns]
    rankings = []
    for group in table.groups:
        lines = [line for line in group if line in common.lines]
        if len(lines) > 1:
            scores = [[in_percent(by_line[line]) for by_line in means] for line in lines]
            rankings.append(rank_methods([line.title for line in lines], scores, blocks))
    return Ranked(metric, tuple(rankings), _over(table, common, blocks))


def _over(table: Table, common: Common, blocks: Sequence[str]) -> str:
    columns, sets = plural(len(common.columns), "column", "columns"), len(set(blocks))
    words = f"{columns} of {plural(sets, 'data set', 'data sets')}"
    if len(common.columns) < len(table.columns):
        words += f" ({joined(common.columns, len(common.columns))}, which all rows have)"
    left_out = len(table.lines) - len(common.lines)
    if left_out:
        words += f", without the {plural(left_out, 'row that is', 'rows that are')} not complete in all of them"
    return words
