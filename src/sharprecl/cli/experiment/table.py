"""``sharprecl experiment table``."""

from pathlib import Path
from typing import Annotated

import typer

from sharprecl.cli.experiment.options import Columns, PlanName, Rows, Scale, Seeds
from sharprecl.cli.experiment.records import Sources, records_of


def table(
    plan: PlanName,
    scale: Scale = "small",
    results: Sources = None,
    table_format: Annotated[str, typer.Option("--format", help="markdown, latex, csv or html.")] = "markdown",
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
    seconds: Annotated[bool, typer.Option("--seconds", help="Show training times, which no two sweeps share.")] = False,
    to: Annotated[
        Path | None, typer.Option("--to", help="Write a file, which 'verify --table' checks, and print nothing.")
    ] = None,
) -> None:
    """Make a plan's table from what has been run: means, best and runner-up, how sure that is, the paper's figures."""
    from sharprecl.cli.experiment.options import chosen_parts
    from sharprecl.experiments.collection import Records
    from sharprecl.experiments.formats import check_format, write_document
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.recipe import Recipe, check_replaceable
    from sharprecl.experiments.tables import make_document
    from sharprecl.files import write_text

    check_format(table_format)
    if to is not None:
        check_replaceable(to)
    read = load_plan(plan)
    names, data, numbers = chosen_parts(rows, columns, seeds)
    recipe = Recipe(plan, scale, tuple(names), tuple(data), tuple(numbers), seconds)
    # Data sets are counted from their files, without any run.
    records = Records({}, {}) if read.kind == "datasets" else records_of(results)
    text = write_document(make_document(read, records, recipe, table_format))
    if to is None:
        typer.echo(text, nl=False)
    else:
        write_text(to, text)
        typer.echo(f"{to}: the table of {read.name} at the scale {scale}", err=True)
