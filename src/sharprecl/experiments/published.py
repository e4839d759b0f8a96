"""Every cell that the paper's tables print, what is known against some of them, and what was measured in their place.

``published.json`` holds for each of the paper's tables

- ``cells``, as printed, by row, column and metric; rows and columns as the shipped plans call them, ``average`` for the
  mean over all columns. All are means of ten runs with BERT-base, in percent, with the standard deviation where the
  paper has one;
- ``remarks``: what is odd about single cells, as clauses; ``impossible`` ones cannot be right where they stand;
- ``odd``: what is odd about the table beyond that, as sentences.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from sharprecl.data.benchmarks import SOURCES
from sharprecl.data.messages import joined, signed
from sharprecl.experiments.document import EMPTY, Entry, LongFormValue, Sheet
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.results import METRICS, Line, Table, in_percent
from sharprecl.experiments.scales import scale_of

AVERAGE = "average"
"""In place of a column: the mean over all columns of the paper's table."""
IMPOSSIBLE = "‡"

_FILE = Path(__file__).with_name("published.json")


@dataclass(frozen=True)
class Printed:
    """One printed figure.

    Attributes:
        row: the title of the plan's line, as in ``dice`` or ``top_k = 10``.
        column: of the plan, or ``AVERAGE``.
        text, spread: mean and standard deviation as printed; ``spread`` may be empty.
        remark: what is odd about it, as a clause.
        impossible: whether it cannot be right where it stands.
        measured: what the table has in its place, as a share of 1; None where nothing complete was measured.
    """

    row: str
    column: str
    metric: str
    text: str
    spread: str = ""
    remark: str = ""
    impossible: bool = False
    measured: float | None = None

    @property
    def value(self) -> float:
        """As a share of 0 to 1."""
        return float(self.text) / 100

    @property
    def difference(self) -> float | None:
        """Measured minus printed, in points."""
        return None if self.measured is None else 100 * (self.measured - self.value)


@cache
def printed(paper: str) -> tuple[Printed, ...]:
    """The cells of one of the paper's tables, as in ``Table 2``; none of a table that is not the paper's."""
    return tuple(_read(paper))


@cache
def _published() -> dict[str, Any]:
    values: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return values


def _read(paper: str) -> Iterator[Printed]:
    table = _published().get(paper, {"cells": {}, "remarks": []})
    remarks = {(one["row"], one["column"], metric): one for one in table["remarks"] for metric in one["metrics"]}
    for row, columns in table["cells"].items():
        for column, metrics in columns.items():
            for metric, shown in metrics.items():
                text, _, spread = shown.partition(" ± ")
                known = remarks.get((row, column, metric), {"text": ""})
                yield Printed(row, column, metric, text, spread, known["text"], known.get("impossible", False))


def compare_with_published(table: Table) -> tuple[Printed, ...]:
    """All printed figures of the paper's table, of the columns that were asked for, with what was measured.

    None for a plan of one's own. An average is compared with an average over the same columns only. Where several rows
    stand for one of the paper's, its figures are there for each of them.
    """
    plan = table.plan
    beside = {
        row: [line for line in table.lines if line.title == row or _stands_for(plan, line, row)]
        for row in dict.fromkeys(figure.row for figure in printed(plan.paper))
    }
    seen = {*table.columns, *table.empty_columns}
    shown = {*plan.columns, AVERAGE} if seen == set(plan.columns_at(table.scale)) else seen
    whole = table.columns == tuple(plan.columns)
    found: list[Printed] = []
    for figure in printed(plan.paper):
        if figure.column not in shown:
            continue
        means: dict[Line, float] = {}
        if figure.column in table.columns:
            means = table.means(figure.metric, figure.column)
        elif figure.column == AVERAGE and whole and table.common(figure.metric).columns == table.columns:
            means = table.averages(figure.metric)
        lines = beside[figure.row]
        found += [replace(figure, row=line.title, measured=means.get(line)) for line in lines] or [figure]
    return tuple(found)


def _stands_for(plan: Plan, line: Line, row: str) -> bool:
    """Whether the paper calls a line as it calls a row of the plan."""
    called = plan.rows[row].paper if row in plan.rows else None
    return line.x is None and bool(called) and plan.rows[line.row].paper == called


