"""``sharprecl experiment page``."""

from pathlib import Path
from typing import Annotated

import typer

from sharprecl.cli.experiment.options import Scale
from sharprecl.cli.experiment.records import Sources


def page(
    plans: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAN]...", help="What to show.", show_default="all shipped plans")
    ] = None,
    scale: Scale = "small",
    results: Sources = None,
    columns: Annotated[str, typer.Option(help="Only these columns, of plans that have them, as in trec@50,cr.")] = "",
    seeds: Annotated[str, typer.Option(help="Only these seeds, of plans that have them, as in 0,1.")] = "",
    to: Annotated[Path, typer.Option("--to", help="Folder for index.html, index.md, figures and tables.")] = Path(
        "docs/results"
    ),
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "What came out",
) -> None:
    """Write a page with every table and figure of what has been run, and the command that makes each."""
    from sharprecl.cli.experiment.options import chosen_parts
    from sharprecl.cli.experiment.records import records_of
    from sharprecl.data.messages import closest, plural
    from sharprecl.errors import ConfigError, DataError
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
            seeds=numbers,
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
