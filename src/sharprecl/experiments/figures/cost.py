"""Macro-F1 over training seconds, a panel a data set: what a method costs and what it is worth."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sharprecl.data.messages import joined, plural
from sharprecl.experiments.figures.drawing import (
    GREY,
    Drawing,
    Sign,
    basis,
    filled,
    finish,
    folded,
    label_edges,
    panels,
    percents,
    sheet,
    signs,
    size_of,
)
from sharprecl.experiments.results import Cell, Table
from sharprecl.extras import require
from sharprecl.runs.record import RunRecord

TITLE = "What a method costs and what it is worth"
_KEY = 25  # most letters of a line in the legend


def cost(table: Table) -> Drawing | None:
    """Draw the runs of one kind of machine; None where no column has two methods to compare."""
    # Seconds of two machines do not compare: where most runs were made.
    trained = [run for run in table.runs if run.model]  # the floor's second stands in no proportion to training
    counts = Counter(map(_place, trained))
    place = max(sorted(counts), key=counts.__getitem__, default="")
    left_out = len(trained) - counts[place]
    timed = {column: _timed_at(place, table, column) for column in table.columns}
    by_column = {column: cells for column, cells in timed.items() if len(cells) > 1}
    if not by_column:
        return None
    unseen = [column for column in timed if column not in by_column]
    known = signs([line.title for line in table.lines], table.plan.compared)
    shown = {name: sign for name, sign in known.items() if any(name in cells for cells in by_column.values())}
    across = 2 if len(by_column) == 1 else 4
    line = require("matplotlib.lines", "report", TITLE).Line2D
    keys = [
        line(
            [], [], color=sign.colour, marker=sign.marker, markersize=sign.size, linestyle="", label=folded(name, _KEY)
        )
        for name, sign in shown.items()
    ]
    lines = max(key.get_label().count("\n") + 1 for key in keys) * -(-len(keys) // across)
    with sheet(*size_of(len(by_column), 2.0, 0.75 + 0.16 * lines)) as figure:
        every = panels(figure, len(by_column))
        for axes, (column, cells) in zip(every, by_column.items(), strict=True):
            _panel(axes, cells, shown)
            axes.set_title(folded(column))
        label_edges(every, "training, seconds (log scale)", "macro-F1, %")
        figure.legend(handles=keys, loc="outside lower center", ncols=across)
        others = f" {plural(left_out, 'run', 'runs')} made elsewhere are left out." if left_out else ""
        if unseen:
            others += f" Fewer than two rows to compare there: {joined(unseen, len(unseen))}."
        every_cell = [cell for cells in by_column.values() for cell in cells.values()]
        spread = (
            "; bars are one standard deviation of macro-F1" if any(len(cell.runs) > 1 for cell in every_cell) else ""
        )
        caption = (
            f"Macro-F1 over the seconds of one training, means over seeds{spread}. The line joins the methods that no "
            f"other beats in both; the others are hollow. Timed on: {place}.{others} {basis(table.scale, every_cell)}"
        )
        return finish(figure, f"{table.plan.name}-{table.scale}-cost", TITLE, table.scale, caption)


def pareto(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names of the points (cost, worth) that no other beats, cheapest first.

    One point beats another if it costs no more, is worth no less, and is not equal to it.
    """
    front: list[str] = []
    for name, point in sorted(points.items(), key=lambda item: (item[1][0], -item[1][1])):
        last = points[front[-1]] if front else None
        if last is None or point[1] > last[1] or point == last:
            front.append(name)
    return front


def _panel(axes: Any, cells: Mapping[str, Cell], shown: Mapping[str, Sign]) -> None:
    scores = {name: percents(cell, "macro_f1") for name, cell in cells.items()}
    points = {name: (cell.spent("seconds") or 0.0, float(scores[name].mean())) for name, cell in cells.items()}
    front = pareto(points)
    axes.plot(*zip(*(points[name] for name in front), strict=True), color=GREY, linewidth=1, zorder=1)
    for name, point in points.items():
        sign = shown[name]
        axes.errorbar(
            *point,
            yerr=scores[name].std(ddof=1) if len(scores[name]) > 1 else None,
            elinewidth=0.7,
            color=sign.colour,
            marker=sign.marker,
            markersize=sign.size,
            markerfacecolor=sign.colour if name in front else "white",
        )
    seconds = [point[0] for point in points.values()]
    low, high = min(seconds) / 1.3, max(seconds) * 1.3
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = log_ticks(low, high)
    axes.xaxis.set_ticks(ticks, [f"{tick:,.10g}" for tick in ticks])
    axes.xaxis.set_ticks([], minor=True)


def log_ticks(low: float, high: float) -> list[float]:
    """At least three plain numbers on a log axis, however narrow it is, and none so near another that they touch."""
    for steps in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        ticks = [step * 10.0**power for power in range(-3, 8) for step in steps if low <= step * 10.0**power <= high]
        if len(ticks) >= 3:
            return ticks
    # Less than a factor of three or so: even numbers lie evenly enough.
    even = require("matplotlib.ticker", "report", TITLE).MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(tick) for tick in even if low <= tick <= high]


def _timed_at(place: str, table: Table, column: str) -> dict[str, Cell]:
    """The cells of a column by the names of their lines, with nothing but the runs of a place."""
    cells = {}
    for line, cell in filled(table, column).items():
        runs = {seed: run for seed, run in cell.runs.items() if run.model and _place(run) == place}
        if runs:
            # Seeds made elsewhere are not missing: the caption counts them by themselves.
            wanted = tuple(seed for seed in cell.wanted if seed in runs or seed not in cell.runs)
            cells[line.title] = Cell(wanted, runs)
    return cells


def _place(run: RunRecord) -> str:
    """What decides how long a run takes, in words."""
    found = run.environment
    hardware, device, precision = (str(found.get(name, "")) for name in ("hardware", "device", "precision"))
    words = [hardware, "" if device in hardware else device, precision]
    for name, one, many in (("workers", "run at a time", "runs at a time"), ("threads", "thread each", "threads each")):
        if name in found:
            words.append(plural(int(found[name]), one, many))
    return ", ".join(word for word in words if word)
