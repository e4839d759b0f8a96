"""``sharprecl datasets stats`` for people: Table 1 beside the files, footnotes, and what stands twice."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sharprecl.data.benchmarks import SOURCES
from sharprecl.data.comparison import FIGURES, HEADINGS, REPEATED, REPEATED_LEGEND, ComparedFigure, Comparison, compare
from sharprecl.data.statistics import Statistics


def show_statistics(console: Console, statistics: Mapping[str, Statistics]) -> None:
    """Print both tables and the footnotes of benchmarks, by name."""
    comparison = compare(statistics)
    console.print(_published(comparison))
    for number, (name, cause) in enumerate(comparison.notes, start=1):
        console.print(Text(f"[{number}] {SOURCES[name].title}: {cause}"))
    console.print()
    console.print(_repeated(statistics))
    console.print(Text(REPEATED_LEGEND, style="dim"))


def _published(comparison: Comparison) -> Table:
    table = Table("Data set", "", box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    columns = [_marked([row[figure] for row in comparison.rows.values()]) for figure in FIGURES]
    for heading in HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    for place, name in enumerate(comparison.rows):
        table.add_row(SOURCES[name].title, "paper", *(column[place][0] for column in columns))
        table.add_row("", "files", *(column[place][1] for column in columns))
    return table


def _marked(cells: Sequence[ComparedFigure]) -> list[tuple[Text, Text]]:
    """What is printed and what was found, for one column: the marks of its footnotes stand right of aligned figures."""
    marks = [f" [{cell.note}]" if cell.note is not None else "" for cell in cells]
    width = max(map(len, marks))
    return [
        (Text(cell.printed + " " * width), Text(cell.found + mark.ljust(width), style="bold" if mark else ""))
        for cell, mark in zip(cells, marks, strict=True)
    ]


def _repeated(statistics: Mapping[str, Statistics]) -> Table:
    table = Table("Data set", box=None, pad_edge=False, header_style="bold")
    for heading in REPEATED:
        table.add_column(heading, justify="right")
    for name, found in statistics.items():
        table.add_row(SOURCES[name].title, *(str(getattr(found, key)) for key in REPEATED.values()))
    return table
