"""How sure a table's differences are: the compared row against its rival, who may be the best, and average ranks.

The rival is the complete row with the highest mean on these very test texts. Of k - 1 equal rows the luckiest is that
one, so where the rival leads, its p-values count k - 1 times (Bonferroni over the choice); where the compared row leads
in spite of the choice, they stand as they are. Holm's correction then runs over all columns of a metric's table.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import Counts, Floats, accuracy, macro_f1
from sharprecl.evaluation.ranks import Ranking, rank_methods
from sharprecl.evaluation.significance import PairedBootstrap, holm, paired_bootstrap
from sharprecl.experiments.results import Line, Table, in_percent

LEVEL = 0.05
LEAST_TEXTS = 20
"""Test texts below which a mean over them is no normal variable, and no row is ruled out as the best."""
TESTED: dict[str, Callable[[Counts], Floats]] = {"macro_f1": macro_f1, "accuracy": accuracy}
"""The metrics that are tested, and how they are counted."""


@dataclass(frozen=True)
class RowComparison:
    """One column's test in one metric.

    Attributes:
        compared, rival: who against whom.
        rivals: how many rows the rival was chosen from, those that are the same runs once.
        seeds: how many seeds both have.
        test: over test texts and seeds; with a single seed over test texts, of these trained models only.
        p: after both corrections.
    """

    column: str
    metric: str
    compared: Line
    rival: Line
    rivals: int
    seeds: int
    test: PairedBootstrap
    p: float

    @property
    def difference(self) -> float:
        """Mean of the compared row minus that of its rival."""
        return self.test.difference

    @property
    def significant(self) -> bool:
        """Whether p is at most ``LEVEL``."""
        return self.p <= LEVEL


@dataclass(frozen=True)
class Ranked:
    """Rankings of a table in one metric.

    Attributes:
        rankings: one for each group of lines that can be ranked.
        over: what they rest on, in words: ``2 columns of 1 data set``, and what of the table is not in them.
    """

    rankings: tuple[Ranking, ...] = ()
    over: str = ""

    @property
    def ranks(self) -> dict[str, float]:
        """Average ranks by the lines' titles, 1 is best."""
        pairs = (zip(ranking.methods, ranking.average_ranks, strict=True) for ranking in self.rankings)
        return {name: rank for ranking in pairs for name, rank in ranking}


@dataclass(frozen=True)
class Comparisons:
    """All that is tested in a table.

    Attributes:
        tested: tests of the compared row.
        untested: why a column could not be tested, by column.
        p_best: by metric and column, of each complete row: p of coming out so far behind though it is the best.
    """

    tested: tuple[RowComparison, ...] = ()
    untested: Mapping[str, str] = field(default_factory=dict)
    p_best: Mapping[tuple[str, str], Mapping[Line, float]] = field(default_factory=dict)

    def of(self, metric: str, column: str) -> RowComparison | None:
        """The test of a column, if there was one."""
        return next((one for one in self.tested if (one.metric, one.column) == (metric, column)), None)

    def ruled_out(self, metric: str, column: str) -> frozenset[Line]:
        """Rows that are not the best one of a column, as far as anything can be told."""
        return frozenset(line for line, p in self.p_best.get((metric, column), {}).items() if p <= LEVEL)


def compare_rows(table: Table) -> Comparisons:
    """Test the compared row in every column where it and another row are complete, and each row against the best.

    A curve has no compared row.
    """
    p_best = {
        (metric, column): p for metric in TESTED for column in table.columns if (p := _p_best(table, metric, column))
    }
    compared = next((line for line in table.lines if line.row == table.plan.compared and line.x is None), None)
    if compared is None or len(table.lines) < 2:
        return Comparisons(p_best=p_best)
    obstacles = {column: _obstacle(table, compared, column) for column in table.columns}
    columns = [column for column, why in obstacles.items() if not why]
    tested: list[RowComparison] = []
    for metric in TESTED:
        found = [_test(table, compared, column, metric) for column in columns]
        corrected = holm([one.p for one in found])
        tested += [replace(one, p=float(p)) for one, p in zip(found, corrected, strict=True)]
    return Comparisons(tuple(tested), {column: why for column, why in obstacles.items() if why}, p_best)


def _obstacle(table: Table, compared: Line, column: str) -> str:
    if table.data_of(column) is None:
        return "its runs were judged on different test texts"
    if compared not in table.means("macro_f1", column):
        return f"{compared.title} lacks seeds"
    return "" if _others(table, compared, column, "macro_f1") else "no other row is complete"


def _others(table: Table, compared: Line, column: str, metric: str) -> dict[Line, float]:
    """Means of the other rows. Of rows that are the same runs the first counts, and none that is the compared row's."""
    known = {table.cells[compared, column].keys}
    others = {}
    for line, value in table.means(metric, column).items():
        if (keys := table.cells[line, column].keys) not in known:
            known.add(keys)
            others[line] = value
    return others


