"""One drawing, three uses: SVG and PNG for print, and the results page's own SVG that follows its colours.

Sizes are those of a printed page, so that type of 7 points and more stays so. Colours are Okabe and Ito's, and no two
methods share a sign, so that grey print tells them apart too. Equal figures give equal bytes.
"""

import io
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sharprecl.data.messages import plural
from sharprecl.evaluation.metrics import Floats
from sharprecl.experiments.results import Cell, Line, Table
from sharprecl.files import atomic_path, write_text
from sharprecl.report.svg import BLUE, GREEN, INK, ORANGE, PINK, SKY, VERMILLION, Chart, clean, drawing, style, to_svg

COLUMN, FULL = 3.4, 7.0
"""Inches of a printed column, and of a page of two."""
PAGE = 9.4
"""Inches that a printed page is high, with room for a caption."""
LEAST_TYPE = 7.0
"""Points."""
LINES, MESH = "#a6aeb8", "#dde1e6"
GREY = "#8a8f98"
_INK_OF_FILES = "#000000"
_DPI = 300
_LETTERS_AN_INCH = 13  # of a heading
_PANELS_ACROSS = 3
_RC = {
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), LINES),
    "grid.color": MESH,
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "figure.titlesize": 8.5,
    "xtick.labelsize": LEAST_TYPE,
    "ytick.labelsize": LEAST_TYPE,
    "legend.fontsize": LEAST_TYPE,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
}


class Sign(NamedTuple):
    """How a method looks in all figures of its plan."""

    colour: str
    marker: str
    size: float


@dataclass(frozen=True)
class Drawing:
    """A figure.

    Attributes:
        name: of its files, without ending.
        title: a heading.
        caption: what it shows and what it rests on; complete by itself.
        svg: of a file, on white.
        png: draws the same at 300 dots an inch, which takes half as long as all the rest.
        inline: for a page.
        aside: whether a page may fold it away.
    """

    name: str
    title: str
    caption: str
    svg: str
    png: Callable[[], bytes] = field(compare=False)
    inline: Chart
    aside: bool = False


def sheet(width: float, height: float) -> AbstractContextManager[Any]:
    """A matplotlib figure of so many inches; draw, and call ``finish`` inside.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    return drawing(width, height, _RC)


def panels(figure: Any, number: int, **options: Any) -> list[Any]:
    """As many axes as asked for, three in a row at most; ``options`` are those of matplotlib's ``subplots``."""
    across = min(number, _PANELS_ACROSS)
    grid = figure.subplots(math.ceil(number / across), across, squeeze=False, **options)
    every = list(grid.flat)
    for axes in every[number:]:
        axes.remove()
    if options.get("sharex"):
        for axes in every[max(0, number - across) : number]:
            # The panel below it may be one of those taken away.
            axes.tick_params(labelbottom=True)
    return every[:number]


def label_edges(every: list[Any], x: str, y: str) -> None:
    """Label the axes that have none below them, and those at the left."""
    for place, axes in enumerate(every):
        if place + _PANELS_ACROSS >= len(every):
            axes.set_xlabel(x)
        if place % _PANELS_ACROSS == 0:
            axes.set_ylabel(y)


def folded(name: str, letters: int = 30) -> str:
    """A name on as many lines as it needs; as usual, those of a panel's title."""
    return textwrap.fill(clean(name), letters)


def size_of(number: int, height: float, more: float = 0.3) -> tuple[float, float]:
    """Inches of a sheet of so many panels of that height, lower where a page would not hold them, and ``more`` for
    titles and legends."""
    rows = math.ceil(number / _PANELS_ACROSS)
    return (COLUMN if number == 1 else FULL), min(rows * height + more, PAGE)


def finish(figure: Any, name: str, title: str, scale: str, caption: str, *, aside: bool = False) -> Drawing:
    """Put the heading on, which names the scale if there is one, and turn a drawing into all that is made of it."""
    heading = f"{title} (scale {scale})" if scale else title

    def saved(form: str, unwritten: Sequence[str]) -> bytes:
        stream = io.BytesIO()
        with style(_RC):
            figure.suptitle(textwrap.fill(heading, round(_LETTERS_AN_INCH * figure.get_figwidth())))
            metadata = dict.fromkeys(unwritten)
            figure.savefig(stream, format=form, facecolor="white", metadata=metadata, dpi=_DPI)
            # The page says the title in its own type.
            figure.suptitle("")
        return stream.getvalue()

    # Columns are called after files, and rows as anybody likes.
    name = re.sub(r"[^\w.-]+", "-", name)
    markup = saved("svg", ("Date", "Creator")).decode().replace(INK, _INK_OF_FILES)
    inline = to_svg(figure, name, heading).replace(LINES, "var(--soft)").replace(MESH, "var(--grid)")
    wide = bool(figure.get_figwidth() > COLUMN)
    png = partial(saved, "png", ("Software",))
    return Drawing(name, title, caption, markup, png, Chart(inline, caption, wide=wide), aside)


def save(drawn: Drawing, folder: Path) -> tuple[Path, Path]:
    """Write ``<name>.svg`` and ``<name>.png``, each whole or not at all; where they lie."""
    svg, png = folder / f"{drawn.name}.svg", folder / f"{drawn.name}.png"
    write_text(svg, drawn.svg)
    with atomic_path(png) as temporary:
        temporary.write_bytes(drawn.png())
    return svg, png


def signs(names: Sequence[str], compared: str | None) -> dict[str, Sign]:
    """A sign for every method, the vermillion star for the one that the plan is about."""
    colours, markers = (BLUE, GREEN, ORANGE, SKY, PINK, INK), ("o", "s", "^", "D", "v", "P", "X")
    others = [name for name in names if name != compared]
    # Six colours and seven markers have no common divisor, so 42 pairs pass before one returns.
    pairs = [(colours[place % 6], markers[place % 7]) for place in range(len(others))]
    found = {name: Sign(*pair, 5.0) for name, pair in zip(others, pairs, strict=True)}
    if compared is not None:
        found[compared] = Sign(VERMILLION, "*", 9.0)
    return {name: found[name] for name in names}


def basis(scale: str, cells: Iterable[Cell]) -> str:
    """What a figure rests on, the last sentences of its caption: ``Scale small: minilm, 3 seeds.``, and warnings."""
    chosen = [cell for cell in cells if cell.runs]
    runs = [run for cell in chosen for run in cell.runs.values()]
    models = sorted({run.model for run in runs} - {""})
    # A row without chance in its training has one run beside any number of seeds.
    numbers = [len(cell.runs) for cell in chosen if len(cell.wanted) > 1] or [1]
    fewest, most = min(numbers), max(numbers)
    seeds = plural(most, "seed", "seeds") if fewest == most else f"{fewest} to {most} seeds"
    words = [f"Scale {scale}: {', '.join([*models, seeds])}."]
    if not all(cell.complete for cell in chosen):
        words.append("Some seeds are missing.")
    if any(run.selected_on == "test" for run in runs):
        words.append("Epochs were chosen on the test texts, as published: the figures are too good.")
    return " ".join(words)


def percents(cell: Cell, metric: str) -> Floats:
    """A metric in percent, one a seed; none where a run has none."""
    return 100 * np.array(cell.scores(metric), dtype=np.float64)


def filled(table: Table, column: str) -> dict[Line, Cell]:
    """The cells of a column that have runs."""
    return {line: cell for line in table.lines if (cell := table.cells[line, column]).runs}
