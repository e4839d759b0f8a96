"""Every printed figure of the paper's table, and what this table measured less that."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sharprecl.experiments.cells import METRICS, Line
from sharprecl.experiments.published import AVERAGE, ODD, Printed, printed
from sharprecl.experiments.sheets import EMPTY, Entry, LongFormValue, Sheet, signed
from sharprecl.experiments.tables import Table

IMPOSSIBLE = "‡"


@dataclass(frozen=True)
class PrintedAndMeasured:
    """One printed figure, and what was measured in its place; None where nothing complete was."""

    printed: Printed
    measured: float | None

    @property
    def difference(self) -> float | None:
        """Measured minus printed, in points."""
        return None if self.measured is None else 100 * (self.measured - self.printed.value)


def compare_with_published(table: Table) -> tuple[PrintedAndMeasured, ...]:
    """All printed figures of the paper's table, of the columns that were asked for; none for a plan of one's own.

    An average stands compare_with_published an average over the same columns only.
    """
    return tuple(_measured(table))


def published_sheets(table: Table) -> list[Sheet]:
    """The same, a sheet for each metric with the notes below the last; none where the paper has no such table."""
    pairs = compare_with_published(table)
    remarks = _remarks(pairs)
    metrics = list(dict.fromkeys(pair.printed.metric for pair in pairs))
    sheets = [
        _sheet(table, metric, [pair for pair in pairs if pair.printed.metric == metric], remarks) for metric in metrics
    ]
    return [*sheets[:-1], replace(sheets[-1], notes=tuple(_notes(table, pairs, remarks)))] if sheets else []


def published_values(table: Table) -> Iterator[LongFormValue]:
    """The same in long form."""
    for pair in compare_with_published(table):
        place = (pair.printed.metric, pair.printed.row, pair.printed.column)
        yield LongFormValue("paper", "printed", pair.printed.text, *place)
        if pair.difference is not None:
            yield LongFormValue("paper", "difference", pair.difference, *place)
        if pair.printed.remark:
            yield LongFormValue(
                "paper", "impossible" if pair.printed.impossible else "odd", pair.printed.remark, *place
            )


def _remarks(pairs: Iterable[PrintedAndMeasured]) -> list[str]:
    return list(dict.fromkeys(pair.printed.remark for pair in pairs if pair.printed.remark))


def _notes(table: Table, pairs: Sequence[PrintedAndMeasured], remarks: Sequence[str]) -> Iterator[str]:
    """What is to be known of these figures, and what is odd about the paper's table as a whole."""
    name, scale = table.plan.paper, ""
    if table.scale != "paper":
        scale = f"; at the scale {table.scale} encoder, epochs and texts are others, so that it judges neither"
    yield (
        f"{name} prints means and standard deviations of ten runs of BERT-base on all texts. In brackets: this "
        f"table's mean less the printed one, in points, where it is complete{scale}."
    )
    if any(pair.printed.impossible for pair in pairs):
        yield f"{IMPOSSIBLE}: cannot be right where it stands."
    yield from (f"{number}: {remark}." for number, remark in enumerate(remarks, 1))
    yield from ODD.get(name, ())


def _measured(table: Table) -> Iterator[PrintedAndMeasured]:
    lines = {line.title: line for line in table.lines}
    plan = table.plan
    seen = {*table.columns, *table.empty_columns}
    shown = {*plan.columns, AVERAGE} if seen == set(plan.columns_at(table.scale)) else seen
    whole = table.columns == tuple(plan.columns)
    for figure in printed(plan.paper):
        if figure.column not in shown:
            continue
        means: dict[Line, float] = {}
        if figure.column in table.columns:
            means = table.means(figure.metric, figure.column)
        elif figure.column == AVERAGE and whole and table.common(figure.metric).columns == table.columns:
            means = table.averages(figure.metric)
        line = lines.get(figure.row)
        yield PrintedAndMeasured(figure, None if line is None else means.get(line))


def _sheet(table: Table, metric: str, pairs: list[PrintedAndMeasured], remarks: list[str]) -> Sheet:
    found = {(pair.printed.row, pair.printed.column): pair for pair in pairs}
    columns = [column for column in (*table.plan.columns, AVERAGE) if any(column == place[1] for place in found)]
    rows = tuple(
        (Entry(row), *(_entry(found.get((row, column)), remarks) for column in columns))
        for row in dict.fromkeys(row for row, _ in found)
    )
    headings = ("Row", *(column.capitalize() if column == AVERAGE else column for column in columns))
    return Sheet(f"{METRICS[metric]} printed in {table.plan.paper}", headings, rows)


def _entry(pair: PrintedAndMeasured | None, remarks: list[str]) -> Entry:
    if pair is None:
        return EMPTY
    figure, difference = pair.printed, pair.difference
    marks: tuple[str, ...] = (IMPOSSIBLE,) if figure.impossible else ()
    if figure.remark:
        marks += (str(remarks.index(figure.remark) + 1),)
    return Entry(figure.text, figure.spread, marks=marks, difference="" if difference is None else signed(difference))