def _test(table: Table, compared: Line, column: str, metric: str) -> RowComparison:
    """One column's test; p counts as often as there were rivals to choose from, where the rival leads."""
    others = _others(table, compared, column, metric)
    rival = max(others, key=lambda line: others[line])  # of equal ones the first
    gold_N, (first_SN, second_SN), n_classes = _answers(table, column, compared, rival)
    seeds = len(first_SN)
    drawn: Literal["drawn", "fixed"] = "drawn" if seeds > 1 else "fixed"
    test = paired_bootstrap(gold_N, first_SN, second_SN, n_classes, TESTED[metric], seeds=drawn)
    p = min(1.0, test.p * len(others)) if test.difference < 0 else test.p
    return RowComparison(column, metric, compared, rival, len(others), seeds, test, p)


def _answers(table: Table, column: str, *lines: Line) -> tuple[np.ndarray, list[np.ndarray], int]:
    """True class ids [N], the answers of each line by seed [S, N], and the number of classes."""
    data = table.data_of(column)
    assert data is not None
    cells = [table.cells[line, column].runs for line in lines]
    answers = [np.asarray([runs[seed].answers for seed in sorted(runs)]) for runs in cells]
    return np.asarray(data.gold), answers, len(data.label_names)


def _p_best(table: Table, metric: str, column: str) -> dict[Line, float]:
    """Hold the complete rows of a column against its best; in a curve, the values of each setting among themselves."""
    data, means = table.data_of(column), table.means(metric, column)
    if data is None or len(data.gold) < LEAST_TEXTS:
        return {}
    found: dict[Line, float] = {}
    for group in table.groups:
        keys = {line: table.cells[line, column].keys for line in group if line in means}
        # Rows that are the same runs are one contender.
        contenders = {key: line for line, key in keys.items()}
        if len(contenders) < 2:
            continue
        gold_N, answers, n_classes = _answers(table, column, *contenders.values())
        p_of = dict(
            zip(contenders, compare_with_best(gold_N, answers, n_classes, TESTED[metric]).tolist(), strict=True)
        )
        found |= {line: p_of[key] for line, key in keys.items()}
    return found


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
    data_sets = plural(len(set(blocks)), "data set", "data sets")
    over = f"{plural(len(common.columns), 'column', 'columns')} of {data_sets}"
    if len(common.columns) < len(table.columns):
        over += f" ({joined(common.columns, len(common.columns))}, which all rows have)"
    if left_out := len(table.lines) - len(common.lines):
        over += f", without the {plural(left_out, 'row that is', 'rows that are')} not complete in all of them"
    return Ranked(tuple(rankings), over)


@dataclass(frozen=True)
class Decisive:
    """The class that makes most of a difference in macro-F1: often one with few test texts.

    Attributes:
        label: its name; ``train`` and ``test`` are its texts.
        difference: what it adds to the difference of the means, as a share of 1.
        found: how many of its test texts the compared row and its rival find, means over the seeds.
        false: how many texts of other classes each takes for it.
    """

    label: str
    train: int
    test: int
    difference: float
    found: tuple[float, ...]
    false: tuple[float, ...]


def decisive_class(table: Table, comparison: RowComparison) -> Decisive | None:
    """The class that makes half of a lead or more, and twice an equal share; None where no class does."""
    data = table.data_of(comparison.column)
    assert data is not None
    by_class_C = differences_by_class(table, comparison)
    lead = by_class_C.sum()
    place = int(np.argmax(by_class_C * np.sign(lead)))
    if lead == 0 or by_class_C[place] / lead < max(1 / 2, 2 / len(by_class_C)):
        return None
    gold_N, answers, _ = _answers(table, comparison.column, comparison.compared, comparison.rival)
    is_it_N = gold_N == place
    return Decisive(
        label=data.label_names[place],
        train=data.train_counts[place],
        test=int(is_it_N.sum()),
        difference=float(by_class_C[place]),
        found=tuple(float(((row_SN == place) & is_it_N).sum(axis=1).mean()) for row_SN in answers),
        false=tuple(float(((row_SN == place) & ~is_it_N).sum(axis=1).mean()) for row_SN in answers),
    )


def differences_by_class(table: Table, comparison: RowComparison) -> Floats:
    """What each class adds to the compared row's lead in macro-F1, [C]; their sum is the lead."""
    cells = [table.cells[line, comparison.column].runs for line in (comparison.compared, comparison.rival)]
    first_C, second_C = (np.mean([run.f1 for run in runs.values()], axis=0) for runs in cells)
    return np.asarray((first_C - second_C) / len(first_C))
