"""Learning curves: what the loss did, and which epoch was kept."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.report.svg import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    SKY,
    VERMILLION,
    Chart,
    Key,
    clean,
    drawing,
    to_svg,
)  # fmt: skip

LINE = "\N{BLACK SQUARE}"
MOST_POINTS = 400


def learning_curves(history: list[dict[str, Any]]) -> Chart | None:
    """Loss terms by step above, validation figures by step below; None without history."""
    steps = [record for record in history if record.get("kind") == "step"]
    checks = [record for record in history if record.get("kind") == "validation"]
    if not steps and not checks:
        return None
    panels = bool(steps) + bool(checks)
    with drawing(4.6, 2.2 * panels) as figure:
        axes = np.atleast_1d(figure.subplots(panels, 1, sharex=True))
        keys = [*(_losses(axes[0], steps) if steps else []), *(_scores(axes[-1], checks) if checks else [])]
        axes[-1].set_xlabel("optimiser step")
        svg = to_svg(figure, "curves", "Training loss and validation figures by optimiser step")
    caption = "Long runs are averaged into at most 400 points." if len(steps) > MOST_POINTS else ""
    return Chart(svg, caption, tuple(keys))


def _losses(axes: Any, steps: list[dict[str, Any]]) -> list[Key]:
    keys = []
    names = {name for record in steps for name in record["loss"]}
    ordered = sorted(names, key=lambda name: (name != "total", name))
    for name, colour in zip(ordered, (INK, ORANGE, GREEN, PINK, SKY, VERMILLION), strict=False):
        x, y = _curve([(record["step"], record["loss"].get(name)) for record in steps])
        if len(x):
            axes.plot(x, y, color=colour, linewidth=1.4 if name == "total" else 1.1)
            keys.append(Key(LINE, "currentColor" if colour == INK else colour, f"loss: {clean(name)}"))
    axes.set_ylabel("training loss")
    axes.set_ylim(bottom=min(0, axes.get_ylim()[0]))
    return keys


def _scores(axes: Any, checks: list[dict[str, Any]]) -> list[Key]:
    keys = []
    for name, title, colour, style in (
        ("macro_f1", "macro-F1", BLUE, "-"),
        ("accuracy", "accuracy", SKY, (0, (4, 2))),
    ):
        x, y = _curve([(record["step"], record.get(name)) for record in checks])
        axes.plot(x, 100 * y, color=colour, linestyle=style, linewidth=1.4, marker="o", markersize=3.5)
        keys.append(Key(LINE, colour, f"validation {title}"))
    if chosen := [record for record in checks if record.get("best")]:
        best = chosen[-1]
        axes.axvline(best["step"], color=VERMILLION, linewidth=1, linestyle=(0, (2, 2)))
        axes.plot(best["step"], 100 * best["macro_f1"], marker="*", markersize=13, color=VERMILLION)
        text = f"kept: epoch {best['epoch']}, macro-F1 {100 * best['macro_f1']:.1f}"
        keys.append(Key("\N{BLACK STAR}", VERMILLION, text))
    axes.set_ylabel("validation, %")
    return keys


def _curve(points: list[tuple[int, float | None]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Steps and values without the missing and infinite ones, in at most 400 averaged points."""
    kept = [(step, value) for step, value in points if value is not None and math.isfinite(value)]
    x, y = np.array(kept, dtype=np.float64).reshape(-1, 2).T
    if len(x) <= MOST_POINTS:
        return x, y
    edges = np.linspace(0, len(x), MOST_POINTS + 1).astype(int)[:-1]
    sizes = np.diff(np.append(edges, len(x)))
    return np.add.reduceat(x, edges) / sizes, np.add.reduceat(y, edges) / sizes
