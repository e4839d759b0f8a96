"""A plan's table as a document: a sheet for each metric, or for the one column; significance; the paper's figures."""

from collections.abc import Sequence

from sharprecl.data.benchmarks import BENCHMARKS, SOURCES, load_benchmark
from sharprecl.data.comparison import HEADINGS, ComparedFigure, compare
from sharprecl.data.messages import signed
from sharprecl.data.statistics import split_statistics
from sharprecl.errors import ConfigError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import Comparisons, Ranked, RowComparison, compare_rows, rank_lines
from sharprecl.experiments.document import EMPTY, Document, Entry, LongFormValue, Sheet, probability
from sharprecl.experiments.footnotes import BEHIND, ON_TEST, caption, notes
from sharprecl.experiments.headline import headline
from sharprecl.experiments.long_form import long_form
from sharprecl.experiments.overview import overview
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.published import published_sheets
from sharprecl.experiments.recipe import Provenance, Recipe
from sharprecl.experiments.results import METRICS, Line, Table, in_percent, make_table, mean
from sharprecl.experiments.summary import summarise
from sharprecl.files import sha256_json

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
    title = f"{plan.title} ({plan.paper})" if plan.paper else plan.title
    if plan.kind == "datasets":
        return _datasets_document(plan, title, recipe, table_format)
    table = make_table(plan, records, recipe.scale, rows=recipe.rows, columns=recipe.columns, seeds=recipe.seeds)
    comparisons, ranked = compare_rows(table), {metric: rank_lines(table, metric) for metric in table.metrics}
    spent = ("tokens", "seconds") if recipe.seconds else ("tokens",)
    if len(table.columns) == 1:
        sheets = [_column_sheet(table, comparisons, spent)]
    else:
        sheets = [_metric_sheet(table, metric, comparisons, ranked[metric], spent) for metric in table.metrics]
    if comparisons.compared:
        headings = ("Column", "Metric", "Row", "Rival", "Difference", "95 % interval", "p")
        rows = tuple(map(_comparison, comparisons.compared))
        sheets.append(Sheet("Significance", headings, rows, words=4))
    return Document(
        title=title,
        caption=caption(table),
        sheets=(*sheets, *published_sheets(table)),
        summary=summarise(table, comparisons),
        figures=tuple(long_form(table, comparisons, ranked, seconds=recipe.seconds)),
        provenance=Provenance(recipe, table_format, table.fingerprint()),
        headline=headline(table, comparisons),
        overview=overview(table, ranked),
        paper=plan.paper,
        notes=(*plan.notes, *notes(table, comparisons, ranked["macro_f1"].over)) if table.runs else (),
    )


def _column_sheet(table: Table, comparisons: Comparisons, spent: Sequence[str]) -> Sheet:
    """The one column of a table in every metric."""
    (column,) = table.columns
    metrics = [_column(table, metric, column, comparisons) for metric in table.metrics]
    rows = [
        (Entry(line.title), *(metric[line] for metric in metrics), *(_spent(table, line, what) for what in spent))
        for line in table.lines
    ]
    headings = ("Row", *(METRICS[metric] for metric in table.metrics), *(_SPENT[what][0] for what in spent))
    return Sheet(column, headings, tuple(rows))


def _metric_sheet(table: Table, metric: str, comparisons: Comparisons, ranked: Ranked, spent: Sequence[str]) -> Sheet:
    """All columns in one metric, with what they come to."""
    columns = [_column(table, metric, column, comparisons) for column in table.columns]
    averages, ranks = table.averages(metric), ranked.ranks
    best, after = table.best(averages)
    rows = []
    for line in table.lines:
        average = rank = EMPTY
        if line in averages:
            average = Entry(f"{in_percent(averages[line]):.1f}", best=line in best, runner_up=line in after)
        if line.title in ranks:
            rank = Entry(f"{ranks[line.title]:.2f}")
        scores = (column[line] for column in columns)
        rows.append((Entry(line.title), *scores, average, rank, *(_spent(table, line, what) for what in spent)))
    headings = ("Row", *table.columns, "Average", "Rank", *(_SPENT[what][0] for what in spent))
    return Sheet(METRICS[metric], headings, tuple(rows))


