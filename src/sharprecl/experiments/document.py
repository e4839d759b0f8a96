"""A plan's table as a document: a sheet for each metric, or for the one column; certainty; the paper's figures."""

from collections.abc import Iterator, Sequence

from sharprecl.data.messages import joined
from sharprecl.experiments.best_candidates import BestCandidates, find_best_candidates
from sharprecl.experiments.cells import METRICS, Cell, Line, in_percent, mean
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import TESTED, Comparisons, RowComparison, compare_rows
from sharprecl.experiments.datasets_document import make_datasets_document
from sharprecl.experiments.fingerprint import fingerprint
from sharprecl.experiments.footnotes import HOLDS, ON_TEST, RULED_OUT, THESE_MODELS, caption, certainty, marks
from sharprecl.experiments.long_form import long_form
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.published_comparison import published_sheets
from sharprecl.experiments.ranked import Ranked, rank_lines
from sharprecl.experiments.recipe import Provenance, Recipe
from sharprecl.experiments.sheets import EMPTY, Document, Entry, Sheet, probability, signed
from sharprecl.experiments.summary import summarise
from sharprecl.experiments.tables import Table, make_table

_SPENT = {"tokens": ("Tokens, M", 1e-6, 2), "seconds": ("Seconds", 1.0, 0)}


def make_document(plan: Plan, records: Records, recipe: Recipe, table_format: str = "markdown") -> Document:
    """Make all that a plan's table says from what has been run.

    Args:
        plan: the plan that ``recipe.plan`` names.
        records: what has been run.
        recipe: which part, and at which scale.
        table_format: of ``formats.FORMATS``.

    Raises:
        ConfigError: no such scale, row or column.
        SharpReCLError: a plan of the kind datasets, whose data cannot be had.
    """
    if plan.kind == "datasets":
        return make_datasets_document(plan, recipe, table_format)
    table = make_table(
        plan, records, recipe.scale, rows=recipe.rows, columns=recipe.columns, seeds=recipe.seeds
    )  # fmt: skip
    comparisons, ranked = compare_rows(table), {metric: rank_lines(table, metric) for metric in table.metrics}
    usual = ranked.get("macro_f1", Ranked("macro_f1"))
    candidates = find_best_candidates(table)
    spent = ("tokens", "seconds") if recipe.seconds else ("tokens",)
    if len(table.columns) == 1:
        sheets = [_column_sheet(table, table.columns[0], comparisons, candidates, spent)]
    else:
        sheets = [
            _metric_sheet(table, metric, comparisons, candidates, ranked[metric], spent) for metric in table.metrics
        ]
    if comparisons.tested or comparisons.untested:
        sheets.append(_certainty_sheet(comparisons))
    printed = published_sheets(table) if table.runs else []
    return Document(
        title=f"{plan.title} ({plan.paper})" if plan.paper else plan.title,
        caption=caption(table),
        sheets=(*sheets, *printed),
        summary=summarise(table, comparisons, candidates, usual) if table.runs else (),
        figures=tuple(long_form(table, comparisons, candidates, ranked, seconds=recipe.seconds)),
        provenance=Provenance(recipe, table_format, fingerprint(table)),
        notes=(*plan.notes, *_notes(table, comparisons, candidates, usual)) if table.runs else (),
    )


def _column_sheet(
    table: Table, column: str, comparisons: Comparisons, candidates: Sequence[BestCandidates], spent: Sequence[str]
) -> Sheet:
    """The one column of a table in every metric."""
    metrics = [_column(table, metric, column, comparisons, candidates) for metric in table.metrics]
    rows = [
        (Entry(line.title), *(metric[line] for metric in metrics), *(_spent(table, line, what) for what in spent))
        for line in table.lines
    ]
    headings = ("Row", *(METRICS[metric] for metric in table.metrics), *(_SPENT[what][0] for what in spent))
    return Sheet(column, headings, tuple(rows))


