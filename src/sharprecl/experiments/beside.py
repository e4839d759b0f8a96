"""Printed figures beside measured ones."""

from collections.abc import Iterator
from dataclasses import dataclass

from sharprecl.experiments.cells import METRICS, in_percent
from sharprecl.experiments.published import AVERAGE, ODD, PRINTED, Printed
from sharprecl.experiments.sheets import DASH, EMPTY, Entry, Figure, Sheet, signed
from sharprecl.experiments.tables import Table

IMPOSSIBLE = "‡"


@dataclass(frozen=True)
class Beside:
    """One printed figure, and what was measured in its place; None where nothing complete was."""

    printed: Printed
    measured: float | None

    @property
    def difference(self) -> float | None:
        """Measured minus printed, in points."""
        return None if self.measured is None else 100 * (self.measured - self.printed.value)


def beside(table: Table) -> tuple[Beside, ...]:
    """The printed figures of a table's columns, and the averages if it has them all; none for a plan of one's own."""
    return tuple(_measured(table))


def beside_sheet(table: Table) -> Sheet | None:
    """The same as a sheet; None where the paper's table is not known."""
    pairs, odd = beside(table), ODD.get(table.plan.paper, ())
    if not pairs and not odd:
        return None
    remarks = list(dict.fromkeys(pair.printed.remark for pair in pairs if pair.printed.remark))
    rows = tuple(_row(pair, remarks) for pair in pairs)
    notes = [f"{number}: {remark}." for number, remark in enumerate(remarks, 1)]
    if any(pair.printed.impossible for pair in pairs):
        notes.append(f"{IMPOSSIBLE}: cannot be right where it stands.")
    notes += odd
    if table.scale != "paper":
        notes.append(
            f"The paper's figures are means of ten runs of BERT-base on all texts; at the scale {table.scale} encoder, "
            "epochs and texts are others, so that the differences judge neither."
        )
    headings = ("Row", "Column", "Metric", "Paper", "Measured", "Difference")
    return Sheet(f"Beside the paper's {table.plan.paper}", headings, rows, tuple(notes), words=3)


def beside_figures(table: Table) -> Iterator[Figure]:
    """The same in long form."""
    for pair in beside(table):
        place = (pair.printed.metric, pair.printed.row, pair.printed.column)
        yield Figure("paper", "printed", pair.printed.text, *place)
        if pair.difference is not None:
            yield Figure("paper", "difference", pair.difference, *place)
        if pair.printed.remark:
            yield Figure("paper", "impossible" if pair.printed.impossible else "odd", pair.printed.remark, *place)


def _measured(table: Table) -> Iterator[Beside]:
    lines = {line.row: line for line in table.lines}
    whole = table.columns == tuple(table.plan.columns)
    for printed in PRINTED.get(table.plan.paper, ()):
        if printed.column in table.columns:
            means = table.means(printed.metric, printed.column)
        elif printed.column == AVERAGE and whole and table.common(printed.metric).columns == table.columns:
            means = table.averages(printed.metric)
        else:
            continue
        line = lines.get(printed.row)
        yield Beside(printed, None if line is None else means.get(line))


def _row(pair: Beside, remarks: list[str]) -> tuple[Entry, ...]:
    printed = pair.printed
    marks: tuple[str, ...] = (IMPOSSIBLE,) if printed.impossible else ()
    if printed.remark:
        marks += (str(remarks.index(printed.remark) + 1),)
    difference = EMPTY if pair.difference is None else Entry(signed(pair.difference))
    measured = DASH if pair.measured is None else f"{in_percent(pair.measured):.1f}"
    words = (printed.row, printed.column, METRICS[printed.metric])
    return (*map(Entry, words), Entry(printed.text, marks=marks), Entry(measured), difference)
