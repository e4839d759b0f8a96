"""A table in plain words: who is best where, by how much, and how sure that is."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from sharprecl.data.messages import joined, plural
from sharprecl.evaluation.best import LEVEL
from sharprecl.experiments.comparisons import Comparisons, RowComparison, decisive_class
from sharprecl.experiments.document import equals
from sharprecl.experiments.results import Line, Table, in_percent

_METRIC = "macro_f1"
_SHOWN = 5


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
            p = comparisons.p.get((_METRIC, column), {})
            sure = _Certainty(p, comparisons.seeds)
            own = _of_compared(table, comparisons.of(_METRIC, column), best, after, sure)
            behind = _behind(comparisons.behind(_METRIC, column), known, best, after) if p else ""
            missing = _lacking(table, column, group, known)
            yield f"{column}: {among}{_winners(known, best, after, sure)}{own}{behind}{missing}"


class _Certainty(NamedTuple):
    """How sure differences from the leader are: p by line, and the seeds that it allows for."""

    p: Mapping[Line, float]
    seeds: int

    def of(self, lines: Iterable[Line]) -> str:
        """``, which is within noise (p = 0.412)``; empty where nothing is known."""
        sides: dict[bool, list[Line]] = {True: [], False: []}
        for line in lines:
            if line in self.p:
                sides[self.p[line] <= LEVEL].append(line)
        sure, unsure = (
            f"{words} (p {equals(max(self.p[line] for line in side))})" if side else ""
            for words, side in (
                ("significant" if self.seeds > 1 else "significant for these models", sides[True]),
                ("within noise", sides[False]),
            )
        )
        if sure and unsure:
            return f", which is {sure} over {_names(sides[True])} and {unsure} over {_names(sides[False])}"
        return f", which is {sure or unsure}" if sure or unsure else ""


def _winners(means: Mapping[Line, float], best: frozenset[Line], after: frozenset[Line], sure: _Certainty) -> str:
    first = [line for line in means if line in best]
    score = f"{in_percent(means[first[0]]):.1f}"
    if len(first) > 1:
        return f"{_names(first)} tie for the best macro-F1, {score}"
    seconds = [line for line in means if line in after]
    lead = points(means[first[0]] - max(means[line] for line in seconds))
    return f"{first[0].title} has the best macro-F1, {score}, {lead} ahead of {_names(seconds)}{sure.of(seconds)}"


def _of_compared(
    table: Table, comparison: RowComparison | None, best: frozenset[Line], after: frozenset[Line], sure: _Certainty
) -> str:
    """The rest of the sentence: how the compared row stands, unless that was said; and the class that decides."""
    if comparison is None or {comparison.compared, comparison.rival} <= best:
        return "."
    why = _why(table, comparison)
    if comparison.compared in best | after:
        return f".{why}"
    distance = points(abs(comparison.difference))
    certainty = sure.of([comparison.compared])
    both = {sure.p[line] <= LEVEL for line in (comparison.compared, *after) if line in sure.p}
    certainty = certainty.replace("which is", "also", 1) if after and len(both) == 1 else certainty
    return f"; {comparison.compared.title} is {distance} behind it{certainty}.{why}"


def _behind(behind: frozenset[Line], known: Iterable[Line], best: frozenset[Line], after: frozenset[Line]) -> str:
    """A sentence on all rows that are significantly behind, where there are others than those named before."""
    others = [line for line in known if line not in best]
    if not set(others) - after:
        return ""
    names = [line.title for line in others if line in behind]
    if len(names) == len(others):
        return (
            " All other rows are significantly behind." if len(names) > 1 else " The other row is significantly behind."
        )
    if not names:
        return " No row is significantly behind."
    return f" Significantly behind: {joined(names[:_SHOWN], len(names))}."


def _why(table: Table, comparison: RowComparison) -> str:
    """A sentence on the class that makes most of the difference, if one does: often it hangs on a few texts."""
    one = None if in_percent(comparison.difference) == 0 else decisive_class(table, comparison)
    if one is None:
        return ""
    seeds = len(table.cells[comparison.compared, comparison.column].runs)
    size = in_percent(abs(one.difference))
    makes = "makes" if size <= in_percent(abs(comparison.difference)) else "alone would make"
    of_that = " of that" if makes == "makes" else ""
    texts = f"{one.train:,} training texts, {plural(one.test, 'test text', 'test texts')}"
    (ours, our_false), (theirs, their_false) = (map(_mean, pair) for pair in zip(one.found, one.false, strict=True))
    over = ", means over the seeds" if seeds > 1 else ""
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
    tested = [one for one in comparisons.compared if one.metric == _METRIC]
    if len(tested) < 2 or comparisons.seeds == 1:
        return
    won, lost = (sum(one.significant and sign * one.difference > 0 for one in tested) for sign in (1, -1))
    yield (
        f"Against the best other row in {len(tested)} columns, {tested[0].compared.title} is significantly better in "
        f"{won}, significantly worse in {lost}, and neither in {len(tested) - won - lost}."
    )


def _names(lines: list[Line]) -> str:
    return joined([line.title for line in lines], len(lines))


def points(difference: float) -> str:
    """``1.4 points``, of a difference that is a share of 1."""
    shown = in_percent(difference)
    return f"{shown:.1f} points" if shown else "under 0.1 points"


def _mean(count: float) -> str:
    return f"{count:.1f}".removesuffix(".0")
