"""What an issue gives the terminal and the page to show: figures, columns of the table of classes, rows to look at."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.report.figures import class_colours
from sharprecl.report.svg import log_ticks

DRAWN = 1500
"""Classes that are drawn one by one: of more, nobody could tell the marks apart, and the page would weigh megabytes."""
RIMMED = 100


class Column(NamedTuple):
    """A column of the table of classes.

    Attributes:
        heading: on the page; the terminal leaves out its unit.
        values: by class name; None where nothing is known: dashes in the terminal, and no column on the page.
        missing: what a class without a value has; None is a dash.
        page, terminal: how a value is written; None leaves the column out of the terminal.
    """

    heading: str
    values: Mapping[str, float] | None
    missing: float | None = 0
    page: Callable[[float], str] = "{:,}".format
    terminal: Callable[[float], str] | None = "{:,}".format

    def value(self, name: str) -> float | None:
        """Of a class."""
        return None if self.values is None else self.values.get(name, self.missing)


class Example(NamedTuple):
    """Rows to look at.

    Attributes:
        line: what the terminal says before the text.
        labels, joint, remark: what the page does: the labels, joined by ``joint``, and the rest.
        text: of the rows, or of the first of them.
    """

    line: str
    labels: Sequence[str]
    joint: str
    remark: str
    text: str


class Examples(NamedTuple):
    """A list of examples, of which the terminal shows the first ``shown``."""

    title: str
    introduction: str
    entries: Sequence[Example]
    shown: int


class Table(NamedTuple):
    """A small table for the page, its numbers in the last column."""

    title: str
    headings: Sequence[str]
    rows: Sequence[tuple[str, str, int]]


class Section(NamedTuple):
    """A heading, the figures under it, (name, value) each, and what else belongs to them.

    ``tiles`` stand at the head of the page: name, value, and a word about it.
    """

    title: str
    figures: Sequence[tuple[str, str]]
    tiles: Sequence[tuple[str, str, str]] = ()
    columns: Sequence[Column] = ()
    examples: Examples | None = None
    table: Table | None = None


def percent(share: float) -> str:
    """``0.0312`` as ``3.1 %``; a share above 0 never reads 0."""
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def points(share: float) -> str:
    """``0.0312`` as ``3.1``."""
    return f"{100 * share:.1f}"


def scatter_over_size(
    axes: Any, x: NDArray[np.floating | np.integer], percents: Sequence[float], size_C: NDArray[np.int64], gid: str
) -> None:
    """Points in the colours of their class sizes, in percent over a log axis of sizes; ``gid`` names them."""
    # Few points have rims, which keep them apart; of many the rims alone would be seen.
    look = {"s": 30, "linewidths": 0.5} if len(size_C) <= RIMMED else {"s": 14, "linewidths": 0}
    points = axes.scatter(x, percents, c=class_colours(size_C), edgecolors="white", zorder=3, clip_on=False, **look)
    points.set_gid(gid)
    axes.set_xscale("log")
    log_ticks(axes.xaxis, int(size_C.max()))
    axes.set_xlim(0.6, max(10, size_C.max()) * 1.5)
    axes.set_ylim(-3, 103)
    axes.set_xlabel("training texts of the class (log scale)")
