"""How sure a table's differences are: who may be the best of a column, and average ranks.

One question, one test: each complete row is held against the one with the highest mean (``evaluation.best``), other
test texts and other seeds allowed for together, corrected for the number of rows. Marks, sentences and
the sheet on the compared row all tell of these p-values, so they cannot contradict each other.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.best import LEVEL, Standings, compare_with_best
from sharprecl.evaluation.metrics import Counts, Floats, accuracy, macro_f1
from sharprecl.evaluation.ranks import Ranking, rank_methods
from sharprecl.experiments.results import Line, Table, in_percent

LEAST_TEXTS = 20
"""Test texts below which a mean over them is no normal variable, and nothing is tested."""
TESTED: dict[str, Callable[[Counts], Floats]] = {"macro_f1": macro_f1, "accuracy": accuracy}
"""The metrics that are tested, and how they are counted."""


@dataclass(frozen=True)
class RowComparison:
    """The compared row beside its rival, the best other row of a column; one of the two leads the column.

    Attributes:
        difference: mean of the compared row minus that of its rival.
        interval: 95 % interval of the difference, corrected as ``p`` is.
        p: of whichever of the two is behind.
    """

    column: str
    metric: str
    compared: Line
    rival: Line
    difference: float
    interval: tuple[float, float]
    p: float

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
        p: by metric and column, of each complete row: of falling so far behind the leader by chance; 1 for the leader.
        compared: the compared row beside its rival.
        untested: why a column with runs could not be tested, by column.
        seeds: the least number of seeds that a test allows for; 1 where it allows for test texts alone.
    """

    p: Mapping[tuple[str, str], Mapping[Line, float]] = field(default_factory=dict)
    compared: tuple[RowComparison, ...] = ()
    untested: Mapping[str, str] = field(default_factory=dict)
    seeds: int = 1

    def of(self, metric: str, column: str) -> RowComparison | None:
        """The compared row in a column, if it was tested there."""
        return next((one for one in self.compared if (one.metric, one.column) == (metric, column)), None)

    def behind(self, metric: str, column: str) -> frozenset[Line]:
        """Rows that are significantly behind the leader of a column."""
        return frozenset(line for line, p in self.p.get((metric, column), {}).items() if p <= LEVEL)


def compare_rows(table: Table) -> Comparisons:
    """Hold the complete rows of every column against its best one; in a curve, each setting by itself."""
    untested = {column: why for column in table.columns if (why := _obstacle(table, column))}
    columns = [column for column in table.columns if column not in untested]
    row = next((line for line in table.lines if line.row == table.plan.compared and line.x is None), None)
    p: dict[tuple[str, str], dict[Line, float]] = {}
    compared: list[RowComparison | None] = []
    for metric in TESTED:
        for column in columns:
            p[metric, column] = {}
            for contenders in _contenders(table, column):
                standings = _standings(table, metric, column, list(contenders))
                p_of = dict(zip(contenders, standings.p.tolist(), strict=True))
                p[metric, column] |= {line: p_of[first] for first, same in contenders.items() for line in same}
                compared += [_beside_rival(metric, column, standings, contenders, row)] if row else []
    seeds = [len(table.cells[line, column].runs) for _, column in p for line in p["macro_f1", column]]
    tested = tuple(one for one in compared if one is not None)
    if row is not None:
        lacking = [column for column in columns if not any(one.column == column for one in tested)]
        untested |= dict.fromkeys(lacking, f"{row.title} lacks seeds")
    return Comparisons(
        p=p,
        compared=tested,
        untested=untested if len(table.lines) > 1 else {},
        # A row without chance in its training has a single run in any table.
        seeds=min((number for number in seeds if number > 1), default=1),
    )


def _obstacle(table: Table, column: str) -> str:
    data = table.data_of(column)
    if data is None:
        return "its runs were judged on different test texts"
    if len(data.gold) < LEAST_TEXTS:
        return f"it has fewer than {LEAST_TEXTS} test texts"
    return "" if _contenders(table, column) else "fewer than two rows are complete"


def _contenders(table: Table, column: str) -> list[dict[Line, list[Line]]]:
    """Complete rows that are compared with each other, by the first of those that are the same runs."""
    groups = []
    for group in table.groups:
        means = table.means("macro_f1", column)
        same: dict[tuple[str, ...], list[Line]] = {}
        for line in group:
            if line in means:
                same.setdefault(table.cells[line, column].keys, []).append(line)
        if len(same) > 1:
            groups.append({lines[0]: lines for lines in same.values()})
    return groups


def _standings(table: Table, metric: str, column: str, lines: Sequence[Line]) -> Standings:
    gold_N, answers, n_classes = _answers(table, column, *lines)
    found = compare_with_best(gold_N, answers, n_classes, TESTED[metric])
    # Rows that look equal tie, and none of them is behind.
    shown = [in_percent(table.cells[line, column].mean(metric) or 0.0) for line in lines]
    return replace(found, p=np.where(np.equal(shown, shown[found.leader]), 1.0, found.p))


def _beside_rival(
    metric: str, column: str, standings: Standings, contenders: Mapping[Line, list[Line]], row: Line
) -> RowComparison | None:
    lines = list(contenders)
    place = next((number for number, same in enumerate(contenders.values()) if row in same), None)
    if place is None:
        return None
    others = [number for number in range(len(lines)) if number != place]
    rival = min(others, key=lambda number: float(standings.behind[number]))  # of equal ones the first
    ahead = place == standings.leader
    last = rival if ahead else place
    difference = float(standings.behind[last]) * (1 if ahead else -1)
    margin = float(standings.margin[last])
    interval = (difference - margin, difference + margin)
    return RowComparison(column, metric, row, lines[rival], difference, interval, float(standings.p[last]))


def _answers(table: Table, column: str, *lines: Line) -> tuple[np.ndarray, list[np.ndarray], int]:
    """True class ids [N], the answers of each line by seed [S, N], and the number of classes."""
    data = table.data_of(column)
    assert data is not None
    cells = [table.cells[line, column].runs for line in lines]
    answers = [np.asarray([runs[seed].answers for seed in sorted(runs)]) for runs in cells]
    return np.asarray(data.gold), answers, len(data.label_names)


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
