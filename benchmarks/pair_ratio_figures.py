"""The figures of docs/imbalance.md from the rows of pair_ratio.py: colours, signs and line styles all differ."""

from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from sharprecl.data.batch_statistics import chance_alone
from sharprecl.report.svg import BLUE, GREEN, ORANGE, PINK, SKY, VERMILLION

INK = "#222222"
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sharprecl",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#888888",
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.constrained_layout.use": True,
}
SIZES, SIZE = (16, 64, 256), 64
MADE = ("prototypes alone", "both, half and half")
Rows = list[dict[str, Any]]


def draw(rows: Rows, counts_by_ratio: dict[int, list[int]], folder: Path) -> None:
    """Write pair_ratio.svg, alone.svg and targets.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        for name, figure in (
            ("pair_ratio", pair_ratio(rows)),
            ("alone", alone(counts_by_ratio[50])),
            ("targets", targets(rows, counts_by_ratio[50])),
        ):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None}, facecolor="white")


def pair_ratio(rows: Rows) -> Figure:
    """Pair ratios over the imbalance ratio: signs are counted, lines expected."""
    figure = Figure(figsize=(7.2, 4.4))
    axes = figure.subplots()
    plain = {key: [row for row in rows if (row.get("views"), row["batch"]) == key] for key in product((1, 2), SIZES)}
    made = {source: [row for row in rows if (row.get("source"), row["batch"]) == (source, SIZE)] for source in MADE}
    ratios = np.array([row["ir"] for row in plain[1, SIZE]], dtype=float)
    ends = []
    for y, style, label in (
        (ratios**2, "--", "ir², the paper's approximation"),
        (ratios, ":", "ir, of the texts"),
        (np.ones_like(ratios), "-.", "SharpReCL, targets of a class"),
    ):
        axes.plot(ratios, y, style, color=INK, lw=1)
        ends.append((y[-1], label, INK))
    for points, colour, sign, label in (
        (plain[1, SIZE], BLUE, "o", "one view, any batch size"),
        (plain[2, 256], SKY, "s", "two views, batches of 256"),
        (plain[2, 64], GREEN, "^", "two views, batches of 64"),
        (plain[2, 16], PINK, "v", "two views, batches of 16"),
        (made["prototypes alone"], ORANGE, "P", "64, and prototypes"),
        (made["both, half and half"], VERMILLION, "D", "64, and 10 targets: SharpReCL"),
    ):
        axes.plot(ratios, [row["expected"] for row in points], color=colour, lw=1.4)
        axes.plot(ratios, [row["pair_ratio"] for row in points], sign, color=colour, ms=5)
        ends.append((points[-1]["expected"], label, colour))
    axes.set(xscale="log", yscale="log", ylim=(0.7, 1e5), xlabel="imbalance ratio of the texts, ir")
    axes.set_ylabel("positive pairs, largest class over smallest")
    axes.set_xticks(ratios, [f"{ratio:g}" for ratio in ratios])
    axes.set_xticks([], minor=True)
    axes.set_yticks([], minor=True)
    axes.set_yticks([1, 10, 100, 1000, 10000, 100000], ["1", "10", "100", "1,000", "10,000", "100,000"])
    _label_ends(axes, ratios[-1], ends)
    return figure


def _label_ends(axes: Any, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Names at the ends of the lines, pushed apart where they would overlap."""
    step = np.diff(np.log10(axes.get_ylim()))[0] / 21
    place = -np.inf
    for y, label, colour in sorted(ends):
        place = max(np.log10(y), place + step)
        arrow = {"arrowstyle": "-", "color": colour, "lw": 0.8, "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 4}
        axes.annotate(label, (x, y), (x * 1.4, 10**place), va="center", annotation_clip=False, arrowprops=arrow)


def alone(counts: list[int]) -> Figure:
    """The chance that a text is alone, over the size of its class."""
    figure = Figure(figsize=(7.2, 3.4))
    axes = figure.subplots()
    for size, colour, sign, style in ((16, PINK, "v", ":"), (64, GREEN, "^", "--"), (256, SKY, "s", "-")):
        chance_C = chance_alone(counts, size)
        axes.plot(counts, 100 * chance_C, sign + style, color=colour, ms=5, lw=1.4, label=f"batches of {size}")
    axes.set(xscale="log", xlabel="texts of the class", ylabel="alone in its batch, % of texts", ylim=(-3, 103))
    axes.set_xticks(counts, [f"{count:,}" for count in counts])
    axes.set_xticks([], minor=True)
    axes.legend(frameon=False)
    return figure


def targets(rows: Rows, counts: list[int]) -> Figure:
    """How many of the ten synthetic positives of a class differ, and how many are nothing but its prototype."""
    figure = Figure(figsize=(7.2, 3.4))
    different, prototype = figure.subplots(1, 2, sharey=True)
    for source, colour, sign, style in (
        ("simple-sampling", BLUE, "o", "-"),
        ("both, half and half", ORANGE, "D", "--"),
        ("hard-mixup", VERMILLION, "s", ":"),
    ):
        (row,) = (row for row in rows if (row.get("source"), row["batch"], row.get("ir")) == (source, SIZE, 50))
        for axes, key in ((different, "different_targets"), (prototype, "prototype_targets")):
            axes.plot(counts, row[key], sign + style, color=colour, ms=5, lw=1.4, label=source)
    for axes, title in ((different, "different targets"), (prototype, "targets that are the prototype")):
        axes.set(xscale="log", xlabel="texts of the class", title=title, ylim=(-0.3, 10.3))
        axes.set_xticks(counts, [f"{count:,}" for count in counts])
        axes.set_xticks([], minor=True)
    different.set_ylabel("of ten, mean over batches")
    prototype.legend(frameon=False)
    return figure
