"""A table of many columns on one sheet: what each row comes to over all of them, beside what the paper prints."""

from collections import Counter
from collections.abc import Mapping

from sharprecl.experiments.comparisons import Ranked
from sharprecl.experiments.document import EMPTY, Entry, Sheet
from sharprecl.experiments.published import compare_with_published
from sharprecl.experiments.results import METRICS, Line, Table, best_and_next, in_percent, mean

_METRIC = "macro_f1"
_AVERAGED = (_METRIC, "accuracy", "balanced_accuracy")
_COLUMNS_BY_NAME = 3
"""Of more columns a stranger reads counts, means and ranks."""


def is_wide(table: Table) -> bool:
    """Whether rows can be averaged and ranked over more columns than a reader wants one by one."""
    common = table.common(_METRIC)
    return len(common.lines) > 1 and len(common.columns) > _COLUMNS_BY_NAME and len(table.groups) == 1


def firsts(table: Table) -> Counter[Line]:
    """In how many of the common columns each row is first, alone or tied."""
    common = table.common(_METRIC)
    means = [table.means(_METRIC, column) for column in common.columns]
    return Counter(line for found in means for line in table.best({line: found[line] for line in common.lines})[0])


def overview(table: Table, ranked: Mapping[str, Ranked]) -> Sheet | None:
    """A line for each row that has all columns, by average rank and then by mean; None of a table that is not wide.

    Args:
        ranked: ``rank_lines`` by metric.
    """
    if not is_wide(table):
        return None
    common, won, found = table.common(_METRIC), firsts(table), _printed(table)
    ranks = {line: ranked[_METRIC].ranks[line.title] for line in common.lines}
    averages = table.averages(_METRIC)
    figures: dict[str, Mapping[Line, float]] = {
        "Average rank": ranks,
        **{METRICS[metric]: table.averages(metric) for metric in _AVERAGED if metric in table.metrics},
        "First in": {line: won[line] for line in common.lines},
        **({f"{METRICS[_METRIC]} printed": found} if found else {}),
    }
    places = {name: _places(name, scores) for name, scores in figures.items()}
    rows = [
        (Entry(line.title), *(entries.get(line, EMPTY) for entries in places.values()))
        for line in sorted(common.lines, key=lambda line: (ranks[line], -averages[line]))
    ]
    notes = ["First in: so many columns, by macro-F1, alone or tied. In the average rank a data set counts once."]
    if found:
        notes.append(f"Printed: what {table.plan.paper} has on average over the same columns.")
    return Sheet(f"Over all {len(common.columns)} columns", ("Row", *figures), tuple(rows), tuple(notes))


def _places(name: str, found: Mapping[Line, float]) -> dict[Line, Entry]:
    """The entries of a column of the sheet, its best ones marked."""
    if name == "First in":
        return {line: Entry(f"{count:g}", best=count == max(found.values())) for line, count in found.items()}
    if name == "Average rank":
        lowest = min(round(rank, 2) for rank in found.values())
        return {line: Entry(f"{rank:.2f}", best=round(rank, 2) == lowest) for line, rank in found.items()}
    best, after = best_and_next(found)
    return {
        line: Entry(f"{in_percent(score):.1f}", best=line in best, runner_up=line in after)
        for line, score in found.items()
    }


def _printed(table: Table) -> dict[Line, float]:
    """What the paper's figures come to over the same columns, of the rows that have them all there."""
    common = table.common(_METRIC)
    by_title: dict[str, list[float]] = {}
    for figure in compare_with_published(table):
        if figure.metric == _METRIC and figure.column in common.columns:
            by_title.setdefault(figure.row, []).append(figure.value)
    whole = {title: mean(values) for title, values in by_title.items() if len(values) == len(common.columns)}
    return {line: value for line in common.lines if (value := whole.get(line.title)) is not None}
