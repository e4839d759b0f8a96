"""What ``sharprecl compare`` found, on the terminal and as a page."""

from collections.abc import Set
from dataclasses import replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from sharprecl.cli.console import say
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.data.messages import plural
from sharprecl.experiments.comparisons import compare_rows
from sharprecl.experiments.decision import decide
from sharprecl.experiments.document import Document, Entry
from sharprecl.experiments.figures.distribution import trained_on
from sharprecl.experiments.page import make_section, write_page
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.results import make_table
from sharprecl.experiments.store import load_records
from sharprecl.runs.record import DataRecord


def show_comparison(console: Console, plan: Plan, file: Path, scale: str, results: Path, data: Set[str]) -> None:
    """Write the page of what is finished, at least one run, and print its table and how sure that is.

    Args:
        file: where the plan was written.
        results: the folder of the runs, and of the page.
        data: hashes of the data as they are now. The file may have changed and been changed back, so that the newest
            runs are of other texts.
    """
    stored = load_records(results)
    records = replace(stored, runs={key: run for key, run in stored.runs.items() if run.data in data})
    table = make_table(plan, records, scale)
    section = make_section(str(file), plan, scale, records, results=[results])
    assert section is not None
    if (sizes := trained_on(table)) is not None:
        section = replace(section, figures=(sizes, *section.figures))
    section = replace(section, decision=decide(table, compare_rows(table), results))
    (name,) = table.columns
    record = table.data_of(name)
    judged = "The runs were judged on different test texts." if record is None else _judged(plan, name, record)
    lead = [judged, "The commands on this page start from the folder in which 'sharprecl compare' was run."]
    page = write_page(results, plan.title, lead, scale, [section])  # first: the terminal may not be able to show it
    _show_document(console, section.document, judged)
    say(console, f"page     {page}")
    if section.decision is not None:
        console.print()
        for sentence in section.decision.sentences:
            say(console, sentence, style="bold")
        say(console, f"    {section.decision.command}")


def _show_document(console: Console, document: Document, judged: str) -> None:
    """Print a line a method, a column a metric, and then in words how sure it is."""
    sheet = document.sheets[0]
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
    grid.add_column("Method", overflow="fold")
    for heading in sheet.headings[1:]:
        grid.add_column(heading.replace(" ", "\n"), justify="right")
    for name, *entries in sheet.rows:
        grid.add_row(Text(name.text), *map(_shown, entries))
    console.print(grid)
    for sentence in (*document.caption, judged, *document.summary):
        say(console, sentence)
    for note in document.notes:
        say(console, note, style="dim")


def _shown(entry: Entry) -> Text:
    style = "bold" if entry.best else "underline" if entry.runner_up else ""
    spread = f" ± {entry.spread}" if entry.spread else ""
    return Text(entry.text, style=style).append(f"{spread}{''.join(entry.marks)}", style="not bold not underline dim")


def _judged(plan: Plan, name: str, data: DataRecord) -> str:
    """``Trained on 900 texts of 6 classes, from 400 (a) down to 9 (f); judged on 100 texts, ...``."""
    column, counts = plan.columns[name], data.train_counts
    largest, smallest = (data.label_names[counts.index(size)] for size in (max(counts), min(counts)))
    if column.data in BENCHMARKS:
        of = "of the benchmark's own"
    elif column.test is not None:
        of = f"of {column.test}"
    else:
        # A class of one text is all in training.
        of = "held out of the same file once, a fifth of each class of two or more, the same for all methods and seeds"
    leaks = f"; {plural(data.leaks, 'of them stands', 'of them stand')} in training too" if data.leaks else ""
    return (
        f"Trained on {plural(sum(counts), 'text', 'texts')} of {plural(len(counts), 'class', 'classes')}, from "
        f"{max(counts):,} ({largest}) down to {min(counts):,} ({smallest}); judged on "
        f"{plural(len(data.gold), 'text', 'texts')} {of}{leaks}."
    )
