"""The diagnosis in a terminal of 80 columns; piped, the same without colours."""

from collections.abc import Iterable

from rich import box
from rich.cells import set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sharprecl.doctor.diagnosis import Diagnosis
from sharprecl.doctor.issues.base import Severity
from sharprecl.doctor.issues.display import Examples, Section
from sharprecl.doctor.spellings import visible
from sharprecl.evaluation.table import DASH
from sharprecl.report.svg import clean

EACH = 6
SHORT = 90
NAME = 46
_STYLES: dict[Severity, str] = {"problem": "bold red", "warning": "bold yellow", "note": "bold"}


def show(console: Console, found: Diagnosis) -> None:
    """Print the findings first, the figures behind them next, the recommended command last."""
    console.print(_plain(found.headline, "bold"))
    console.print(_plain(found.verdict))
    console.print()
    findings = _grid(8)
    for finding in found.findings:
        said = _plain(finding.sentence)
        if finding.cure:
            said.append("\n").append_text(_plain(f"\N{RIGHTWARDS ARROW} {finding.cure}", "dim"))
        findings.add_row(_plain(finding.severity, _STYLES[finding.severity]), said)
    console.print(findings)
    for place, section in enumerate(found.sections):
        _figures(console, section)
        if place == 0:
            console.print(_classes(found))
        if section.examples is not None:
            console.print(_examples(section.examples))
    if found.after:
        console.print()
        console.print(_plain("Fixed", "bold"))
        console.print(_list(found.after))
    console.print()
    console.print(_plain("Recommended", "bold"))
    for command, reasons in found.recommendation.commands:
        # Unbroken, so that it can be copied.
        console.print(command, markup=False, highlight=False, soft_wrap=True)
        console.print(_list(reasons))
    if any(finding.severity == "problem" for finding in (found.left or found).findings):
        first = found.recommendation.first
        console.print(_plain("Mend what it leaves of the problems." if first else "Mend the problems above first."))


def _figures(console: Console, section: Section) -> None:
    console.print()
    console.print(_plain(section.title, "bold"))
    for name, value in section.figures:
        console.print(Text(f"{set_cell_size(clean(name), NAME)} {clean(value)}"))


def _classes(found: Diagnosis) -> Table:
    """The largest and smallest classes, or all if there are few, with a row of dots between."""
    columns = [column for column in found.columns if column.terminal is not None]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("Class", overflow="fold")
    for column in columns:
        table.add_column(column.heading.removesuffix(", %"), justify="right")
    names = list(found.counts)
    split = len(names) > 2 * EACH + 1
    for place, name in enumerate([*names[:EACH], *names[-EACH:]] if split else names):
        if split and place == EACH:
            table.add_row(f"... {len(names) - 2 * EACH:,} more")
        values = [(column.terminal, column.value(name)) for column in columns]
        shown = [DASH if write is None or value is None else write(value) for write, value in values]
        table.add_row(_plain(clean(visible(name), 24)), *shown)
    return table


def _examples(examples: Examples) -> Table:
    return _list(f"{item.line}: {clean(item.text, SHORT)}" for item in examples.entries[: examples.shown])


def _list(lines: Iterable[str]) -> Table:
    """Lines with a hanging indent, where they are longer than the terminal is wide."""
    grid = _grid(1)
    for line in lines:
        grid.add_row(Text("-"), _plain(line))
    return grid


def _grid(first: int) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=first)
    grid.add_column(overflow="fold")
    return grid


def _plain(text: str, style: str = "") -> Text:
    """Text without markup and without control characters, whatever a label holds."""
    return Text(clean(text), style)
