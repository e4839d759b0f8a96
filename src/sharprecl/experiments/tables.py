"""The table of a plan at a scale: lines, columns and cells, filled from what has been run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sharprecl.experiments.cells import METRICS, Cell, Line, mean
from sharprecl.experiments.collection import Records
from sharprecl.experiments.marks import best_and_next
from sharprecl.experiments.plan import Plan
from sharprecl.runs.record import DataRecord, RunRecord


@dataclass(frozen=True)
class Common:
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
    """

    plan: Plan
    scale: str
    lines: tuple[Line, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[Line, str], Cell]
    data: Mapping[str, DataRecord]
    empty_lines: tuple[str, ...] = ()
    empty_columns: tuple[str, ...] = ()

    @cached_property
    def runs(self) -> tuple[RunRecord, ...]:
        """All runs of the table, each once, by key."""
        found = {run.key: run for cell in self.cells.values() for run in cell.runs.values()}
        return tuple(found[key] for key in sorted(found))

    @property
    def groups(self) -> tuple[tuple[Line, ...], ...]:
        """Lines that are compared with each other."""
        names = dict.fromkeys(line.group for line in self.lines)
        return tuple(tuple(line for line in self.lines if line.group == name) for name in names)

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

    def common(self, metric: str) -> "Common":
        """What averages and ranks may be taken over.

        Every line, over the columns that all of them have, where there are two such columns; else the lines that have
        every column.
        """
        # Data without rare classes have no tail, and say nothing of it.
        columns = [column for column in self.columns if self._has(metric, column)]
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

    def keys(self, line: Line, column: str) -> tuple[str, ...]:
        """The keys of a cell's runs: rows of other settings may be the same runs."""
        return tuple(run.key for run in self.cells[line, column].runs.values())

    def best(self, scores: Mapping[Line, float]) -> tuple[frozenset[Line], frozenset[Line]]:
        """The best and the runners-up of each group."""
        found = [best_and_next({line: scores[line] for line in group if line in scores}) for group in self.groups]
        return frozenset().union(*(best for best, _ in found)), frozenset().union(*(after for _, after in found))

    def _has(self, metric: str, column: str) -> bool:
        """Whether the metric says anything of the column."""
        return any(self.cells[line, column].mean(metric) is not None for line in self.lines)


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
    wanted: dict[tuple[Line, str], list[int]] = {}
    runs: dict[tuple[Line, str], dict[int, RunRecord]] = {}
    for job in plan.jobs(scale, rows=rows, columns=columns, seeds=seeds):
        place = (Line(job.row, job.x, plan.rows[job.row].beyond), job.column)
        wanted.setdefault(place, []).append(job.seed)
        run = records.find(job.spec)
        if run is not None:
            runs.setdefault(place, {})[job.seed] = run
    lines, names = dict.fromkeys(line for line, _ in wanted), dict.fromkeys(column for _, column in wanted)
    kept_lines = tuple(line for line in lines if any((line, column) in runs for column in names))
    kept_columns = tuple(column for column in names if any((line, column) in runs for line in lines))
    return Table(
        plan=plan,
        scale=scale,
        lines=kept_lines,
        columns=kept_columns,
        cells={
            (line, column): Cell(tuple(wanted[line, column]), runs.get((line, column), {}))
            for line in kept_lines
            for column in kept_columns
        },
        data=records.data,
        empty_lines=tuple(line.title for line in lines if line not in kept_lines),
        empty_columns=tuple(column for column in names if column not in kept_columns),
    )
