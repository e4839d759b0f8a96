"""Table 1 of the paper beside what the files give, with a footnote for every difference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sharprecl.data.published import FIGURES, TABLE_1
from sharprecl.data.statistics import Statistics


@dataclass(frozen=True)
class ComparedFigure:
    """One figure of one benchmark.

    Attributes:
        printed: as in the paper.
        found: in the files, with as many digits as are comparable.
        note: number of the footnote from 1, None where the two agree to the paper's precision.
    """

    printed: str
    found: str
    note: int | None


@dataclass(frozen=True)
class Comparison:
    """Several benchmarks side by side.

    Attributes:
        rows: for each benchmark, by its name, the figures in the order of ``FIGURES``.
        notes: the footnotes, each the benchmark's name and a cause.
    """

    rows: dict[str, dict[str, ComparedFigure]]
    notes: tuple[tuple[str, str], ...]


def compare(statistics: Mapping[str, Statistics]) -> Comparison:
    """Hold the statistics of benchmarks, by name, against the paper's."""
    rows: dict[str, dict[str, ComparedFigure]] = {}
    notes: list[tuple[str, str]] = []
    for name, found in statistics.items():
        published = TABLE_1[name]
        differing = differences(name, found)
        rows[name] = {figure: _cell(published.figures[figure], getattr(found, FIGURES[figure])) for figure in FIGURES}
        for difference in published.differences:
            concerned = [figure for figure in difference.figures if figure in differing]
            if concerned:
                notes.append((name, difference.cause))
                for figure in concerned:
                    cell = rows[name][figure]
                    rows[name][figure] = ComparedFigure(cell.printed, cell.found, len(notes))
    return Comparison(rows, tuple(notes))


def differences(name: str, found: Statistics) -> dict[str, tuple[float, float]]:
    """The figures that differ from Table 1 at its precision: each with what is printed and what was found."""
    pairs = {figure: (TABLE_1[name].figures[figure], getattr(found, FIGURES[figure])) for figure in FIGURES}
    return {figure: pair for figure, pair in pairs.items() if round(pair[1], _digits(pair[0])) != pair[0]}


def to_json(name: str, found: Statistics) -> dict[str, Any]:
    """The paper's row and the differences, JSON-ready."""
    differing = differences(name, found)
    return {
        "paper": dict(TABLE_1[name].figures),
        "differences": [
            {"figures": list(difference.figures), "cause": difference.cause}
            for difference in TABLE_1[name].differences
            if differing.keys() & set(difference.figures)
        ],
    }


def _cell(printed: float, found: float) -> ComparedFigure:
    return ComparedFigure(
        str(printed), f"{found:.{_digits(printed)}f}" if isinstance(found, float) else str(found), None
    )


def _digits(printed: float) -> int:
    """Digits after the point, as printed."""
    return len(str(printed).partition(".")[2])
