"""Every number of a table, unrounded, one by one."""

from collections.abc import Iterator, Mapping, Sequence

from sharprecl.experiments.best_candidates import BestCandidates
from sharprecl.experiments.cells import Cell, Line
from sharprecl.experiments.comparisons import Comparisons, RowComparison
from sharprecl.experiments.published_comparison import published_values
from sharprecl.experiments.ranked import Ranked
from sharprecl.experiments.sheets import LongFormValue
from sharprecl.experiments.tables import Table


def long_form(
    table: Table,
    comparisons: Comparisons,
    candidates: Sequence[BestCandidates],
    ranked: Mapping[str, Ranked],
    *,
    seconds: bool,
) -> Iterator[LongFormValue]:
    """The figures of a table: runs, cells, averages, ranks, tests, and the paper's.

    Args:
        seconds: times too, which differ from one sweep to the next.
    """
    for (line, column), cell in table.cells.items():
        yield from _runs(line, column, cell, table.metrics, seconds)
    for metric in table.metrics:
        for column in table.columns:
            best, after = table.best(table.means(metric, column))
            for line in table.lines:
                place = (metric, line.title, column)
                yield from _cell(table.cells[line, column], place, line in best, line in after)
        for line, value in table.averages(metric).items():
            yield LongFormValue("average", "mean", value, metric, line.title)
        for name, rank in ranked[metric].ranks.items():
            yield LongFormValue("rank", "average", rank, metric, name)
        for ranking in ranked[metric].rankings:
            yield LongFormValue("rank", "critical_difference", ranking.critical_difference, metric)
            if ranking.p is not None:
                yield LongFormValue("rank", "friedman_p", ranking.p, metric)
    for one in candidates:
        for line, p in one.p.items():
            yield LongFormValue("cell", "p_best", p, one.metric, line.title, one.column)
    for comparison in comparisons.tested:
        yield from _comparison(comparison)
    if table.runs:
        yield from published_values(table)


def _runs(line: Line, column: str, cell: Cell, metrics: tuple[str, ...], seconds: bool) -> Iterator[LongFormValue]:
    for seed, run in cell.runs.items():
        for metric in metrics:
            value = run.metrics.get(metric)
            if value is not None:
                yield LongFormValue("run", "score", value, metric, line.title, column, seed)
        facts: dict[str, float | str] = {"key": run.key, "code": run.code, "selected_on": run.selected_on}
        facts |= {"tokens": run.tokens, "steps": run.steps} | ({"seconds": run.seconds} if seconds else {})
        for name, figure in facts.items():
            yield LongFormValue("run", name, figure, "", line.title, column, seed)


def _cell(cell: Cell, place: tuple[str, str, str], best: bool, after: bool) -> Iterator[LongFormValue]:
    yield LongFormValue("cell", "seeds_wanted", len(cell.wanted), *place)
    yield LongFormValue("cell", "seeds_finished", len(cell.runs), *place)
    for name, value in (("mean", cell.mean(place[0])), ("deviation", cell.deviation(place[0]))):
        if value is not None:
            yield LongFormValue("cell", name, value, *place)
    if best or after:
        yield LongFormValue("cell", "place", 1 if best else 2, *place)


def _comparison(one: RowComparison) -> Iterator[LongFormValue]:
    figures: dict[str, float | str | None] = {
        "rival": one.rival.title,
        "rivals": one.rivals,
        "seeds": one.seeds,
        "difference": one.difference,
        "interval_low": (one.methods or one.models).interval[0],
        "interval_high": (one.methods or one.models).interval[1],
        "p_models": one.models.p,
        "p_models_corrected": one.p_models,
        "p_methods": None if one.methods is None else one.methods.p,
        "p_methods_corrected": one.p_methods,
        "certainty": one.certainty,
    }
    for name, value in figures.items():
        if value is not None:
            yield LongFormValue("test", name, value, one.metric, one.compared.title, one.column)
