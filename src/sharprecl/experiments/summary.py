"""A table in plain words: who is best where, by how much, and how sure that is."""

from collections.abc import Iterator, Mapping, Sequence

from sharprecl.data.messages import joined, plural
from sharprecl.experiments.best_candidates import BestCandidates
from sharprecl.experiments.by_class import decisive_class
from sharprecl.experiments.cells import Cell, Line, in_percent
from sharprecl.experiments.comparisons import FEW_SEEDS, Comparisons, RowComparison
from sharprecl.experiments.ranked import Ranked
from sharprecl.experiments.sheets import probability
from sharprecl.experiments.tables import Table

_METRIC = "macro_f1"
_CALLED = "macro-F1"


def summarise(
    table: Table, comparisons: Comparisons, candidates: Sequence[BestCandidates], ranked: Ranked
) -> tuple[str, ...]:
    """Sentences about macro-F1, one or two a column, then what they come to, and the ranks."""
    return (*_columns(table, comparisons, candidates), *_score(comparisons), *_ranks(ranked))


def _columns(table: Table, comparisons: Comparisons, candidates: Sequence[BestCandidates]) -> Iterator[str]:
    for column in table.columns:
        means = table.means(_METRIC, column)
        for group in table.groups:
            known = {line: means[line] for line in group if line in means}
            if len(known) < 2:
                continue
            best, after = table.best(known)
            lacking = {line: table.cells[line, column] for line in group if line not in known}
            lacking = {line: cell for line, cell in lacking.items() if cell.mean(_METRIC) is not None}
            not_all = len(known) < len(group)
            among = f"of the {len(known)} rows that are complete there, " if not_all else ""
            comparison = comparisons.of(_METRIC, column)
            who = f"{_winners(known, best, after)}{_test(comparison, best, after)}"
            held = [one for one in candidates if (one.metric, one.column) == (_METRIC, column)]
            left = [f" {_left(one, not_all)}." for one in held if best <= one.p.keys()]
            yield f"{column}: {among}{who}.{_why(table, comparison, best)}{''.join(left)}{_lacking(lacking)}"


def _winners(means: dict[Line, float], best: frozenset[Line], after: frozenset[Line]) -> str:
    order = list(means)
    first = sorted(best, key=order.index)
    score = f"{in_percent(means[first[0]]):.1f}"
    if len(first) > 1:
        return f"{_names(first)} are level with the best {_CALLED}, {score}"
    seconds = sorted(after, key=order.index)
    lead = _points(means[first[0]] - max(means[line] for line in seconds))
    return f"{first[0].title} has the best {_CALLED}, {score}, {lead} ahead of {_names(seconds)}"


def _test(comparison: RowComparison | None, best: frozenset[Line], after: frozenset[Line]) -> str:
    """The rest of a sentence: how the compared row stands to its rival, unless that was said, and how sure it is."""
    if comparison is None or {comparison.compared, comparison.rival} <= best:
        return ""
    compared, rival = comparison.compared.title, comparison.rival.title
    size = _points(abs(comparison.difference))
    if comparison.difference > 0 and best == {comparison.compared} and after == {comparison.rival}:
        apart = ""
    elif in_percent(comparison.difference) == 0:
        apart = f"; {compared} is level with {rival}"
    else:
        apart = f"; {compared} is {size} {'ahead of' if comparison.difference > 0 else 'behind'} {rival}"
    p = comparison.p_models if comparison.p_methods is None else comparison.p_methods
    if comparison.certainty == "methods":
        far = f", as far as {comparison.seeds} seeds tell" if comparison.seeds <= FEW_SEEDS else ""
        return f"{apart}, which should hold for other texts and other seeds{far} (p {_equals(p)})"
    if comparison.certainty == "models":
        of_seeds = (
            "nothing is known of other seeds"
            if comparison.p_methods is None
            else f"whether it holds for other seeds is open (p {_equals(comparison.p_methods)})"
        )
        return (
            f"{apart}, which is more than luck with these test texts (p {_equals(comparison.p_models)}), but {of_seeds}"
        )
    return f"{apart}, which is within noise (p {_equals(p)})"


