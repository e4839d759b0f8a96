"""Matplotlib figures as inline SVG that follows the page: its fonts, its ink colour in dark mode, hover titles.

The figures carry two stand-in colours, ``INK`` and ``GRID``, which become the page's own. Text stays text. Ids are
prefixed with the figure's name, so that several figures live in one page. Equal figures give equal bytes.
"""

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from rich.cells import cell_len

from sharprecl.evaluation.bands import BANDS
from sharprecl.extras import require

INK = "#010203"
GRID = "#040506"
# Okabe and Ito's colours: told apart by colour-blind readers, and by their lightness in grey print.
BLUE, SKY, VERMILLION, ORANGE, GREEN, PINK = "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73", "#cc79a7"
BAND_COLOURS = dict(zip(BANDS, (BLUE, SKY, VERMILLION), strict=True))
SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
RC = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sharprecl",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True)
class Key:
    """A line of a legend: a sign in a colour, what it stands for, and the group in the figure that it can hide."""

    sign: str
    colour: str
    text: str
    group: str = ""


@dataclass(frozen=True)
class Chart:
    """A drawn figure.

    Attributes:
        svg: markup; safe, all user text is escaped.
        caption: what it shows, in a sentence or two.
        wide: whether a phone scrolls it rather than shrinking it.
    """

    svg: str
    caption: str
    legend: tuple[Key, ...] = ()
    wide: bool = False


def log_ticks(axis: Any, biggest: int) -> None:
    """Label a log axis of counts 1, 10, 100, 1,000 in plain digits."""
    powers = [10**power for power in range(len(str(biggest)) + 1)]
    axis.set_ticks(powers, [f"{power:,}" for power in powers])
    axis.set_ticks([], minor=True)


@contextmanager
def style(more: Mapping[str, object] | None = None) -> Iterator[None]:
    """What drawing and saving need around them: the page's style, with ``more`` of matplotlib's settings."""
    matplotlib = require("matplotlib", "report", "drawing figures")
    with matplotlib.rc_context({**RC, **(more or {})}), warnings.catch_warnings():
        # The reader's browser has the glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message="Glyph")
        yield


@contextmanager
def drawing(width: float, height: float, more: Mapping[str, object] | None = None) -> Iterator[Any]:
    """A matplotlib figure of the page's style, in inches; draw and call ``to_svg`` inside."""
    with style(more):
        yield require("matplotlib.figure", "report", "drawing figures").Figure(figsize=(width, height))


def to_svg(figure: Any, name: str, label: str, titles: Mapping[str, Sequence[str]] | None = None) -> str:
    """Turn a figure into inline SVG.

    Args:
        figure: from ``drawing``.
        name: unique in the page.
        label: what a screen reader says.
        titles: by the gid of a collection, the hover text of each of its items, in order.
    """
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None}, dpi=144)
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(stream.getvalue())
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for gid, texts in (titles or {}).items():
        _add_titles(root, gid, texts)
    for element in root.iter():
        _localise(element, name)
    width, height = root.get("viewBox", "0 0 1 1").split()[2:]
    # Drawn for a phone's width; a desk may enlarge it by a quarter.
    style = f"max-width:{1.25 * float(width) * 96 / 72:.0f}px"
    root.attrib.pop("version", None)
    root.attrib.update({"style": style, "role": "img", "aria-label": label, "width": width, "height": height})
    text = ElementTree.tostring(root, encoding="unicode")
    return text.replace(INK, "currentColor").replace(GRID, "var(--grid)")


def pinned(svg: str, share: float) -> str:
    """A wide figure whose names at the left stay in sight while a phone scrolls it: they lie over it once more.

    Args:
        svg: from ``to_svg``.
        share: of the figure's width, up to where its axes begin.
    """
    root = ElementTree.fromstring(svg)
    axis = next(group for group in root.iter(f"{{{SVG}}}g") if group.get("id", "").endswith("matplotlib.axis_2"))
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    box = {"viewBox": f"0 0 {width * share:.4f} {height:.4f}", "style": f"width:{100 * share:.4f}%"}
    names = ElementTree.Element(f"{{{SVG}}}svg", {**box, "aria-hidden": "true"})
    names.extend(axis.iter(f"{{{SVG}}}text"))
    over = ElementTree.tostring(names, encoding="unicode")
    return f'<div class="pinned" style="{root.get("style")}">{svg}{over}</div>'


def clean(text: str, limit: int = 0) -> str:
    """One line of text that XML can hold, shortened to ``limit`` columns if that is positive (a Chinese sign: two)."""
    kept = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", " ", text).split())
    if not 0 < limit < cell_len(kept):
        return kept
    kept = kept[:limit]
    while cell_len(kept) >= limit:
        kept = kept[:-1]
    return kept.rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def _add_titles(root: ElementTree.Element, gid: str, texts: Sequence[str]) -> None:
    group = next(element for element in root.iter() if element.get("id") == gid)
    definitions = {id(item) for found in group.iter(f"{{{SVG}}}defs") for item in found.iter()}
    shapes = (f"{{{SVG}}}use", f"{{{SVG}}}path")
    items = [item for item in group.iter() if item.tag in shapes and id(item) not in definitions]
    for item, text in zip(items, texts, strict=True):
        ElementTree.SubElement(item, f"{{{SVG}}}title").text = text


def _localise(element: ElementTree.Element, name: str) -> None:
    """Leave the type to the page, and prefix the ids of an element and its references to them."""
    for key, value in list(element.attrib.items()):
        if key == "style":
            # What is drawn in the page's type needs no other.
            value = "; ".join(part for part in value.split("; ") if not part.startswith("font-family"))
            element.set(key, value)
        if key == "id":
            element.set(key, f"{name}-{value}")
        elif key == LINK:
            del element.attrib[LINK]
            element.set("href", f"#{name}-{value[1:]}" if value.startswith("#") else value)
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{name}-"))
