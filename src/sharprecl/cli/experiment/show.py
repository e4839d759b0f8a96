"""``sharprecl experiment table``, ``figure`` and ``page``: what has been run, shown."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.options import Columns, PlanName, Rows, Scale, Seeds, Sources, chosen_parts, records_of
from sharprecl.cli.outputs import on_disk
from sharprecl.data.messages import closest, plural
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import write_text


def table(
    plan: PlanName,
    scale: Scale = "small",
    results: Sources = None,
    table_format: Annotated[str, Option("--format", help="markdown, latex, csv or html.")] = "markdown",
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
    seconds: Annotated[bool, Option("--seconds", help="Show training times, which no two sweeps share.")] = False,
    to: Annotated[
        Path | None,
        Option("--to", help="Write a file, which 'verify --table' checks, and print nothing.", callback=on_disk),
    ] = None,
) -> None:
    """Make a plan's table from what has been run: means, best and runner-up, how sure that is, the paper's figures."""
    from sharprecl.experiments.collection import Records
    from sharprecl.experiments.formats import check_format, write_document
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.recipe import Recipe, check_replaceable
    from sharprecl.experiments.tables import make_document

    check_format(table_format)
    if to is not None:
        check_replaceable(to)
    read = load_plan(plan)
    names, data, numbers = chosen_parts(rows, columns, seeds)
    recipe = Recipe(plan, scale, tuple(names), tuple(data), tuple(numbers), seconds=seconds)
    # Data sets are counted from their files, without any run.
    records = Records({}, {}) if read.kind == "datasets" else records_of(results)
    text = write_document(make_document(read, records, recipe, table_format))
    if to is None:
        typer.echo(text, nl=False)
    else:
        write_text(to, text)
        typer.echo(f"{to}: the table of {read.name} at the scale {scale}", err=True)


def figure(
    plan: PlanName,
    scale: Scale = "small",
    results: Sources = None,
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
    to: Annotated[Path, Option("--to", help="Folder for the .svg and .png files.", callback=on_disk)] = Path("figures"),
) -> None:
    """Draw a plan's figures from what has been run: SVG and PNG for print, with the caption of each."""
    from sharprecl.experiments.figures import figures_of
    from sharprecl.experiments.figures.distribution import data_sets
    from sharprecl.experiments.figures.drawing import save
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.results import make_table
    from sharprecl.experiments.tables import counted_columns

    read = load_plan(plan)
    names, data, numbers = chosen_parts(rows, columns, seeds)
    if read.kind == "datasets":
        counted = counted_columns(read, data, names, numbers)
        drawn = data_sets(read, counted, lambda sentence: typer.echo(sentence, err=True))
        figures = iter([] if drawn is None else [drawn])
    else:
        records = records_of(results)
        table = make_table(read, records, scale, rows=names, columns=data, seeds=numbers)
        figures = figures_of(table, records.features)
    none = True
    for drawn in figures:
        svg, png = save(drawn, to)
        typer.echo(f"{svg} {png}\n  {drawn.caption}")
        none = False
    if none:
        where = f"sharprecl experiment run {plan} --scale {scale}"
        typer.echo(f"{read.name}: no finished runs to draw at the scale {scale}; '{where}' makes some", err=True)
        raise typer.Exit(1)


def page(
    plans: Annotated[
        list[str] | None, Argument(metavar="[PLAN]...", help="What to show.", show_default="all shipped plans")
    ] = None,
    scale: Scale = "small",
    results: Sources = None,
    columns: Annotated[str, Option(help="Only these columns, of plans that have them, as in trec@50,cr.")] = "",
    seeds: Annotated[
        str,
        Option(
            help="Only these seeds, of plans that have them, as in 0,1.",
            show_default="of each plan those that all cells have which have any",
        ),
    ] = "",
    to: Annotated[
        Path, Option("--to", help="Folder for index.html, index.md, figures and tables.", callback=on_disk)
    ] = Path("docs/results"),
    title: Annotated[str, Option(help="Heading of the page.")] = "What came out",
) -> None:
    """Write a page with every table and figure of what has been run, and the command that makes each."""
    from sharprecl.experiments.page import borrowed, check_page, make_section, write_page
    from sharprecl.experiments.plan_file import SHIPPED, load_plan

    check_page()
    _, data, numbers = chosen_parts("", columns, seeds)
    read = {name: load_plan(name) for name in plans or SHIPPED}
    known = dict.fromkeys(column for plan in read.values() for column in plan.columns)
    for column in data:
        if column not in known:
            raise ConfigError(f"none of these plans has a column {column!r}{closest(column, known)}")
    records = records_of(results)
    sections = []
    for name, plan in read.items():
        section = make_section(
            name,
            plan,
            scale,
            records,
            columns=data,
            seeds=numbers or None,
            results=results or (),
            tell=lambda words: typer.echo(words, err=True),
        )
        if section is None:
            typer.echo(f"{name}: no finished runs at the scale {scale}, left out", err=True)
        else:
            sections.append(section)
    if not plans:
        for section in borrowed(sections):
            sections.remove(section)
            typer.echo(f"{section.plan}: only runs that other plans made, left out; name it to see them", err=True)
    if not sections:
        raise DataError(f"there is nothing to show at the scale {scale}; 'sharprecl experiment run PLAN' makes runs")
    written = write_page(to, title, (), scale, sections)
    figures = sum(len(section.figures) for section in sections)
    typer.echo(f"{written}: {plural(len(sections), 'plan', 'plans')}, {plural(figures, 'figure', 'figures')}")