def published_sheets(table: Table) -> list[Sheet]:
    """The same, a sheet for each metric with the notes below the last; none where nothing was run, or is printed."""
    figures = compare_with_published(table) if table.runs else ()
    remarks = list(dict.fromkeys(figure.remark for figure in figures if figure.remark))
    metrics = dict.fromkeys(figure.metric for figure in figures)
    sheets = [
        _sheet(table, metric, [figure for figure in figures if figure.metric == metric], remarks) for metric in metrics
    ]
    if not sheets:
        return []
    numbered = (f"{number}: {remark}." for number, remark in enumerate(remarks, 1))
    below = replace(sheets[-1], notes=tuple(_notes(table, figures)), aside=(*numbered, *odd(table.plan.paper)))
    return [*sheets[:-1], below]


def published_values(table: Table) -> Iterator[LongFormValue]:
    """The same in long form."""
    for figure in compare_with_published(table) if table.runs else ():
        place = (figure.metric, figure.row, figure.column)
        yield LongFormValue("paper", "printed", figure.text, *place)
        if figure.difference is not None:
            yield LongFormValue("paper", "difference", figure.difference, *place)
        if figure.remark:
            yield LongFormValue("paper", "impossible" if figure.impossible else "odd", figure.remark, *place)


def _notes(table: Table, figures: Sequence[Printed]) -> Iterator[str]:
    """What is to be known of these figures."""
    name = table.plan.paper
    yield (
        f"{name} prints means and standard deviations of ten runs of BERT-base on all texts. In brackets, where the "
        "cell is complete: our mean, and how many points it is above the printed one."
    )
    beside, all_ = _coverage(table, figures)
    yield f"{beside} of the {all_} printed figures have ours beside them."
    if unlike := scale_of(table.scale).unlike_paper:
        yield " ".join((unlike, *_caps(table), "So the difference judges neither."))
    if any(figure.impossible for figure in figures):
        yield f"{IMPOSSIBLE}: cannot be right where it stands."


def coverage(table: Table) -> tuple[int, int]:
    """How many of the paper's printed figures have ours beside them, and how many there are."""
    return _coverage(table, compare_with_published(table) if table.runs else ())


def _coverage(table: Table, figures: Sequence[Printed]) -> tuple[int, int]:
    called = {row: wanted.paper or row for row, wanted in table.plan.rows.items()}
    # A row of the paper for which two of ours stand counts once.
    cells: dict[tuple[str, str, str], bool] = {}
    for figure in figures:
        cell = called.get(figure.row, figure.row), figure.column, figure.metric
        cells[cell] = cells.get(cell, False) or figure.measured is not None
    return sum(cells.values()), len(cells)


def _caps(table: Table) -> Iterator[str]:
    """How many texts were taken at most, as the runs have it."""
    for cap, what in (("train_cap", "training texts a class"), ("test_cap", "test texts")):
        names: dict[int, list[str]] = {}
        for data in dict.fromkeys(table.plan.columns[column].data for column in table.columns):
            for most in sorted({getattr(run.spec, cap) for run in table.runs if run.spec.data == data} - {None}):
                names.setdefault(most, []).append(SOURCES[data].title if data in SOURCES else data)
        if names:
            parts = [f"{most:,} of {joined(found, len(found))}" for most, found in names.items()]
            yield f"At most so many {what} are taken: {'; '.join(parts)}."
    if any(run.spec.train_cap and run.spec.ir for run in table.runs):
        yield (
            "Caps make classes equally large before they are thinned: which of those becomes rare then goes by their "
            "names, not by their sizes."
        )


def odd(paper: str) -> tuple[str, ...]:
    """What is odd about a table of the paper beyond the remarks on its cells."""
    return tuple(_published()[paper]["odd"])


def _sheet(table: Table, metric: str, figures: Sequence[Printed], remarks: list[str]) -> Sheet:
    found = {(figure.row, figure.column): _entry(figure, remarks) for figure in figures}
    columns = [column for column in (*table.plan.columns, AVERAGE) if any(column == place[1] for place in found)]
    rows = tuple(
        (Entry(row), *(found.get((row, column), EMPTY) for column in columns))
        for row in dict.fromkeys(row for row, _ in found)
    )
    headings = ("Row", *(column.capitalize() if column == AVERAGE else column for column in columns))
    return Sheet(f"{METRICS[metric]} printed in {table.plan.paper}", headings, rows)


def _entry(figure: Printed, remarks: list[str]) -> Entry:
    marks: tuple[str, ...] = (IMPOSSIBLE,) if figure.impossible else ()
    if figure.remark:
        marks += (str(remarks.index(figure.remark) + 1),)
    difference = ""
    if figure.measured is not None and figure.difference is not None:
        difference = f"{in_percent(figure.measured):.1f}, {signed(figure.difference)}"
    return Entry(figure.text, figure.spread, marks=marks, difference=difference)
