"""Figures about classes: how many texts they have, and how well they fare for it."""

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.messages import plural
from sharprecl.evaluation.bands import band_masks
from sharprecl.evaluation.judge import Evaluation
from sharprecl.report.svg import BAND_COLOURS, INK, Chart, Key, clean, drawing, log_ticks, to_svg

NAMED_BARS = 70
BAND_LIMITS = {"head": "over 100 training texts", "medium": "20 to 100", "tail": "under 20"}
REFERENCE_SIGNS = (
    ("s", "\N{WHITE SQUARE}"),
    ("^", "\N{WHITE UP-POINTING TRIANGLE}"),
    ("D", "\N{WHITE DIAMOND}"),
)


def class_colours(train_counts: NDArray[np.int64]) -> list[str]:
    """Colour of each class's band."""
    colours = np.empty(len(train_counts), dtype=object)
    for band, mask in band_masks(train_counts).items():
        colours[mask] = BAND_COLOURS[band]
    return [str(colour) for colour in colours]


def band_keys(train_counts: NDArray[np.int64]) -> tuple[Key, ...]:
    """Legend of the bands that have classes."""
    sizes = {band: int(mask.sum()) for band, mask in band_masks(train_counts).items()}
    return tuple(
        Key("\N{BLACK SQUARE}", BAND_COLOURS[band], f"{band}: {BAND_LIMITS[band]} ({plural(size, 'class', 'classes')})")
        for band, size in sizes.items()
        if size
    )


def label_distribution(label_names: list[str], train_counts: NDArray[np.int64]) -> Chart:
    """Training texts of each class, biggest first, on a log scale; beyond 70 classes by rank, without names."""
    order = np.argsort(-train_counts, kind="stable")
    sizes = train_counts[order]
    colours = class_colours(sizes)
    named = len(sizes) <= NAMED_BARS
    with drawing(4.6, 0.9 + 0.17 * len(sizes) if named else 3.4) as figure:
        axes = figure.subplots()
        if named:
            rows = np.arange(len(sizes))
            # Bars start below 1, so that a class with one text is seen.
            axes.barh(rows, np.maximum(sizes, 0.7) - 0.6, left=0.6, color=colours, height=0.72)
            axes.set_yticks(rows, [clean(label_names[c], 26) for c in order], fontsize=7.5)
            beside = {"xytext": (3, 0), "textcoords": "offset points", "va": "center", "fontsize": 7.5}
            for row, size in zip(rows, sizes, strict=True):
                axes.annotate(f"{size:,}", (max(size, 0.7), row), **beside)
            axes.set_ylim(len(sizes) - 0.4, -0.6)
            axes.grid(visible=False, axis="y")
            axes.tick_params(axis="y", length=0)
            axes.set_xscale("log")
            log_ticks(axes.xaxis, sizes[0])
            axes.set_xlim(0.6, max(10, sizes[0]) * 2.2)
            axes.set_xlabel("training texts (log scale)")
        else:
            ranks = np.arange(1, len(sizes) + 1)
            axes.vlines(ranks, 0.6, np.maximum(sizes, 0.7), colors=colours, linewidth=max(0.4, 360 / len(sizes)))
            axes.set_yscale("log")
            log_ticks(axes.yaxis, sizes[0])
            axes.set_ylim(0.6, max(10, sizes[0]) * 1.6)
            axes.set_xlabel("classes, biggest first")
            axes.set_ylabel("training texts (log scale)")
        svg = to_svg(figure, "distribution", "Training texts of each class, biggest first")
    ratio = sizes[0] / max(1, sizes[-1])
    caption = f"The biggest class has {ratio:,.0f} times as many training texts as the smallest."
    return Chart(svg, caption, band_keys(train_counts))


def side_by_side(train_counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Positions on the log axis, [C]; classes of equal size stand a little apart, so that none hides another."""
    x = np.maximum(train_counts, 0.7).astype(np.float64)
    for size in np.unique(train_counts):
        same = np.flatnonzero(train_counts == size)
        # At most 0.12 decades in all: a class stays near its size, and its colour tells the band.
        x[same] *= 10 ** (min(0.035, 0.12 / len(same)) * (np.arange(len(same)) - (len(same) - 1) / 2))
    return x


def f1_by_frequency(train_counts: NDArray[np.int64], evaluations: dict[str, Evaluation]) -> Chart:
    """F1 of each class against its training texts; the model's points carry the band colours, references are hollow."""
    keys: list[Key] = []
    titles = {}
    # A class without test texts has an F1 that says nothing.
    tested = np.array([row.test_count > 0 for row in next(iter(evaluations.values())).classes])
    x = side_by_side(train_counts)[tested]
    filled = {"s": 34, "c": class_colours(train_counts[tested]), "linewidths": 0.5, "edgecolors": "white", "zorder": 3}
    hollow = {"s": 24, "facecolors": "none", "edgecolors": INK, "alpha": 0.55, "linewidths": 0.8}
    with drawing(4.6, 3.9) as figure:
        axes = figure.subplots()
        for index, (name, evaluation) in reversed(list(enumerate(evaluations.items()))):
            marker, sign = REFERENCE_SIGNS[(index - 1) % len(REFERENCE_SIGNS)] if index else ("o", "\N{BLACK CIRCLE}")
            rows = [row for row in evaluation.classes if row.test_count]
            f1 = [100 * row.f1 for row in rows]
            points = axes.scatter(x, f1, marker=marker, clip_on=False, **(hollow if index else filled))
            points.set_gid(f"series{index}")
            keys.insert(0, Key(sign, "currentColor", name, f"f1-series{index}"))
            titles[f"series{index}"] = [
                f"{clean(row.name)}: F1 {100 * row.f1:.1f} ({clean(name)}), "
                f"{plural(row.train_count, 'training text', 'training texts')}, "
                f"{plural(row.test_count, 'test text', 'test texts')}"
                for row in rows
            ]
        axes.set_xscale("log")
        log_ticks(axes.xaxis, train_counts.max())
        axes.set_xlim(0.6, max(10, train_counts.max()) * 1.5)
        axes.set_ylim(-2, 102)
        for edge in (19.5, 100.5):
            axes.axvline(edge, color=INK, linewidth=0.7, linestyle=(0, (2, 3)), alpha=0.6)
        axes.set_xlabel("training texts of the class (log scale)")
        axes.set_ylabel("F1 of the class, %")
        svg = to_svg(figure, "f1", "F1 of each class against its training texts", titles)
    caption = (
        "One point a class, those of equal size side by side; dotted lines part tail, medium and head. "
        "Point at one, tap it or step with the arrow keys for its name."
    )
    return Chart(svg, caption, (*keys, *band_keys(train_counts)))
