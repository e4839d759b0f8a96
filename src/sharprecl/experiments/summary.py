"""A table in plain words: who is best where, by how much, and how sure that is."""

from collections.abc import Iterable, Iterator, Mapping

from sharprecl.data.messages import joined, plural
from sharprecl.experiments.comparisons import Comparisons, RowComparison, decisive_class
from sharprecl.experiments.document import equals
from sharprecl.experiments.footnotes import FEW_SEEDS
from sharprecl.experiments.results import Line, Table, in_percent

_METRIC = "macro_f1"


def summarise(table: Table, comparisons: Comparisons) -> tuple[str, ...]:
    """Sentences about macro-F1, one or two a column, then what they come to."""
    return (*_columns(table, comparisons), *_score(comparisons))


def _columns(table: Table, comparisons: Comparisons) -> Iterator[str]:
    for column in table.columns:
        means = table.means(_METRIC, column)
        for group in table.groups:
            known = {line: means[line] for line in group if line in means}
            if len(known) < 2:
                continue
            best, after = table.best(known)
            among = f"of the {len(known)} rows that are complete there, " if len(known) < len(group) else ""
            comparison, tested = comparisons.of(_METRIC, column), ""
            if comparison and not {comparison.compared, comparison.rival} <= best:
                tested = f"{_test(comparison, best, after)}.{_why(table, comparison)}"
            missing = _lacking(table, column, group, known)
            yield f"{column}: {among}{_winners(known, best, after)}{tested or '.'}{missing}"


def _winners(means: Mapping[Line, float], best: frozenset[Line], after: frozenset[Line]) -> str:
    first = [line for line in means if line in best]
    score = f"{in_percent(means[first[0]]):.1f}"
    if len(first) > 1:
        return f"{_names(first)} tie for the best macro-F1, {score}"
    seconds = [line for line in means if line in after]
    lead = _points(means[first[0]] - max(means[line] for line in seconds))
    return f"{first[0].title} has the best macro-F1, {score}, {lead} ahead of {_names(seconds)}"


def _test(comparison: RowComparison, best: frozenset[Line], after: frozenset[Line]) -> str:
    """The rest of a sentence: how the compared row stands to its rival, unless that was said, and how sure it is."""
    compared, rival = comparison.compared.title, comparison.rival.title
    if comparison.difference > 0 and best == {comparison.compared} and after == {comparison.rival}:
        apart = ""
    elif in_percent(comparison.difference) == 0:
        apart = f"; {compared} is level with {rival}"
    else:
        side = "ahead of" if comparison.difference > 0 else "behind"
        apart = f"; {compared} is {_points(abs(comparison.difference))} {side} {rival}"
    p = f"(p {equals(comparison.p)})"
    if not comparison.significant:
        return f"{apart}, which is within noise {p}"
    if comparison.seeds == 1:
        return f"{apart}, which is more than luck with these test texts {p}, but nothing is known of other seeds"
    far = f", as far as {comparison.seeds} seeds tell" if comparison.seeds <= FEW_SEEDS else ""
    return f"{apart}, which should hold for other texts and other seeds{far} {p}"


def _why(table: Table, comparison: RowComparison) -> str:
    """A sentence on the class that makes most of the difference, if one does: often it hangs on a few texts."""
    one = None if in_percent(comparison.difference) == 0 else decisive_class(table, comparison)
    if one is None:
        return ""
    size = in_percent(abs(one.difference))
    makes = "makes" if size <= in_percent(abs(comparison.difference)) else "alone would make"
    of_that = " of that" if makes == "makes" else ""
    texts = f"{one.train:,} training texts, {plural(one.test, 'test text', 'test texts')}"
    (ours, our_false), (theirs, their_false) = (map(_mean, pair) for pair in zip(one.found, one.false, strict=True))
    over = ", means over the seeds" if comparison.seeds > 1 else ""
    return (
        f" Class {one.label} ({texts}) {makes} {size:.1f} points{of_that}: {comparison.compared.title} has {ours} true "
        f"and {our_false} false positives, {comparison.rival.title} {theirs} and {their_false}{over}."
    )


def _lacking(table: Table, column: str, group: Iterable[Line], known: Mapping[Line, float]) -> str:
    """A sentence on the rows that no other is compared with, so that a leader among them is not overlooked."""
    means = {line: table.cells[line, column].mean(_METRIC) for line in group if line not in known}
    rows = [f"{line.title} ({in_percent(mean):.1f} so far)" for line, mean in means.items() if mean is not None]
    return f" Seeds are still missing of {joined(rows, len(rows))}." if rows else ""


def _score(comparisons: Comparisons) -> Iterator[str]:
    tested = [one for one in comparisons.tested if one.metric == _METRIC and one.seeds > 1]
    if len(tested) < 2:
        return
    won, lost = (sum(one.significant and sign * one.difference > 0 for one in tested) for sign in (1, -1))
    yield (
        f"Against the best other row in {len(tested)} columns, {tested[0].compared.title} is significantly better in "
        f"{won}, significantly worse in {lost}, and neither in {len(tested) - won - lost}."
    )


def _names(lines: list[Line]) -> str:
    return joined([line.title for line in lines], len(lines))


def _points(difference: float) -> str:
    points = in_percent(difference)
    return f"{points:.1f} points" if points else "under 0.1 points"


def _mean(count: float) -> str:
    return f"{count:.1f}".removesuffix(".0")