def _metric_sheet(
    table: Table,
    metric: str,
    comparisons: Comparisons,
    candidates: Sequence[BestCandidates],
    ranked: Ranked,
    spent: Sequence[str],
) -> Sheet:
    """All columns in one metric, with what they come to."""
    columns = [_column(table, metric, column, comparisons, candidates) for column in table.columns]
    averages = table.averages(metric)
    best, after = table.best(averages)
    rows = []
    for line in table.lines:
        known = line in averages
        text = f"{in_percent(averages[line]):.1f}" if known else ""
        average = Entry(text, best=line in best, runner_up=line in after) if known else EMPTY
        rank = Entry(f"{ranked.ranks[line.title]:.2f}") if line.title in ranked.ranks else EMPTY
        scores = (column[line] for column in columns)
        rows.append((Entry(line.title), *scores, average, rank, *(_spent(table, line, what) for what in spent)))
    headings = ("Row", *table.columns, "Average", "Rank", *(_SPENT[what][0] for what in spent))
    return Sheet(METRICS[metric], headings, tuple(rows))


def _notes(
    table: Table, comparisons: Comparisons, candidates: Sequence[BestCandidates], ranked: Ranked
) -> Iterator[str]:
    yield from marks(table, candidates)
    read = "Tokens: read by the encoder in training steps, mean of a run"
    if len(table.columns) > 1:
        yield f"Average and rank: over {ranked.over}; the columns of one data set rank once."
        yield f"{read}, over the same columns."
    else:
        yield f"{read}."
    if comparisons.tested:
        name = comparisons.tested[0].compared.title
        tested = [METRICS[metric].lower().replace("f1", "F1") for metric in TESTED]
        only = f"Only {joined(tested, len(tested))} are tested; see Certainty."
        signs = {"methods": HOLDS, "models": THESE_MODELS}
        found = {one.certainty for one in comparisons.tested}
        shown = " ".join(sign for certain, sign in signs.items() if certain in found)
        what = f"{shown} at {name}: its difference from the best other row, ahead or behind, is more than noise. "
        yield f"{what if shown else ''}{only}"


def _column(
    table: Table, metric: str, column: str, comparisons: Comparisons, candidates: Sequence[BestCandidates]
) -> dict[Line, Entry]:
    comparison = comparisons.of(metric, column)
    held = [one for one in candidates if (one.metric, one.column) == (metric, column)]
    ruled_out = {line for one in held for line in one.ruled_out}
    best, after = table.best(table.means(metric, column))
    entries = {}
    for line in table.lines:
        cell = table.cells[line, column]
        value, spread = cell.mean(metric), cell.deviation(metric)
        if value is None:
            entries[line] = EMPTY
            continue
        entries[line] = Entry(
            f"{in_percent(value):.1f}",
            spread="" if spread is None else f"{in_percent(spread):.1f}",
            best=line in best,
            runner_up=line in after,
            marks=_marks(cell, comparison if comparison and line == comparison.compared else None, line in ruled_out),
        )
    return entries


def _marks(cell: Cell, comparison: RowComparison | None, ruled_out: bool) -> tuple[str, ...]:
    found = [RULED_OUT] if ruled_out else []
    if comparison is not None and comparison.certainty != "none":
        found.append(HOLDS if comparison.certainty == "methods" else THESE_MODELS)
    if any(run.selected_on == "test" for run in cell.runs.values()):
        found.append(ON_TEST)
    if not cell.complete:
        found.append(f"{len(cell.runs)}/{len(cell.wanted)}")
    return tuple(found)


def _spent(table: Table, line: Line, what: str) -> Entry:
    """A mean over the columns; over other columns than those of other rows it would mislead."""
    columns = table.common("macro_f1").columns if len(table.columns) > 1 else table.columns
    cells = [table.cells[line, column] for column in columns]
    values = [cell.spent(what) for cell in cells if cell.complete]
    known = [value for value in values if value is not None]
    average = mean(known) if len(known) == len(cells) else None
    _, factor, digits = _SPENT[what]
    return EMPTY if average is None else Entry(f"{average * factor:.{digits}f}")


def _certainty_sheet(comparisons: Comparisons) -> Sheet:
    headings = (
        "Column",
        "Metric",
        "Row",
        "Rival",
        "Difference",
        "95 % interval",
        "p models",
        "p methods",
    )
    return Sheet("Certainty", headings, tuple(map(_comparison, comparisons.tested)), certainty(comparisons), words=4)


def _comparison(one: RowComparison) -> tuple[Entry, ...]:
    low, high = (one.methods or one.models).interval
    words = (one.column, METRICS[one.metric], one.compared.title, one.rival.title)
    return (
        *map(Entry, words),
        Entry(signed(100 * one.difference)),
        Entry(f"{signed(100 * low)} to {signed(100 * high)}"),
        Entry(probability(one.p_models)),
        EMPTY if one.p_methods is None else Entry(probability(one.p_methods)),
    )
