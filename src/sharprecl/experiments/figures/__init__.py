"""Figures of a plan, from what is stored: for print and for the results page.

================= ==========================================================================
file              figure
================= ==========================================================================
curves.py         figures over a setting, with bands over seeds: mu, tau, the size of hard sets
clusters.py       t-SNE of the test texts, method by method
distribution.py   training texts of each class, data set by data set
frequency.py      F1 of each class over its training texts, method by method
cost.py           macro-F1 over training seconds, with what no other method beats in both
ranks.py          average ranks with the critical difference
drawing.py        what all of them have in common
================= ==========================================================================
"""

from collections.abc import Iterator, Mapping

import numpy as np

from sharprecl.experiments.figures.clusters import clusters
from sharprecl.experiments.figures.cost import cost
from sharprecl.experiments.figures.curves import curves
from sharprecl.experiments.figures.drawing import Drawing
from sharprecl.experiments.figures.frequency import frequency
from sharprecl.experiments.figures.ranks import average_ranks
from sharprecl.experiments.results import Table


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
