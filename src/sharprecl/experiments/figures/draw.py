"""All figures that a plan's runs make."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from sharprecl.errors import AssetError
from sharprecl.experiments.figures.basis import basis, filled
from sharprecl.experiments.figures.clusters import clusters
from sharprecl.experiments.figures.cost import cost
from sharprecl.experiments.figures.curves import curves
from sharprecl.experiments.figures.distribution import distribution
from sharprecl.experiments.figures.drawing import Drawing
from sharprecl.experiments.figures.frequency import frequency
from sharprecl.experiments.figures.ranks import rank_diagram
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.ranked import rank_lines
from sharprecl.experiments.tables import Table

Tell = Callable[[str], None]


def figures_of(table: Table, features: Mapping[str, np.ndarray]) -> Iterator[Drawing]:
    """Draw what a plan with runs is for, one figure after the other; nothing where no run is finished.

    Args:
        table: of the plan.
        features: of the test texts, by the run's key, as in ``Records``.

    Raises:
        MissingExtraError: matplotlib, or openTSNE for embeddings, is not installed.
    """
    if not table.lines:
        return
    if table.plan.kind == "curve":
        yield from curves(table)
    elif table.plan.kind == "embedding":
        yield from clusters(table, features)
    else:
        yield from filter(None, (average_ranks(table), cost(table)))
        yield from frequency(table)


def average_ranks(table: Table) -> Drawing | None:
    """The critical-difference diagram; None where no ranks over so few data sets could be told apart."""
    ranked = rank_lines(table)
    rankings = ranked.rankings
    if not rankings or not rankings[0].can_reject:
        return None
    name = f"{table.plan.name}-{table.scale}-ranks"
    common = table.common(ranked.metric)
    rests_on = basis(table.scale, [table.cells[line, column] for line in common.lines for column in common.columns])
    return rank_diagram(name, "Average ranks", table.scale, rankings[0], ranked.over, table.plan.compared, rests_on)


def trained_on(table: Table) -> Drawing | None:
    """How many texts of each class the runs were trained on; None where nothing is known of any column."""
    found = {column: table.data_of(column) for column in table.columns}
    counts = {column: np.array(data.train_counts) for column, data in found.items() if data is not None}
    if not counts:
        return None
    cells = [cell for column in counts for cell in filled(table, column).values()]
    caption = f"Training texts of each class, largest first, as the runs had them. {basis(table.scale, cells)}"
    name = f"{table.plan.name}-{table.scale}-distribution"
    return distribution(name, "How many texts each class has", table.scale, counts, caption)


def data_sets(plan: Plan, columns: Sequence[str], tell: Tell = lambda _: None) -> Drawing | None:
    """The data sets of a plan without runs, as they are published: no scale caps them.

    Args:
        columns: names of those to draw.
        tell: is told, in one line each, of what takes time, and of data that cannot be had and are left out.
    """
    from sharprecl.data.benchmarks import load_benchmark

    counts, lacking = {}, []
    for name in columns:
        column = plan.columns[name]
        try:
            counts[name] = load_benchmark(column.data, column.ir, progress=tell).train.class_counts
        except AssetError as error:
            tell(f"{name} is left out: {error}")
            lacking.append(name)
    if not counts:
        return None
    without = f" {', '.join(lacking)} could not be had." if lacking else ""
    caption = f"Training texts of each class, largest first, of the data sets as published.{without}"
    return distribution(f"{plan.name}-distribution", plan.title, "", counts, caption)
