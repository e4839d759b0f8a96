"""A table of many columns on one sheet: what each row comes to over all of them, beside what the paper prints."""

from collections.abc import Callable, Iterable, Mapping

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


def gaps(table: Table) -> dict[Line, list[float]]:
    """How many points each common row is behind the best of each common column, as shown: 0 is first, alone or tied."""
    common, found = table.common(_METRIC), dict[Line, list[float]]()
    for column in common.columns:
        means = table.means(_METRIC, column)
        shown = {line: in_percent(means[line]) for line in common.lines}
        for line, score in shown.items():
            found.setdefault(line, []).append(round(max(shown.values()) - score, 1))
    return found


def overview(table: Table, ranked: Mapping[str, Ranked]) -> Sheet | None:
    """A line for each row that has all columns, by average rank and then by mean; None of a table that is not wide.

    Args:
        ranked: ``rank_lines`` by metric.
    """
    if not is_wide(table):
        return None
    common, behind, found = table.common(_METRIC), gaps(table), _printed(table)
    ranks = {line: ranked[_METRIC].ranks[line.title] for line in common.lines}
    averages = table.averages(_METRIC)
    entries = {
        "Average rank": _entries({line: round(rank, 2) for line, rank in ranks.items()}, ".2f", min),
        **{METRICS[metric]: _scores(table.averages(metric)) for metric in _AVERAGED if metric in table.metrics},
        "First in": _entries({line: gap.count(0) for line, gap in behind.items()}, "d", max),
        "Farthest behind": _entries({line: max(gap) for line, gap in behind.items()}, ".1f", min),
        **({f"{METRICS[_METRIC]} printed": _scores(found)} if found else {}),
    }
    rows = [
        (Entry(line.title), *(column.get(line, EMPTY) for column in entries.values()))
        for line in sorted(common.lines, key=lambda line: (ranks[line], -averages[line]))
    ]
    notes = [
        "By macro-F1: first in so many columns, alone or tied; farthest behind the best of a column by so many points. "
        "In the average rank a data set counts once."
    ]
    if found:
        notes.append(f"Printed: what {table.plan.paper} has on average over the same columns.")
    return Sheet(f"Over all {len(common.columns)} columns", ("Row", *entries), tuple(rows), tuple(notes))


def _entries(values: Mapping[Line, float], form: str, pick: Callable[[Iterable[float]], float]) -> dict[Line, Entry]:
    """Values in a format, those that ``pick`` picks marked as the best."""
    leader = pick(values.values())
    return {line: Entry(format(value, form), best=value == leader) for line, value in values.items()}


def _scores(scores: Mapping[Line, float]) -> dict[Line, Entry]:
    """Shares of 1 in percent, the best and the runners-up marked."""
    best, after = best_and_next(scores)
    return {
        line: Entry(f"{in_percent(score):.1f}", best=line in best, runner_up=line in after)
        for line, score in scores.items()
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
