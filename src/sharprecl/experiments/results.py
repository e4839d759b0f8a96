"""Records as a table: a plan's lines and columns, and what the seeds of each cell came to."""

import math
import statistics
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from sharprecl.experiments.collection import Records
from sharprecl.experiments.plan import Plan
from sharprecl.files import sha256_json
from sharprecl.runs.record import DataRecord, RunRecord

METRICS: Mapping[str, str] = {
    "accuracy": "Accuracy",
    "macro_f1": "Macro-F1",
    "balanced_accuracy": "Balanced accuracy",
    "tail": "Tail F1",
}
"""What a table shows, and what it is called; names as in ``RunRecord.metrics``."""

Who = TypeVar("Who", bound=Hashable)


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

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the runs: rows of other settings may be the same runs."""
        return tuple(run.key for run in self.runs.values())

    def scores(self, metric: str) -> list[float]:
        """The metric of each run, shares of 0 to 1; empty where a run has none, such as a tail without classes."""
        values = [run.metrics.get(metric) for run in self.runs.values()]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else []

    def mean(self, metric: str) -> float | None:
        """Mean over the finished seeds."""
        return mean(self.scores(metric))

    def deviation(self, metric: str) -> float | None:
        """Standard deviation over the finished seeds, with n - 1; None for fewer than two."""
        scores = self.scores(metric)
        return statistics.stdev(scores) if len(scores) > 1 else None

    def spent(self, what: str) -> float | None:
        """Mean ``tokens``, ``steps`` or ``seconds`` of the finished runs."""
        return mean(float(getattr(run, what)) for run in self.runs.values())


class Common(NamedTuple):
    """The lines and columns of a rectangle without holes, at least two columns wide, or else without lines."""

    lines: tuple[Line, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """What has been run of a plan.

    Attributes:
        plan, scale: whose table it is.
        lines, columns: in the plan's order; those without any finished run are left out.
        cells: by line and column; there is one for each pair.
        data: what the runs were judged on, by hash.
        empty_lines, empty_columns: the names of what is left out.
        other_seeds: how many finished runs there are of each seed of the plan that is not shown.
    """

    plan: Plan
    scale: str
    lines: tuple[Line, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[Line, str], Cell]
    data: Mapping[str, DataRecord]
    empty_lines: tuple[str, ...] = ()
    empty_columns: tuple[str, ...] = ()
    other_seeds: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def runs(self) -> tuple[RunRecord, ...]:
        """All runs of the table, each once, by key."""
        found = {run.key: run for cell in self.cells.values() for run in cell.runs.values()}
        return tuple(found[key] for key in sorted(found))

    @property
    def shared_seeds(self) -> tuple[int, ...]:
        """The seeds that all cells have which have any; all where there is no such seed."""
        begun = [cell.runs for cell in self.cells.values() if cell.runs]
        every = sorted({seed for cell in self.cells.values() for seed in cell.wanted})
        return tuple(seed for seed in every if all(seed in runs for runs in begun)) or tuple(every)

    @property
    def groups(self) -> tuple[tuple[Line, ...], ...]:
        """Lines that are compared with each other: those of a curve, and all lines of a table."""
        groups: dict[str, list[Line]] = {}
        for line in self.lines:
            groups.setdefault("" if line.x is None else line.row, []).append(line)
        return tuple(map(tuple, groups.values()))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Those that any cell has."""
        return tuple(name for name in METRICS if any(cell.mean(name) is not None for cell in self.cells.values()))

    def data_of(self, column: str) -> DataRecord | None:
        """What a column was judged on; None where its runs were judged on different data, or on data that are gone."""
        hashes = {run.data for line in self.lines for run in self.cells[line, column].runs.values()}
        return self.data.get(hashes.pop()) if len(hashes) == 1 else None

    def means(self, metric: str, column: str) -> dict[Line, float]:
        """Means of a column that may be compared: of the complete cells, and of none where the data differ."""
        if self.data_of(column) is None:
            return {}
        found = {line: self.cells[line, column] for line in self.lines}
        means = {line: cell.mean(metric) for line, cell in found.items() if cell.complete}
        return {line: value for line, value in means.items() if value is not None}

    def common(self, metric: str) -> Common:
        """What averages and ranks may be taken over.

        Every line, over the columns that all of them have, where there are two such columns; else the lines that have
        every column.
        """
        # Data without rare classes have no tail, and say nothing of it.
        columns = [
            column
            for column in self.columns
            if any(self.cells[line, column].mean(metric) is not None for line in self.lines)
        ]
        means = {column: self.means(metric, column) for column in columns}
        lines = list(self.lines)
        shared = [column for column in columns if all(line in means[column] for line in lines)]
        if len(shared) < 2:
            lines = [line for line in lines if all(line in means[column] for column in columns)]
            shared = columns
        return Common(tuple(lines) if len(shared) > 1 else (), tuple(shared))

    def averages(self, metric: str) -> dict[Line, float]:
        """Means over the columns of ``common``, each counting as much as another; none where that is a single one."""
        common = self.common(metric)
        by_column = [self.means(metric, column) for column in common.columns]
        averages = {line: mean(means[line] for means in by_column) for line in common.lines}
        return {line: value for line, value in averages.items() if value is not None}

    def best(self, scores: Mapping[Line, float]) -> tuple[frozenset[Line], frozenset[Line]]:
        """The best and the runners-up of each group."""
        found = [best_and_next({line: scores[line] for line in group if line in scores}) for group in self.groups]
        return frozenset().union(*(best for best, _ in found)), frozenset().union(*(after for _, after in found))

    def fingerprint(self) -> str:
        """Hex SHA-256 over the keys and answers of the runs, and the true labels: changes with any one of them."""
        data = {run.data: self.data[run.data].gold for run in self.runs if run.data in self.data}
        return sha256_json([[[run.key, run.answers] for run in self.runs], data])


