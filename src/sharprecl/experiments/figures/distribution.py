"""Training texts of each class, largest first: how long the tails of the data sets are."""

import numpy as np

from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.evaluation.bands import band_masks
from sharprecl.experiments.figures.drawing import Drawing, finish, label_edges, panels, sheet, size_of
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
