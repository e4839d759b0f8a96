"""Training texts of each class, largest first: how long the tails of the data sets are."""

from collections.abc import Callable, Sequence

import numpy as np

from sharprecl.data.benchmarks import load_benchmark
from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.errors import AssetError
from sharprecl.evaluation.bands import band_masks
from sharprecl.experiments.figures.drawing import (
    Drawing,
    basis,
    filled,
    finish,
    label_edges,
    panels,
    sheet,
    size_of,
)
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.results import Table
from sharprecl.extras import require
from sharprecl.report.figures import BAND_LIMITS, class_colours
from sharprecl.report.svg import BAND_COLOURS, clean, log_ticks

_NAME = 32  # most letters of a panel's title
_MOST_BARS = 200
_LEAST = 0.6  # where bars begin, so that a class with one text is seen


def distribution(name: str, title: str, scale: str, counts: dict[str, np.ndarray], caption: str) -> Drawing:
    """Draw data sets side by side.

    Args:
        name: of the figure's files.
        counts: training texts of each class, [C], by the name of the data.
        caption: what data these are.
    """
    largest = max(int(count_C.max()) for count_C in counts.values())
    with sheet(*size_of(len(counts), 1.6, 0.6)) as figure:
        patches = require("matplotlib.patches", "report", title)
        every = panels(figure, len(counts), sharey=True)
        for axes, (column, count_C) in zip(every, counts.items(), strict=True):
            sizes = np.sort(count_C)[::-1]
            ranks = np.arange(1, len(sizes) + 1)
            if len(sizes) <= _MOST_BARS:
                axes.bar(ranks, np.maximum(sizes, 0.7) - _LEAST, bottom=_LEAST, color=class_colours(sizes), width=0.8)
            else:
                # Bars thinner than a pixel would leave stripes, and each is an object of its own.
                axes.vlines(ranks, _LEAST, np.maximum(sizes, 0.7), colors=class_colours(sizes), linewidth=0.4)
            axes.set_yscale("log")
            log_ticks(axes.yaxis, largest)
            axes.set_ylim(_LEAST, largest * 2)
            axes.xaxis.get_major_locator().set_params(integer=True)
            axes.grid(visible=False, axis="x")
            name_of, ratio = clean(column, _NAME), f"ratio {imbalance_ratio(sizes):,.1f}"
            together = f"{name_of}: {len(sizes):,} classes, {ratio}"
            axes.set_title(together if len(together) <= _NAME + 8 else f"{name_of}\n{len(sizes):,} classes, {ratio}")
        label_edges(every, "classes, largest first", "training texts (log scale)")
        every_class = np.concatenate(list(counts.values()))
        bands = [
            patches.Patch(color=BAND_COLOURS[band], label=f"{band}: {BAND_LIMITS[band]}")
            for band, mask in band_masks(every_class).items()
            if mask.any()
        ]
        figure.legend(handles=bands, loc="outside lower center", ncols=3 if len(counts) > 1 else 1)
        return finish(figure, name, title, scale, caption)


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


def data_sets(plan: Plan, columns: Sequence[str], tell: Callable[[str], None] = lambda _: None) -> Drawing | None:
    """The data sets of a plan without runs, as they are published: no scale caps them.

    Args:
        columns: names of those to draw.
        tell: is told, in one line each, of what takes time, and of data that cannot be had and are left out.
    """
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