def _why(table: Table, comparison: RowComparison | None, best: frozenset[Line]) -> str:
    """A sentence on the class that makes most of the difference, if one does: often it hangs on a few texts."""
    if comparison is None or {comparison.compared, comparison.rival} <= best or in_percent(comparison.difference) == 0:
        return ""
    one = decisive_class(table, comparison)
    if one is None:
        return ""
    size = in_percent(abs(one.difference))
    part = size <= in_percent(abs(comparison.difference))
    share = f"{size:.1f} points of that are one class's," if part else f"One class alone would make {size:.1f} points,"
    texts = f"{one.train:,} training texts, {plural(one.test, 'test text', 'test texts')}"
    compared, rival = (
        f"{line.title} finds {_mean(found)} and takes {_mean(false)}"
        for line, found, false in zip((comparison.compared, comparison.rival), one.found, one.false, strict=True)
    )
    others = "other text" if _mean(one.false[0]) == "1" else "other texts"
    over = ", means over the seeds" if comparison.seeds > 1 else ""
    return f" {share} {one.label} ({texts}): {compared} {others} for it, {rival}{over}."


def _mean(count: float) -> str:
    return f"{count:.1f}".removesuffix(".0")


def _lacking(cells: Mapping[Line, Cell]) -> str:
    """A sentence on the rows that no other is compared with, so that a leader among them is not overlooked."""
    if not cells:
        return ""
    rows = [f"{line.title} ({in_percent(cell.mean(_METRIC) or 0.0):.1f} so far)" for line, cell in cells.items()]
    return f" Seeds are still missing of {joined(rows, len(rows))}."


def _left(held: BestCandidates, not_all: bool) -> str:
    """Which rows may be the best: named, or the others where those are fewer."""
    out = held.ruled_out
    left = [line for line in held.p if line not in out]
    whose = "" if held.seeds > 1 else ", of these trained models"
    if not out:
        return f"{'None of them' if not_all else 'No row'} is ruled out as the best{whose}"
    if len(left) == 1:
        return f"All other{' complete rows' if not_all else 's'} are ruled out as the best{whose}"
    few = f"Ruled out as the best{whose}: {_names(list(out))}"
    return few if len(out) <= len(left) else f"Not ruled out as the best{whose}: {_names(left)}"


def _score(comparisons: Comparisons) -> Iterator[str]:
    tested = [one for one in comparisons.tested if one.metric == _METRIC]
    if len(tested) < 2:
        return
    sure = [one for one in tested if one.certainty == "methods"]
    won, lost = (sum(sign * one.difference > 0 for one in sure) for sign in (1, -1))
    yield (
        f"{tested[0].compared.title} against the best other row in {plural(len(tested), 'column', 'columns')}: "
        f"better beyond noise in {won}, worse beyond noise in {lost}, "
        f"not to be told apart in {len(tested) - won - lost}."
    )


def _ranks(ranked: Ranked) -> Iterator[str]:
    for ranking in ranked.rankings:
        first, rank = ranking.methods[0], ranking.average_ranks[0]
        level = [name for name, other in zip(ranking.methods, ranking.average_ranks, strict=True) if other == rank]
        who = f"{first} has" if len(level) == 1 else f"{joined(level, len(level))} have"
        best = f"Over {ranked.over}, {who} the best average rank, {rank:.2f}"
        if not ranking.can_reject:
            yield f"{best}; ranks over so few data sets cannot tell {len(ranking.methods)} rows apart."
            continue
        distance = ranking.critical_difference
        within = [
            name
            for name, other in zip(ranking.methods, ranking.average_ranks, strict=True)
            if name not in level and other - rank < distance
        ]
        sure = f"ranks less than {distance:.2f} apart may be luck"
        beat = "it beats" if len(level) == 1 else "they beat"
        rest = f", which leaves open whether {beat} {joined(within, len(within))}" if within else ""
        yield f"{best}; {sure}{rest}."


def _names(lines: list[Line]) -> str:
    return joined([line.title for line in lines], len(lines))


def _points(difference: float) -> str:
    points = in_percent(difference)
    return f"{points:.1f} points" if points else "under 0.1 points"


def _equals(p: float) -> str:
    shown = probability(p)
    return shown if shown.startswith("<") else f"= {shown}"
