"""F1 of each class over its training texts, a panel a method: who pays for the rare classes.

Each point is a class, its F1 a mean over seeds. The line joins means over classes of like frequency, and behind it
stands that of plain cross-entropy, or else of the plan's first row, so that every panel is a comparison.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from sharprecl.evaluation.metrics import Floats
from sharprecl.experiments.figures.drawing import (
    GREY,
    Drawing,
    basis,
    filled,
    finish,
    folded,
    label_edges,
    panels,
    sheet,
    size_of,
)
from sharprecl.experiments.results import Table
from sharprecl.report.figures import side_by_side
from sharprecl.report.svg import BLUE, INK, log_ticks

EDGES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Where a new group of classes begins, by their training texts."""

_PLAIN = "cross_entropy"
_UNFOLDED = 2


def frequency(table: Table) -> Iterator[Drawing]:
    """One figure for each column whose runs were all made with the same data."""
    for column in table.columns:
        data, cells = table.data_of(column), filled(table, column)
        # A single method's line among several shows nothing that a table does not.
        if data is None or len(cells) < min(2, len(table.lines)):
            continue
        count_C = np.array(data.train_counts)
        f1 = {line.title: 100 * np.mean([run.f1 for run in cell.runs.values()], axis=0) for line, cell in cells.items()}
        plain = _PLAIN if _PLAIN in f1 else next(iter(f1))
        with sheet(*size_of(len(f1), 1.45)) as figure:
            every = panels(figure, len(f1), sharex=True, sharey=True)
            for axes, (name, f1_C) in zip(every, f1.items(), strict=True):
                if name != plain:
                    _line(axes, count_C, f1[plain], color=GREY, linestyle=(0, (3, 1.5)))
                _line(axes, count_C, f1_C, color=INK)
                axes.scatter(side_by_side(count_C), f1_C, s=9, color=BLUE, alpha=0.75, linewidths=0, zorder=3)
                axes.set_xscale("log")
                log_ticks(axes.xaxis, int(count_C.max()))
                axes.set_xlim(0.6, max(10, count_C.max()) * 1.6)
                axes.set_ylim(-3, 103)
                axes.set_title(folded(name), fontweight="bold" if name == table.plan.compared else "normal")
            label_edges(every, "training texts (log scale)", "F1, %")
            behind = f" Dashed: that of {plain}." if len(f1) > 1 else ""
            caption = (
                f"F1 of each class of {column} over its training texts, means over seeds; the line joins means over "
                f"classes of like frequency.{behind} {basis(table.scale, cells.values())}"
            )
            name = f"{table.plan.name}-{table.scale}-frequency-{column}"
            title = f"F1 against class frequency: {column}"
            yield finish(figure, name, title, table.scale, caption, aside=len(table.columns) > _UNFOLDED)


def by_frequency(count_C: np.ndarray, f1_C: Floats) -> tuple[Floats, Floats]:
    """Geometric mean of the classes' sizes, and mean F1, in each group of like frequency that has classes."""
    groups = np.digitize(count_C, EDGES)
    present = np.unique(groups)
    sizes = np.log(np.maximum(count_C, 0.7))
    return (
        np.exp([sizes[groups == group].mean() for group in present]),
        np.array([f1_C[groups == group].mean() for group in present]),
    )


def _line(axes: Any, count_C: np.ndarray, f1_C: Floats, **style: Any) -> None:
    axes.plot(*by_frequency(count_C, f1_C), **{"linewidth": 1.0, **style})
