"""``sharprecl experiment figure``."""

from pathlib import Path
from typing import Annotated

import typer

from sharprecl.cli.experiment.options import Columns, PlanName, Rows, Scale, Seeds
from sharprecl.cli.experiment.records import Sources


def figure(
    plan: PlanName,
    scale: Scale = "small",
    results: Sources = None,
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
    to: Annotated[Path, typer.Option("--to", help="Folder for the .svg and .png files.")] = Path("figures"),
) -> None:
    """Draw a plan's figures from what has been run: SVG and PNG for print, with the caption of each."""
    from sharprecl.cli.experiment.options import chosen_parts
    from sharprecl.cli.experiment.records import records_of
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
