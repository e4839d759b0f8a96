"""Which class makes the difference between two rows: often one with few test texts makes nearly all of it."""

from dataclasses import dataclass

import numpy as np

from sharprecl.evaluation.metrics import Floats
from sharprecl.experiments.cells import Cell
from sharprecl.experiments.comparisons import RowComparison
from sharprecl.experiments.tables import Table


@dataclass(frozen=True)
class Decisive:
    """The class that makes most of a difference in macro-F1.

    Attributes:
        label: its name; ``train`` and ``test`` are its texts.
        difference: what it adds to the difference of the means, as a share of 1.
        found: how many of its test texts the compared row and its rival find, means over the seeds.
        false: how many texts of other classes each takes for it.
    """

    label: str
    train: int
    test: int
    difference: float
    found: tuple[float, float]
    false: tuple[float, float]


def differences_by_class(table: Table, comparison: RowComparison) -> Floats:
    """What each class adds to the compared row's lead in macro-F1, [C]; their sum is the lead."""
    f1_2SC = [[run.f1 for run in cell.runs.values()] for cell in _cells(table, comparison)]
    first_C, second_C = (np.mean(f1_SC, axis=0) for f1_SC in f1_2SC)
    return np.asarray((first_C - second_C) / len(first_C))


def decisive_class(table: Table, comparison: RowComparison) -> Decisive | None:
    """The class that makes half of a lead or more, and twice an equal share; None where no class does."""
    data = table.data_of(comparison.column)
    assert data is not None
    by_class_C = differences_by_class(table, comparison)
    lead = by_class_C.sum()
    place = int(np.argmax(by_class_C * np.sign(lead)))
    if lead == 0 or by_class_C[place] / lead < max(1 / 2, 2 / len(by_class_C)):
        return None
    gold = np.asarray(data.gold)
    answered_2SN = [
        [np.asarray(run.answers) == place for run in cell.runs.values()] for cell in _cells(table, comparison)
    ]
    is_it_N = gold == place

    def mean_count(row_SN: list[np.ndarray], of_N: np.ndarray) -> float:
        return float(np.mean([np.sum(answered_N & of_N) for answered_N in row_SN]))

    first, second = answered_2SN
    return Decisive(
        label=data.label_names[place],
        train=data.train_counts[place],
        test=int(is_it_N.sum()),
        difference=float(by_class_C[place]),
        found=(mean_count(first, is_it_N), mean_count(second, is_it_N)),
        false=(mean_count(first, ~is_it_N), mean_count(second, ~is_it_N)),
    )


def _cells(table: Table, comparison: RowComparison) -> list[Cell]:
    return [table.cells[line, comparison.column] for line in (comparison.compared, comparison.rival)]
