"""Where commands print, and what they say about data, judgements and files.

Nothing of it is markup: a path may hold ``[/a]``, a label may be called ``:heart:``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from sharprecl.data.tables import TextTable
    from sharprecl.evaluation.judge import Evaluation

_MANY_NOTES = 6


def make_console(*, stderr: bool = False) -> Console:
    """A terminal that prints words as they are."""
    return Console(stderr=stderr, emoji=False)


def say(console: Console, text: str, style: str | None = None) -> None:
    """Print a sentence as it is, unbroken."""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def show_table(console: Console, table: "TextTable", name: str) -> None:
    """Say what was read: size, classes, skew, and what is odd."""
    counts = table.class_counts
    largest, smallest = table.label_names[counts.argmax()], table.label_names[counts.argmin()]
    say(
        console,
        f"{name}: {len(table)} texts, {table.num_classes} classes, "
        f"from {counts.max()} ({largest}) down to {counts.min()} ({smallest})",
    )
    show_notes(console, table.notes)


def show_notes(console: Console, notes: Sequence[str]) -> None:
    """Say what is odd about the data, the first few of it."""
    for note in notes[:_MANY_NOTES]:
        say(console, f"note: {note}")
    if len(notes) > _MANY_NOTES:
        say(console, f"and {len(notes) - _MANY_NOTES} more notes of this kind")


def show_judged(console: Console, evaluations: "dict[str, Evaluation]", on: str) -> None:
    """Print the table of figures, and how far the first of them is from each other one."""
    from sharprecl.evaluation.differences import difference_sentence, macro_f1_difference
    from sharprecl.evaluation.table import comparison_table

    console.print(comparison_table(evaluations))
    model, *others = evaluations.values()
    for name, other in zip([*evaluations][1:], others, strict=True):
        say(console, difference_sentence(name, other, macro_f1_difference(model, other)))
    say(console, f"judged on {on}; 95 % bootstrap intervals, those of differences paired by text")


def show_files(console: Console, folder: Path) -> None:
    """Say where the results lie: those that there are."""
    from sharprecl.data.set_aside import FILE as SET_ASIDE
    from sharprecl.export.card import ADAPTER, OPENED, STOCK

    files = {STOCK: "model", OPENED: "weights", ADAPTER: "adapters", "metrics.json": "figures", "report.html": "report"}
    files[SET_ASIDE] = "unused"
    for name, what in files.items():
        if (folder / name).exists():
            say(console, f"{what:8} {folder / name}")
