"""A table for strangers: what was compared, on what, who wins, by how much, and how sure that is."""

from collections.abc import Iterator, Mapping, Sequence

from sharprecl.data.messages import joined, plural
from sharprecl.experiments.comparisons import Comparisons, rank_lines
from sharprecl.experiments.document import equals
from sharprecl.experiments.overview import gaps, is_wide
from sharprecl.experiments.results import Line, Table, in_percent

_METRIC = "macro_f1"
_ONE_SEED = "Of other trainings nothing is known."


def headline(table: Table, comparisons: Comparisons) -> tuple[str, ...]:
    """Sentences on macro-F1; none where no column has two complete rows, nor of curves of one column."""
    means = {column: found for column in table.columns if len(found := table.means(_METRIC, column)) > 1}
    if not means:
        return ()
    seeds = max(len(table.cells[line, column].runs) for column, found in means.items() for line in found)
    if len(table.groups) > 1:
        return tuple(_curves(table, seeds))
    if is_wide(table):
        return tuple(_overall(table, comparisons, seeds))
    return (_compared(table, means, seeds), *_winners(table, means), _certainty(table, means, comparisons, seeds))


def _curves(table: Table, seeds: int) -> Iterator[str]:
    """Of several curves: how far the mean over the columns moves along each."""
    averages = table.averages(_METRIC)
    if not averages:
        return
    yield _what(table, seeds)
    for ranking in rank_lines(table).rankings:
        found = {line.title: averages[line] for line in averages if line.title in ranking.methods}
        ends = (pick(found, key=found.__getitem__) for pick in (min, max))
        least, most = (f"{in_percent(found[name]):.1f} ({name})" for name in ends)
        luck = "" if ranking.p is None else f"; that all values are alike has p {equals(ranking.p)} (Friedman)"
        yield f"Mean macro-F1 lies between {least} and {most}{luck}."
    if seeds == 1:
        yield _ONE_SEED


def _what(table: Table, seeds: int) -> str:
    """How many rows were trained how often on what, of those that all columns have."""
    common = table.common(_METRIC)
    data_sets = {table.plan.columns[column].data for column in common.columns}
    settings = any(line.x is not None for line in common.lines)
    return (
        f"{_number_of(len(common.lines), settings)}, {_trained(seeds)}, on {len(common.columns)} settings of "
        f"{plural(len(data_sets), 'data set', 'data sets')}."
    )


def _overall(table: Table, comparisons: Comparisons, seeds: int) -> Iterator[str]:
    """Of many columns: who has the best average rank, how sure that is, and who is first or surely behind how often.

    Rows that some columns lack would be first where others were not run, so they are not told of.
    """
    ranked = rank_lines(table)
    yield _what(table, seeds)
    (ranking,) = ranked.rankings
    ranks = dict(zip(ranking.methods, ranking.average_ranks, strict=True))
    best, after, *_ = [f"{name} {rank:.2f}" for name, rank in ranks.items()]
    own = ""
    if table.plan.compared in ranking.methods[2:]:
        place = ranking.methods.index(table.plan.compared) + 1
        own = f"; {table.plan.compared} {ranks[table.plan.compared]:.2f} is number {place} of {len(ranks)}"
    yield f"Best average rank over {ranked.over}, each data set counted once: {best}, then {after}{own}."
    beaten = [name for name, rank in ranks.items() if rank - ranks[ranking.methods[0]] >= ranking.critical_difference]
    apart = f"better than {joined(beaten, len(beaten))}" if beaten else "told apart from none"
    by = "By" if ranking.p is None else f"That all are alike has p {equals(ranking.p)} (Friedman); by"
    yield f"{by} the ranks {ranking.methods[0]} is {apart} (Nemenyi, 5 %)."
    behind = gaps(table)
    firsts = max(gap.count(0) for gap in behind.values())
    names = sorted(line.title for line, gap in behind.items() if gap.count(0) == firsts)
    columns = table.common(_METRIC).columns
    yield f"First most often, alone or tied: {joined(names, len(names))} (in {firsts} of {len(columns)} columns)."
    for line, gap in behind.items():
        if line.row == table.plan.compared:
            surely = sum(line in comparisons.behind(_METRIC, column) for column in columns)
            most = f"more than {max(gap):.1f} points " if max(gap) else ""
            yield (
                f"{line.title} is first in {gap.count(0)}, significantly behind the best in {surely}, and nowhere "
                f"{most}behind it; {_others(behind, line)}."
            )
    if seeds == 1:
        yield _ONE_SEED


