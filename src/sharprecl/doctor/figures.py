"""The pictures of a diagnosis: how large the classes are, how lonely their texts, how well words tell them."""

from collections import defaultdict
from typing import Any

import numpy as np

from sharprecl.data.messages import plural
from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.findings import percent
from sharprecl.report.figures import band_keys, class_colours, label_distribution, side_by_side
from sharprecl.report.svg import GREEN, INK, Chart, Key, clean, drawing, log_ticks, to_svg

EACH = 1500
"""Classes that are drawn one by one: of more, nobody could tell the marks apart, and the page would weigh megabytes."""
NAMED = 4
RIMMED = 100


def class_sizes(found: Diagnosis) -> Chart:
    """Training texts of each class; beyond ``EACH`` classes as a line over their ranks."""
    counts = found.distribution.counts
    size_C = np.fromiter(counts.values(), dtype=np.int64)
    if len(size_C) <= EACH:
        return label_distribution(list(counts), size_C)
    # Where the size changes: a million classes have a thousand sizes or so.
    corners = np.flatnonzero(np.diff(size_C, append=0))
    ranks = np.concatenate([[0], corners + 1])
    sizes = size_C[np.concatenate([corners, corners[-1:]])]
    with drawing(4.6, 3.4) as figure:
        axes = figure.subplots()
        axes.step(np.maximum(ranks, 0.7), sizes, where="post", color=INK, linewidth=1.4)
        axes.set_xscale("log")
        axes.set_yscale("log")
        # All powers of ten up to a million would run into each other.
        ranks_shown = [100**power for power in range(len(str(len(size_C))) // 2 + 1)]
        axes.xaxis.set_ticks(ranks_shown, [f"{rank:,}" for rank in ranks_shown])
        axes.xaxis.set_ticks([], minor=True)
        log_ticks(axes.yaxis, int(size_C[0]))
        axes.set_ylim(0.6, max(10, size_C[0]) * 1.6)
        axes.set_xlabel("classes, biggest first (log scale)")
        axes.set_ylabel("training texts (log scale)")
        svg = to_svg(figure, "distribution", "Training texts of each class, biggest first")
    biggest = plural(int(size_C[0]), "text", "texts")
    return Chart(svg, f"{len(size_C):,} classes; the biggest has {biggest}, the smallest {size_C[-1]:,}.")


def no_positive(found: Diagnosis) -> Chart:
    """Chance that a text meets no other of its class in a batch, by the size of its class."""
    by_size: dict[int, list[str]] = defaultdict(list)
    for name, count in found.distribution.counts.items():
        by_size[count].append(name)
    sizes = np.array(list(by_size))
    chances = np.array([100 * found.batches.alone[names[0]] for names in by_size.values()])
    with drawing(4.6, 3.4) as figure:
        axes = figure.subplots()
        axes.axhline(0, color=GREEN, linewidth=2, zorder=1)
        axes.plot(sizes, chances, color=INK, linewidth=0.8, alpha=0.5, zorder=2)
        points = axes.scatter(sizes, chances, c=class_colours(sizes), **_marks(len(sizes)))
        points.set_gid("sizes")
        axes.set_xscale("log")
        log_ticks(axes.xaxis, int(sizes.max()))
        axes.set_xlim(0.6, max(10, sizes.max()) * 1.5)
        axes.set_ylim(-3, 103)
        axes.set_xlabel("training texts of the class (log scale)")
        axes.set_ylabel("chance of no positive, %")
        titles = [
            f"{plural(size, 'text', 'texts')}: {_some(names)}: {percent(found.batches.alone[names[0]])}"
            for size, names in by_size.items()
        ]
        svg = to_svg(figure, "alone", "Chance of meeting no positive against class size", {"sizes": titles})
    caption = (
        f"In batches of {found.batches.batch_size:,}, drawn at random, one point a class size; point at one for its "
        "classes. Where a method has prototypes, every class has one in every batch."
    )
    never = Key("\N{EM DASH}", GREEN, "with prototypes: never, by construction")
    keys = (Key("\N{BLACK CIRCLE}", "currentColor", "as drawn"), never)
    return Chart(svg, caption, (*keys, *band_keys(np.fromiter(found.distribution.counts.values(), dtype=np.int64))))


def words_f1(found: Diagnosis) -> Chart | None:
    """Out-of-fold F1 of the model of words for each class; None where there is no such model."""
    if found.label_errors is None:
        return None
    scores = found.label_errors.f1_by_class
    names = [name for name in found.distribution.counts if name in scores]
    shown = (
        names if len(names) <= EACH else [names[place] for place in np.linspace(0, len(names) - 1, EACH).astype(int)]
    )
    sizes = np.array([found.distribution.counts[name] for name in shown])
    with drawing(4.6, 3.4) as figure:
        axes = figure.subplots()
        points = axes.scatter(
            side_by_side(sizes),
            [100 * scores[name] for name in shown],
            c=class_colours(sizes),
            **_marks(len(shown)),
        )
        points.set_gid("classes")
        axes.set_xscale("log")
        log_ticks(axes.xaxis, int(sizes.max()))
        axes.set_xlim(0.6, max(10, sizes.max()) * 1.5)
        axes.set_ylim(-3, 103)
        axes.axhline(100 * found.label_errors.macro_f1, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
        axes.set_xlabel("training texts of the class (log scale)")
        axes.set_ylabel("F1 of the class, %")
        titles = [
            f"{clean(name, 40)}: F1 {100 * scores[name]:.1f}, {plural(int(size), 'text', 'texts')}"
            for name, size in zip(shown, sizes, strict=True)
        ]
        svg = to_svg(figure, "words", "F1 of words alone against class size", {"classes": titles})
    some = f" {EACH:,} of {len(names):,} classes." if len(shown) < len(names) else ""
    caption = (
        f"TF-IDF with logistic regression, each text judged by a model that has not seen it. Dashed: their mean, "
        f"macro-F1 {percent(found.label_errors.macro_f1)}. Point at a class for its name.{some}"
    )
    return Chart(svg, caption, band_keys(sizes))


def _marks(number: int) -> dict[str, Any]:
    """Few points have rims, which keep them apart; of many the rims alone would be seen."""
    look = {"s": 30, "linewidths": 0.5} if number <= RIMMED else {"s": 14, "linewidths": 0}
    return {**look, "edgecolors": "white", "zorder": 3, "clip_on": False}


def _some(names: list[str]) -> str:
    shown = ", ".join(clean(name, 24) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED:,} more" if len(names) > NAMED else shown