def make_table(
    plan: Plan,
    records: Records,
    scale: str,
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    seeds: Sequence[int] = (),
) -> Table:
    """Fill the table of a plan.

    Args:
        plan: what was to be run.
        records: what was.
        scale: one of ``SCALES``.
        rows, columns, seeds: a part of it, as in ``Plan.jobs``.

    Raises:
        ConfigError: no such scale, row or column.
    """
    wanted: dict[tuple[Line, str], list[int]] = defaultdict(list)
    runs: dict[tuple[Line, str], dict[int, RunRecord]] = defaultdict(dict)
    # Lines may share a run, which counts once.
    others: dict[int, set[str]] = defaultdict(set)
    rest = [seed for seed in range(plan.seeds_at(scale)) if seeds and seed not in seeds]
    for job in plan.jobs(scale, rows=rows, columns=columns, seeds=[*seeds, *rest]):
        run = records.find(job.spec)
        if job.seed in rest:
            if run is not None:
                others[job.seed].add(run.key)
            continue
        place = (Line(job.row, job.x, plan.rows[job.row].beyond), job.column)
        wanted[place].append(job.seed)
        if run is not None:
            runs[place][job.seed] = run
    every_line = dict.fromkeys(line for line, _ in wanted)
    every_column = dict.fromkeys(column for _, column in wanted)
    lines = tuple(line for line in every_line if any(line == place[0] for place in runs))
    names = tuple(column for column in every_column if any(column == place[1] for place in runs))
    places = [(line, column) for line in lines for column in names]
    return Table(
        plan=plan,
        scale=scale,
        lines=lines,
        columns=names,
        cells={place: Cell(tuple(wanted[place]), runs.get(place, {})) for place in places},
        data=records.data,
        empty_lines=tuple(line.title for line in every_line if line not in lines),
        empty_columns=tuple(column for column in every_column if column not in names),
        other_seeds={seed: len(keys) for seed, keys in others.items()},
    )


def best_and_next(scores: Mapping[Who, float]) -> tuple[frozenset[Who], frozenset[Who]]:
    """The best and the runners-up, as shown: scores that look equal tie.

    All that tie for the best are best, and then there is no second place to take. All that tie for the second place are
    runners-up. A single score is compared with nothing, so it is neither.

    Args:
        scores: shares of 0 to 1, larger is better.
    """
    places: dict[float, list[Who]] = {}
    for who, score in scores.items():
        places.setdefault(in_percent(score), []).append(who)
    if len(scores) < 2:
        return frozenset(), frozenset()
    first, *rest = sorted(places, reverse=True)
    best = frozenset(places[first])
    return best, frozenset(places[rest[0]]) if rest and len(best) == 1 else frozenset()


def mean(values: Iterable[float]) -> float | None:
    """The mean, whatever the order of the values; None of nothing."""
    every = list(values)
    return math.fsum(every) / len(every) if every else None


def in_percent(value: float) -> float:
    """As the tables show it. Cells that look equal are equal: they tie."""
    # The first rounding mends what arithmetic did: 84.25 may come out as 84.24999999999999.
    return round(round(100 * value, 8), 1)
