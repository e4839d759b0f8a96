"""The plan ``datasets`` as a document: Table 1 of the paper beside what the files give. It reads data and no runs."""

from collections.abc import Sequence

from sharprecl.data.benchmarks import BENCHMARKS, SOURCES, load_benchmark
from sharprecl.data.comparison import HEADINGS, ComparedFigure, compare
from sharprecl.data.statistics import split_statistics
from sharprecl.errors import ConfigError
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Provenance, Recipe
from sharprecl.experiments.sheets import Document, Entry, LongFormValue, Sheet
from sharprecl.files import sha256_json


def make_datasets_document(plan: Plan, recipe: Recipe, table_format: str = "markdown") -> Document:
    """Count the benchmarks that a plan of the kind ``datasets`` names, at every scale alike.

    Raises:
        ConfigError: a column is no benchmark as it was published, or not the plan's; rows or seeds are asked for.
        SharpReCLError: the data cannot be had.
    """
    names = counted_columns(plan, recipe.columns, recipe.rows, recipe.seeds)
    unfit = [name for name, column in plan.columns.items() if column.data not in BENCHMARKS or column.ir is not None]
    if unfit:
        raise ConfigError(
            f"{unfit[0]!r}: a plan of the kind datasets counts benchmarks as published; for other data there is "
            f"'sharprecl doctor'"
        )
    benchmarks = {name: load_benchmark(name) for name in names}
    statistics = {name: split_statistics(benchmark.train, benchmark.test) for name, benchmark in benchmarks.items()}
    comparison = compare(statistics)
    rows, figures = [], []
    for name, cells in comparison.rows.items():
        title = SOURCES[name].title
        rows.append((Entry(title), Entry("paper"), *(Entry(cell.printed) for cell in cells.values())))
        rows.append((Entry(""), Entry("files"), *map(_found, cells.values())))
        for figure, cell in cells.items():
            figures += [
                LongFormValue("paper", figure, cell.printed, row=name),
                LongFormValue("files", figure, cell.found, row=name),
            ]
    notes = [f"{number}: {SOURCES[name].title}: {cause}." for number, (name, cause) in enumerate(comparison.notes, 1)]
    counts = {name: benchmark.train.class_counts.tolist() for name, benchmark in benchmarks.items()}
    return Document(
        title=f"{plan.title} ({plan.paper})" if plan.paper else plan.title,
        caption=(
            "Vocabulary and mean words over training and test, the imbalance ratio over training. Bold figures differ "
            "from the paper's.",
        ),
        sheets=(Sheet("Sizes", ("Data set", "", *HEADINGS), tuple(rows), tuple(notes), words=2),),
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
