"""The figure of docs/speed.md: how time and memory grow with classes, texts a batch, and rows.

python benchmarks/growth_figure.py     # from benchmarks/results/training_speed.jsonl, writes docs/figures/growth.svg
"""

import json
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pair_ratio_figures import STYLE
from sharprecl.report.svg import BLUE, ORANGE, VERMILLION

HERE = Path(__file__).parent
Line = dict[str, Any]


def latest(part: str) -> list[Line]:
    """The lines of a part's last measuring."""
    found: dict[Any, Line] = {}
    for text in (HERE / "results" / "training_speed.jsonl").read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line["part"] == part:
            found[tuple(line.get(name) for name in ("classes", "batch", "micro_batch", "rows"))] = line
    return list(found.values())


def curve(
    axes: Axes, lines: list[Line], across: str, up: str, scale: float, label: str, colour: str, mark: str
) -> None:
    """One curve over a logarithmic axis."""
    axes.plot(
        [line[across] for line in lines], [line[up] / scale for line in lines], f"{mark}-", label=label, color=colour
    )
    axes.set_xscale("log")


def draw() -> Figure:
    """Three panels: classes, batch, rows."""
    figure = Figure(figsize=(9.6, 5.2), layout="constrained")
    panels = figure.subplots(2, 3, sharex="col")
    batches = latest("micro")
    kinds = ((None, "whole", BLUE, "o"), (32, "micro-batches of 32", VERMILLION, "s"))
    for row, (up, scale, unit) in enumerate((("step_ms", 1000, "seconds a step"), ("peak_mb", 1000, "GB"))):
        curve(panels[row][0], latest("classes"), "classes", up, scale, "", BLUE, "o")
        for micro, label, colour, mark in kinds:
            shown = [line for line in batches if line["micro_batch"] == micro]
            curve(panels[row][1], shown, "batch", up, scale, label, colour, mark)
        panels[row][0].set_ylabel(unit)
    rows = latest("texts")
    steps = (
        ("read_us", "read", BLUE, "o"),
        ("tokenise_us", "tokenise", VERMILLION, "s"),
        ("batch_us", "batch", ORANGE, "^"),
    )
    for up, label, colour, mark in steps:
        curve(panels[0][2], rows, "rows", up, 1, label, colour, mark)
    curve(panels[1][2], rows, "rows", "peak_mb", 1000, "", BLUE, "o")
    panels[0][2].set_ylabel("microseconds a row")
    for axes, words in zip(panels[1], ("classes, B = 128", "texts a batch", "rows of a CSV"), strict=True):
        axes.set_xlabel(words)
    for axes in panels.flat:
        axes.set_ylim(bottom=0)
    panels[1][1].set_xticks([32, 128, 512, 4096], ["32", "128", "512", "4,096"])
    panels[1][1].minorticks_off()
    for axes in (panels[0][1], panels[0][2]):
        axes.legend(frameon=False)
    return figure


def main() -> None:
    """Write the figure."""
    with matplotlib.rc_context(STYLE):
        target = HERE.parent / "docs" / "figures" / "growth.svg"
        draw().savefig(target, metadata={"Date": None, "Creator": None}, facecolor="white")


if __name__ == "__main__":
    main()
