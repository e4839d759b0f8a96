"""The compared row against the best other row, column by column: how sure is the difference?

The rival is the complete row with the highest mean on these very test texts. Of k - 1 equal rows the luckiest is that
one, so where the rival leads, its p-values count k - 1 times (Bonferroni over the choice); where the compared row leads
in spite of the choice, they stand as they are. Holm's correction then runs over all columns of a metric's table, for
each test by itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sharprecl.evaluation.metrics import Counts, Floats, accuracy, macro_f1
from sharprecl.evaluation.significance.holm import holm
from sharprecl.evaluation.significance.paired_bootstrap import PairedBootstrap, paired_bootstrap
from sharprecl.experiments.cells import Line
from sharprecl.experiments.tables import Table

LEVEL = 0.05
FEW_SEEDS = 5
"""Up to here, p of methods is too bold where seeds differ greatly: see ``paired_bootstrap``."""
TESTED: dict[str, Callable[[Counts], Floats]] = {"macro_f1": macro_f1, "accuracy": accuracy}
"""The metrics that are tested, and how they are counted."""

Certainty = Literal["methods", "models", "none"]


@dataclass(frozen=True)
class RowComparison:
    """One column's test in one metric.

    Attributes:
        compared, rival: who against whom.
        rivals: how many rows the rival was chosen from, those that are the same runs once.
        seeds: how many seeds both have.
        models: over test texts, of these trained models.
        methods: over test texts and seeds; None with a single seed.
        p_models, p_methods: after both corrections; None as above.
    """

    column: str
    metric: str
    compared: Line
    rival: Line
    rivals: int
    seeds: int
    models: PairedBootstrap
    methods: PairedBootstrap | None
    p_models: float
    p_methods: float | None

    @property
    def difference(self) -> float:
        """Mean of the compared row minus that of its rival."""
        return self.models.difference

    @property
    def certainty(self) -> Certainty:
        """What the difference would outlast: other texts and other trainings, other texts only, or neither."""
        if self.p_methods is not None and self.p_methods <= LEVEL:
            return "methods"
        return "models" if self.p_models <= LEVEL else "none"


@dataclass(frozen=True)
class Untested:
    """A column that could not be tested, and why."""

    column: str
    why: str


@dataclass(frozen=True)
class Comparisons:
    """All tests of a table."""

    tested: tuple[RowComparison, ...] = ()
    untested: tuple[Untested, ...] = ()

    def of(self, metric: str, column: str) -> RowComparison | None:
        """The test of a column, if there was one."""
        return next((one for one in self.tested if (one.metric, one.column) == (metric, column)), None)


def compare_rows(table: Table) -> Comparisons:
    """Test the compared row of a table in every column where it and another row are complete.

    A curve has no compared row, and no comparisons.
    """
    compared = next((line for line in table.lines if line.row == table.plan.compared and line.x is None), None)
    if compared is None or len(table.lines) < 2:
        return Comparisons()
    found: list[RowComparison] = []
    untested: list[Untested] = []
    for column in table.columns:
        why = _obstacle(table, compared, column)
        if why:
            untested.append(Untested(column, why))
        else:
            found += [_uncorrected(table, compared, column, metric) for metric in TESTED]
    families = [_corrected([one for one in found if one.metric == metric]) for metric in TESTED]
    return Comparisons(tuple(one for family in families for one in family), tuple(untested))


def _obstacle(table: Table, compared: Line, column: str) -> str:
    if table.data_of(column) is None:
        return "its runs were judged on different test texts"
    if compared not in table.means("macro_f1", column):
        return f"{compared.title} lacks seeds"
    return "" if _others(table, compared, column, "macro_f1") else "no other row is complete"


def _others(table: Table, compared: Line, column: str, metric: str) -> dict[Line, float]:
    """Means of the other rows. Of rows that are the same runs the first counts, and none that is the compared row's."""
    known = {table.keys(compared, column)}
    others = {}
    for line, value in table.means(metric, column).items():
        if (runs := table.keys(line, column)) not in known:
            known.add(runs)
            others[line] = value
    return others


def _uncorrected(table: Table, compared: Line, column: str, metric: str) -> RowComparison:
    """One column's test by itself."""
    data = table.data_of(column)
    assert data is not None
    others = _others(table, compared, column, metric)
    rival = max(others, key=lambda line: others[line])  # of equal ones the first
    cells = [table.cells[line, column] for line in (compared, rival)]
    seeds = sorted(cells[0].runs)
    gold, n_classes = np.asarray(data.gold), len(data.label_names)
    first, second = (np.asarray([cell.runs[seed].answers for seed in seeds]) for cell in cells)
    models = paired_bootstrap(gold, first, second, n_classes, TESTED[metric])
    methods = None
    if len(seeds) > 1:
        methods = paired_bootstrap(gold, first, second, n_classes, TESTED[metric], seeds="drawn")
    return RowComparison(
        column=column,
        metric=metric,
        compared=compared,
        rival=rival,
        rivals=len(others),
        seeds=len(seeds),
        models=models,
        methods=methods,
        p_models=models.p,
        p_methods=None if methods is None else methods.p,
    )


def _corrected(found: Sequence[RowComparison]) -> list[RowComparison]:
    """The tests of one metric's table, corrected together."""
    p_models, p_methods = (_family(found, [getattr(one, name) for one in found]) for name in ("p_models", "p_methods"))
    return [
        replace(
            one,
            p_models=float(p_models[index]),
            p_methods=None if one.methods is None else float(p_methods[index]),
        )
        for index, one in enumerate(found)
    ]


def _family(found: Sequence[RowComparison], p_values: Sequence[float | None]) -> Floats:
    """Each p as often as there were rivals to choose from, where the rival leads; then Holm's correction over all."""
    counted = [
        float("nan") if p is None else min(1.0, p * one.rivals) if one.difference < 0 else p
        for one, p in zip(found, p_values, strict=True)
    ]
    return holm(counted).adjusted
