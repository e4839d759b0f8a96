"""What the commands print about data and judgements."""

from rich.console import Console

from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import Evaluation
from sharprecl.evaluation.table import comparison_table

_MANY_NOTES = 6


def show_table(console: Console, table: TextTable, name: str) -> None:
    """Say what was read: size, classes, skew, and what is odd."""
    counts = table.class_counts
    largest, smallest = table.label_names[counts.argmax()], table.label_names[counts.argmin()]
    _plain(
        console,
        f"{name}: {len(table)} texts, {table.num_classes} classes, "
        f"from {counts.max()} ({largest}) down to {counts.min()} ({smallest})",
    )
    for note in table.notes[:_MANY_NOTES]:
        _plain(console, f"note: {note}")
    if len(table.notes) > _MANY_NOTES:
        _plain(console, f"and {len(table.notes) - _MANY_NOTES} more notes in report.html")


def show_judged(console: Console, evaluations: dict[str, Evaluation], on: str) -> None:
    """Print the table of figures."""
    console.print(comparison_table(evaluations))
    _plain(console, f"judged on {on}; 95 % bootstrap intervals")


def _plain(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
