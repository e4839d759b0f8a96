"""The diagnosis in a terminal of 80 columns; piped, the same without colours."""

from collections.abc import Iterable

from rich import box
from rich.cells import set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sharprecl.doctor.diagnosis import Diagnosis, DuplicateGroup, Severity, Suspect
from sharprecl.doctor.summary import Section, group_rows, headline, sections, shown_classes, verdict
from sharprecl.report.svg import clean

EACH = 6
GROUPS = 5
SUSPECTS = 10
LABELS = 4
SHORT = 90
NAME = 46
_STYLES: dict[Severity, str] = {"problem": "bold red", "warning": "bold yellow", "note": "bold"}


def show(console: Console, found: Diagnosis) -> None:
    """Print the findings first, the figures behind them next, the recommended command last."""
    console.print(_plain(headline(found), "bold"))
    console.print(_plain(verdict(found)))
    console.print()
    findings = _grid(8)
    for finding in found.findings:
        said = _plain(finding.sentence)
        if finding.cure:
            said.append("\n").append_text(_plain(f"\N{RIGHTWARDS ARROW} {finding.cure}", "dim"))
        findings.add_row(_plain(finding.severity, _STYLES[finding.severity]), said)
    console.print(findings)
    for section in sections(found):
        _section(console, section)
        if section.title == "Labels":
            console.print(_classes(found))
        if section.title == "Duplicates":
            console.print(_list(map(_group, found.duplicates.groups[:GROUPS])))
    if found.label_errors is not None:
        console.print(_list(map(_suspect, found.label_errors.suspects[:SUSPECTS])))
    console.print()
    console.print(_plain("Recommended", "bold"))
    # Unbroken, so that it can be copied.
    console.print(found.recommendation.command, markup=False, highlight=False, soft_wrap=True)
    console.print(_list(map(_plain, found.recommendation.reasons)))
    if any(finding.severity == "problem" for finding in found.findings):
        console.print(_plain("Mend the problems above first."))


def _section(console: Console, section: Section) -> None:
    console.print()
    console.print(_plain(section.title, "bold"))
    for name, value in section.figures:
        console.print(Text(f"{set_cell_size(clean(name), NAME)} {clean(value)}"))


def _classes(found: Diagnosis) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False)
    table.add_column("Class", overflow="fold")
    for title in ("Texts", "Test", "No positive", "F1 of words"):
        table.add_column(title, justify="right")
    for row in shown_classes(found, EACH):
        table.add_row(*map(_plain, row))
    return table


def _group(group: DuplicateGroup) -> Text:
    labels = ", ".join(clean(label, 24) for label in group.labels[:LABELS])
    return _plain(f"{group_rows(group)} ({labels}): {clean(group.text, SHORT)}")


def _suspect(suspect: Suspect) -> Text:
    doubt = ", rare or mislabelled?" if suspect.rare else ""
    return _plain(
        f"row {suspect.row}: {clean(suspect.label, 24)}, rather {clean(suspect.suggested, 24)} "
        f"({suspect.confidence:.0%} against {suspect.self_confidence:.0%}{doubt}): {clean(suspect.text, SHORT)}"
    )


def _list(items: Iterable[Text]) -> Table:
    """Lines with a hanging indent, where they are longer than the terminal is wide."""
    grid = _grid(1)
    for item in items:
        grid.add_row(Text("-"), item)
    return grid


def _grid(first: int) -> Table:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=first)
    grid.add_column(overflow="fold")
    return grid


def _plain(text: str, style: str = "") -> Text:
    """Text without markup and without control characters, whatever a label holds."""
    return Text(clean(text), style)