def _column(table: Table, metric: str, column: str, comparisons: Comparisons) -> dict[Line, Entry]:
    behind = comparisons.behind(metric, column)
    best, after = table.best(table.means(metric, column))
    entries = {}
    for line in table.lines:
        cell = table.cells[line, column]
        value, spread = cell.mean(metric), cell.deviation(metric)
        if value is None:
            entries[line] = EMPTY
            continue
        marks = {
            BEHIND: line in behind,
            ON_TEST: any(run.selected_on == "test" for run in cell.runs.values()),
            f"{len(cell.runs)}/{len(cell.wanted)}": not cell.complete,
        }
        entries[line] = Entry(
            f"{in_percent(value):.1f}",
            spread="" if spread is None else f"{in_percent(spread):.1f}",
            best=line in best,
            runner_up=line in after,
            marks=tuple(mark for mark, holds in marks.items() if holds),
        )
    return entries


def _spent(table: Table, line: Line, what: str) -> Entry:
    """A mean over the columns; over other columns than those of other rows it would mislead."""
    columns = table.common("macro_f1").columns if len(table.columns) > 1 else table.columns
    cells = [table.cells[line, column] for column in columns]
    known = [value for cell in cells if cell.complete and (value := cell.spent(what)) is not None]
    average = mean(known) if len(known) == len(cells) else None
    _, factor, digits = _SPENT[what]
    return EMPTY if average is None else Entry(f"{average * factor:.{digits}f}")


def _comparison(one: RowComparison) -> tuple[Entry, ...]:
    low, high = (signed(100 * end) for end in one.interval)
    words = (one.column, METRICS[one.metric], one.compared.title, one.rival.title)
    return tuple(map(Entry, (*words, signed(100 * one.difference), f"{low} to {high}", probability(one.p))))


def _datasets_document(plan: Plan, title: str, recipe: Recipe, table_format: str) -> Document:
    """Table 1 of the paper beside what the files give: counts of benchmarks, at every scale alike, without runs."""
    names = counted_columns(plan, recipe.columns, recipe.rows, recipe.seeds)
    unfit = [name for name, column in plan.columns.items() if column.data not in BENCHMARKS or column.ir is not None]
    if unfit:
        raise ConfigError(
            f"{unfit[0]!r}: a plan of the kind datasets counts benchmarks as published; for other data there is "
            f"'sharprecl doctor'"
        )
    benchmarks = {name: load_benchmark(name) for name in names}
    comparison = compare({name: split_statistics(data.train, data.test) for name, data in benchmarks.items()})
    rows, figures = [], []
    for name, cells in comparison.rows.items():
        rows.append((Entry(SOURCES[name].title), Entry("paper"), *(Entry(cell.printed) for cell in cells.values())))
        rows.append((Entry(""), Entry("files"), *map(_found, cells.values())))
        for figure, cell in cells.items():
            figures += [
                LongFormValue("paper", figure, cell.printed, row=name),
                LongFormValue("files", figure, cell.found, row=name),
            ]
    causes = [f"{number}: {SOURCES[name].title}: {cause}." for number, (name, cause) in enumerate(comparison.notes, 1)]
    counts = {name: benchmark.train.class_counts.tolist() for name, benchmark in benchmarks.items()}
    return Document(
        title=title,
        caption=(
            "Vocabulary and mean words over training and test, the imbalance ratio over training. Bold figures differ "
            "from the paper's.",
        ),
        sheets=(Sheet("Sizes", ("Data set", "", *HEADINGS), tuple(rows), tuple(causes), words=2),),
        summary=(),
        figures=tuple(figures),
        provenance=Provenance(recipe, table_format, sha256_json(counts)),
    )


def counted_columns(
    plan: Plan, chosen: Sequence[str], rows: Sequence[str] = (), seeds: Sequence[int] = ()
) -> list[str]:
    """The columns of a plan of the kind ``datasets`` that a user chose; all where none is chosen.

    Raises:
        ConfigError: one is not the plan's, or rows or seeds are asked for.
    """
    if rows or seeds:
        raise ConfigError(f"the plan {plan.name} counts data and has no runs; leave --rows and --seeds out")
    unknown = [name for name in chosen if name not in plan.columns]
    if unknown:
        raise ConfigError(f"{unknown[0]!r} is no column of {plan.name}; there are {', '.join(plan.columns)}")
    return [name for name in plan.columns if not chosen or name in chosen]


def _found(cell: ComparedFigure) -> Entry:
    return Entry(cell.found) if cell.note is None else Entry(cell.found, best=True, marks=(str(cell.note),))