def _others(behind: Mapping[Line, Sequence[float]], line: Line) -> str:
    """How far behind the other rows are where they are farthest behind."""
    every = sorted((max(gap), other.title) for other, gap in behind.items() if other != line)
    (least, first), (most, last) = every[0], every[-1]
    if len(every) == 1:
        return f"{first} is by up to {least:.1f}"
    return f"the others are by up to {least:.1f} ({first}) to {most:.1f} ({last})"


def _compared(table: Table, means: Mapping[str, Mapping[Line, float]], seeds: int) -> str:
    lines = {line for found in means.values() for line in found}
    settings = any(line.x is not None for line in lines)
    sizes = [f"{column} ({_texts(table, column)})" for column in means]
    return f"{_number_of(len(lines), settings)}, {_trained(seeds)}, on {joined(sizes, len(sizes))}."


def _number_of(lines: int, settings: bool) -> str:
    return plural(lines, "value", "values") if settings else plural(lines, "method", "methods")


def _trained(seeds: int) -> str:
    return f"trained {seeds} times each" if seeds > 1 else "trained once each"


def _texts(table: Table, column: str) -> str:
    data = table.data_of(column)
    assert data is not None  # a column without one has no means
    return f"{sum(data.train_counts):,} training and {len(data.gold):,} test texts of {len(data.train_counts)} classes"


def _winners(table: Table, means: Mapping[str, Mapping[Line, float]]) -> Iterator[str]:
    """Who has the best mean where, and how far the method that the plan is about is from it."""
    best = {column: table.best(found) for column, found in means.items()}
    each = []
    for column, (first, after) in best.items():
        top, *lower = (max(means[column][line] for line in lines) for lines in (first, after) if lines)
        lead = f"{in_percent(top - lower[0]):.1f} points ahead of the next" if lower else "a tie"
        names = sorted(line.title for line in first)
        each.append(f"{joined(names, len(names))}{_on(column, means)} ({in_percent(top):.1f}, {lead})")
    everywhere = frozenset.intersection(*(first for first, _ in best.values()))
    yield f"{'Best' if everywhere else 'None is best everywhere'}: {joined(each, len(each))}."
    for compared in table.lines:
        if compared.row != table.plan.compared or compared.x is not None:
            continue
        behind = [
            f"{in_percent(max(found.values()) - found[compared]):.1f} points{_on(column, means)}"
            for column, found in means.items()
            if compared in found and compared not in best[column][0]
        ]
        if behind:
            yield f"{compared.title} is behind by {joined(behind, len(behind))}."


def _certainty(table: Table, means: Mapping[str, Mapping[Line, float]], comparisons: Comparisons, seeds: int) -> str:
    told = []
    for column, found in means.items():
        others = set(found) - table.best(found)[0]
        beaten = len(comparisons.behind(_METRIC, column) & others)
        told.append(f"{beaten or 'none'} of the other {len(others)}{_on(column, means)}")
    unknown = "" if seeds > 1 else "; of other trainings nothing is known"
    return f"With 95 % confidence the best is better than {joined(told, len(told))}; the rest may be as good{unknown}."


def _on(column: str, columns: Mapping[str, object]) -> str:
    return f" on {column}" if len(columns) > 1 else ""
