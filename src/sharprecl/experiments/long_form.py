"""Every number of a table, unrounded, one by one."""

from collections.abc import Iterator, Mapping

from sharprecl.experiments.comparisons import Comparisons, Ranked
from sharprecl.experiments.document import LongFormValue
from sharprecl.experiments.published import published_values
from sharprecl.experiments.results import Table


def long_form(
    table: Table, comparisons: Comparisons, ranked: Mapping[str, Ranked], *, seconds: bool
) -> Iterator[LongFormValue]:
    """The figures of a table: runs, cells, averages, ranks, tests, and the paper's.

    Args:
        seconds: times too, which differ from one sweep to the next.
    """
    spent = ("tokens", "steps", "seconds") if seconds else ("tokens", "steps")
    for (line, column), cell in table.cells.items():
        for seed, run in cell.runs.items():
            for metric in table.metrics:
                if (score := run.metrics.get(metric)) is not None:
                    yield LongFormValue("run", "score", score, metric, line.title, column, seed)
            for name in ("key", "code", "selected_on", *spent):
                yield LongFormValue("run", name, getattr(run, name), "", line.title, column, seed)
    for metric in table.metrics:
        for column in table.columns:
            best, after = table.best(table.means(metric, column))
            for line in table.lines:
                cell = table.cells[line, column]
                values: dict[str, float | None] = {
                    "seeds_wanted": len(cell.wanted),
                    "seeds_finished": len(cell.runs),
                    "mean": cell.mean(metric),
                    "deviation": cell.deviation(metric),
                    "place": 1 if line in best else 2 if line in after else None,
                }
                yield from _known("cell", values, metric, line.title, column)
        for line, value in table.averages(metric).items():
            yield LongFormValue("average", "mean", value, metric, line.title)
        for name, rank in ranked[metric].ranks.items():
            yield LongFormValue("rank", "average", rank, metric, name)
        for ranking in ranked[metric].rankings:
            distances = {"critical_difference": ranking.critical_difference, "friedman_p": ranking.p}
            yield from _known("rank", distances, metric)
    for (metric, column), by_line in comparisons.p.items():
        for line, p in by_line.items():
            yield LongFormValue("cell", "p", p, metric, line.title, column)
    for one in comparisons.compared:
        figures: dict[str, float | str | None] = {
            "rival": one.rival.title,
            "difference": one.difference,
            "interval_low": one.interval[0],
            "interval_high": one.interval[1],
            "p": one.p,
        }
        yield from _known("test", figures, one.metric, one.compared.title, one.column)
    yield from published_values(table)


def _known(part: str, values: Mapping[str, float | str | None], *place: str) -> Iterator[LongFormValue]:
    metric, row, column = (*place, "", "")[:3]
    return (
        LongFormValue(part, name, value, metric, row, column) for name, value in values.items() if value is not None
    )
