"""Which classes are taken for which: a heatmap that stays readable at 52 classes, and the list of the worst pairs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.messages import plural
from sharprecl.evaluation.bands import band_masks
from sharprecl.evaluation.judge import Evaluation
from sharprecl.extras import require
from sharprecl.report.svg import BLUE, INK, VERMILLION, Chart, Key, clean, drawing, pinned, to_svg

MOST_CLASSES = 60
SHOWN_OF_MANY = 40
TOP = 15


class Pair(NamedTuple):
    """A true class, the class that it is taken for, how many texts, and what percentage of the true class that is."""

    true: str
    predicted: str
    texts: int
    percent: float


def top_confusions(model: Evaluation) -> list[Pair]:
    """The most frequent mistakes, at most 15."""
    wrong = model.confusion.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:TOP]
    rows = model.classes
    return [
        Pair(rows[i].name, rows[j].name, int(wrong[i, j]), 100 * wrong[i, j] / rows[i].test_count)
        for i, j in zip(*np.unravel_index(order, wrong.shape), strict=True)
        if wrong[i, j]
    ]


def shown_classes(confusion: NDArray[np.int64], train_counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ids of the classes to show, biggest first: all up to 60, else the 40 that take part in most mistakes."""
    order = np.argsort(-train_counts, kind="stable")
    if len(order) <= MOST_CLASSES:
        return order
    wrong = confusion.sum(axis=0) + confusion.sum(axis=1) - 2 * np.diagonal(confusion)
    worst = np.argsort(-wrong, kind="stable")[:SHOWN_OF_MANY]
    return order[np.isin(order, worst)]


def confusion_heatmap(label_names: list[str], train_counts: NDArray[np.int64], confusion: NDArray[np.int64]) -> Chart:
    """Row-normalised heatmap with counts in its cells; correct in blue, mistakes in vermillion, zeros left blank."""
    ids = shown_classes(confusion, train_counts)
    size = len(ids)
    part = confusion[np.ix_(ids, ids)]
    shares = part / np.maximum(1, confusion.sum(axis=1)[ids])[:, None]
    rows, columns = np.nonzero(part)
    # Four corners of each cell: [cells, 4, 2].
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    cells = np.stack([columns, rows], axis=1)[:, None, :] + 0.94 * corners
    inches = max(4.0, 1.4 + 0.172 * size) if size > 12 else 2.2 + 0.42 * size
    names = [clean(label_names[c], 20) for c in ids]
    with drawing(inches, inches) as figure:
        collections = require("matplotlib.collections", "report", "the report")
        axes = figure.subplots()
        opacity = 0.12 + 0.88 * shares[rows, columns] ** 0.7
        hues = np.where(rows == columns, BLUE, VERMILLION)
        colours = list(zip(hues.tolist(), opacity.tolist(), strict=True))
        squares = collections.PolyCollection(cells, facecolors=colours, linewidths=0, gid="cells", clip_on=False)
        axes.add_collection(squares)
        font = 9 if size <= 12 else 5.6 if size > 30 else 7
        for i, j, alpha in zip(rows, columns, opacity, strict=True):
            ink = "white" if alpha > 0.62 else INK
            size_of_text = font * min(1.0, 3.4 / len(str(part[i, j])))  # four digits must fit as well
            axes.text(j, i, f"{part[i, j]}", ha="center", va="center", fontsize=size_of_text, color=ink)
        axes.set_xlim(-0.5, size - 0.5)
        axes.set_ylim(size - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_xticks(range(size), names, rotation=90, fontsize=9 if size <= 12 else 7)
        axes.set_yticks(range(size), names, fontsize=9 if size <= 12 else 7)
        axes.tick_params(length=0)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        axes.grid(visible=False)
        bands = band_masks(train_counts[ids])
        for edge in (int(bands["head"].sum()), size - int(bands["tail"].sum())):
            if 0 < edge < size:
                for line in (axes.axhline, axes.axvline):
                    line(edge - 0.5, color=INK, linewidth=0.6, linestyle=(0, (2, 3)))
        axes.spines[:].set_visible(True)
        titles = [
            # A Latin word behind a name: a figure would be drawn into one from the right to the left.
            f"true {clean(label_names[ids[i]])}, predicted {clean(label_names[ids[j]])} in "
            f"{plural(int(part[i, j]), 'text', 'texts')}, {100 * shares[i, j]:.1f} % of the true class"
            for i, j in zip(rows, columns, strict=True)
        ]
        svg = to_svg(figure, "confusion", "Confusion matrix, true classes in rows", {"cells": titles})
        left = axes.get_position().x0  # known once it is drawn
    caption = (
        "Numbers are test texts; the stronger a colour, the greater the cell's share of the true class (row). "
        "Point at a cell, tap it or step with the arrow keys for its names."
    )
    if size < len(label_names):
        caption += (
            f" Only the {size} of {len(label_names):,} classes that take part in most mistakes are shown; "
            "shares are of all their texts."
        )
    else:
        caption += " Biggest classes first; dotted lines part head, medium and tail."
    square = "\N{BLACK SQUARE}"
    legend, wide = (Key(square, BLUE, "correct"), Key(square, VERMILLION, "mistaken")), size > 24
    return Chart(pinned(svg, left) if wide else svg, caption, legend, wide)
