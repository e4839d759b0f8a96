"""What a figure rests on, as the last sentence of its caption, and the figures' way to the table's cells."""

from collections.abc import Iterable

import numpy as np

from sharprecl.data.messages import plural
from sharprecl.evaluation.metrics import Floats
from sharprecl.experiments.cells import Cell, Line
from sharprecl.experiments.tables import Table


def basis(scale: str, cells: Iterable[Cell]) -> str:
    """``Scale small: minilm, 3 seeds.``, and what else a reader must know before believing a figure."""
    chosen = [cell for cell in cells if cell.runs]
    runs = [run for cell in chosen for run in cell.runs.values()]
    models = sorted({run.model for run in runs})
    fewest, most = min(len(cell.runs) for cell in chosen), max(len(cell.runs) for cell in chosen)
    seeds = plural(most, "seed", "seeds") if fewest == most else f"{fewest} to {most} seeds"
    words = [f"Scale {scale}: {', '.join(models)}, {seeds}."]
    if not all(cell.complete for cell in chosen):
        words.append("Some seeds are missing.")
    if any(run.selected_on == "test" for run in runs):
        words.append("Epochs were chosen on the test texts, as published: the figures are too good.")
    return " ".join(words)


def percents(cell: Cell, metric: str) -> Floats:
    """A metric in percent, one a seed; none where a run has none."""
    return 100 * np.array(list(cell.scores(metric).values()), dtype=np.float64)


def filled(table: Table, column: str) -> dict[Line, Cell]:
    """The cells of a column that have runs."""
    return {line: cell for line in table.lines if (cell := table.cells[line, column]).runs}
