"""The cells of a results table: one method on one column's data, over its seeds."""

import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sharprecl.runs.record import RunRecord

METRICS: Mapping[str, str] = {
    "accuracy": "Accuracy",
    "macro_f1": "Macro-F1",
    "balanced_accuracy": "Balanced accuracy",
    "tail": "Tail F1",
}
"""What a table shows, and what it is called; names as in ``RunRecord.metrics``."""


@dataclass(frozen=True)
class Line:
    """One line of a table: a row of the plan, in a curve at one value of the varied setting.

    Attributes:
        row: as in ``Plan.rows``; ``x`` is the value in a curve, else None.
        beyond: whether the paper has no such row.
    """

    row: str
    x: float | None = None
    beyond: bool = False

    @property
    def title(self) -> str:
        """How the table calls it: ``sharprecl``, or ``mu = 0.3``."""
        return self.row if self.x is None else f"{self.row} = {self.x:g}"

    @property
    def group(self) -> str:
        """Lines of one group are compared: those of a curve with each other, and all lines of a table."""
        return "" if self.x is None else self.row


@dataclass(frozen=True)
class Cell:
    """What the seeds of one line came to in one column.

    Attributes:
        wanted: the seeds that the plan asks for.
        runs: finished runs by seed, in the order of the seeds.
    """

    wanted: tuple[int, ...]
    runs: Mapping[int, RunRecord]

    @property
    def complete(self) -> bool:
        """Whether every seed is finished. Others are shown, marked, and compared with nothing."""
        return len(self.runs) == len(self.wanted)

    def scores(self, metric: str) -> dict[int, float]:
        """The metric by seed, shares of 0 to 1; empty where a run has none, such as a tail without classes."""
        values = {seed: run.metrics.get(metric) for seed, run in self.runs.items()}
        known = {seed: value for seed, value in values.items() if value is not None}
        return known if len(known) == len(values) else {}

    def mean(self, metric: str) -> float | None:
        """Mean over the finished seeds."""
        return mean(self.scores(metric).values())

    def deviation(self, metric: str) -> float | None:
        """Standard deviation over the finished seeds, with n - 1; None for fewer than two."""
        scores = list(self.scores(metric).values())
        return statistics.stdev(scores) if len(scores) > 1 else None

    def spent(self, what: str) -> float | None:
        """Mean ``tokens``, ``steps`` or ``seconds`` of the finished runs."""
        return mean(float(getattr(run, what)) for run in self.runs.values())


def mean(values: Iterable[float]) -> float | None:
    """The mean, whatever the order of the values; None of nothing."""
    every = list(values)
    return math.fsum(every) / len(every) if every else None


def in_percent(value: float) -> float:
    """As the tables show it. Cells that look equal are equal: they tie."""
    # The first rounding mends what arithmetic did: 84.25 may come out as 84.24999999999999.
    return round(round(100 * value, 8), 1)
