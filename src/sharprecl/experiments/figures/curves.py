"""Macro-F1 and accuracy over the values of a setting, a panel a data set, with bands over seeds."""

import math
from collections.abc import Iterator
from typing import Any

from sharprecl.experiments.figures.drawing import (
    Drawing,
    basis,
    finish,
    folded,
    label_edges,
    panels,
    percents,
    sheet,
    size_of,
)
from sharprecl.experiments.results import Cell, Table
from sharprecl.report.svg import BLUE, VERMILLION

_METRICS = (("macro_f1", "macro-F1", BLUE, "o", "-"), ("accuracy", "accuracy", VERMILLION, "s", (0, (4, 1.5))))
_LABELS = 8


def curves(table: Table) -> Iterator[Drawing]:
    """One figure for each row of a curve plan that has runs."""
    plan = table.plan
    for row in dict.fromkeys(line.row for line in table.lines):
        by_column = {column: _points(table, row, column) for column in table.columns}
        by_column = {column: points for column, points in by_column.items() if points}
        setting = plan.vary[row]
        label = row if setting.endswith(f".{row}") else f"{row} ({setting})"
        with sheet(*size_of(len(by_column), 1.75, 0.55)) as figure:
            every = panels(figure, len(by_column))
            for axes, (column, points) in zip(every, by_column.items(), strict=True):
                _panel(axes, points)
                axes.set_title(folded(column))
            label_edges(every, folded(label), "%")
            handles, labels = axes.get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=2)
            cells = [cell for points in by_column.values() for cell in points.values()]
            title = f"{plan.title}: {row}" if len(plan.rows) > 1 else plan.title
            caption = f"{title}. {_marks(cells)}{basis(table.scale, cells)}"
            yield finish(figure, f"{plan.name}-{table.scale}-{row}", title, table.scale, caption)


def _points(table: Table, row: str, column: str) -> dict[float, Cell]:
    """Cells by the value of the setting, in ascending order."""
    lines = sorted((line for line in table.lines if line.row == row), key=lambda line: line.x or 0.0)
    cells = {line.x or 0.0: table.cells[line, column] for line in lines}
    return {x: cell for x, cell in cells.items() if cell.runs}


def _panel(axes: Any, points: dict[float, Cell]) -> None:
    for metric, name, colour, marker, style in _METRICS:
        values = {x: percents(cell, metric) for x, cell in points.items()}
        mean = {x: scores.mean() for x, scores in values.items()}
        axes.plot(list(mean), list(mean.values()), color=colour, linestyle=style, marker=marker, label=name)
        hollow = {x: y for x, y in mean.items() if not points[x].complete}
        axes.plot(list(hollow), list(hollow.values()), color=colour, marker=marker, mfc="white", linestyle="")
        spread = {x: scores.std(ddof=1) for x, scores in values.items() if len(scores) > 1}
        low, high = ([mean[x] + sign * half for x, half in spread.items()] for sign in (-1, 1))
        axes.fill_between(list(spread), low, high, color=colour, alpha=0.18, linewidth=0)
    # More than so many labels run into each other in a panel.
    step = math.ceil(len(points) / _LABELS)
    axes.set_xticks(list(points), [f"{x:g}" if place % step == 0 else "" for place, x in enumerate(points)])


def _marks(cells: list[Cell]) -> str:
    words = "Means over seeds; bands are one standard deviation. " if any(len(cell.runs) > 1 for cell in cells) else ""
    return words + ("" if all(cell.complete for cell in cells) else "Hollow points lack seeds. ")
