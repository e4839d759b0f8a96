"""``sharprecl experiment status``."""

from pathlib import Path

import typer

from sharprecl.cli.experiment.options import Columns, PlanName, Results, Rows, Scale, Seeds, chosen_jobs


def status(
    plan: PlanName,
    scale: Scale = "small",
    output: Results = Path("results"),
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
) -> None:
    """Show how far a plan is, and what failed."""
    from sharprecl.cli.tables import check_folder
    from sharprecl.experiments.plan_file import load_plan

    check_folder(output, "--results")
    read = load_plan(plan)
    jobs = chosen_jobs(read, scale, rows, columns, seeds)

    from collections import Counter

    from rich.table import Column, Table

    from sharprecl.cli.console import make_console
    from sharprecl.cli.show import say
    from sharprecl.experiments.duration import format_duration
    from sharprecl.experiments.status import COUNTED, status_of
    from sharprecl.experiments.store import Store
    from sharprecl.runs.code import code_hash

    if not output.exists():
        typer.echo(f"there is no folder {output} yet; --results names the one that keeps the runs", err=True)
    found = status_of(jobs, Store(output), code_hash())
    console = make_console()
    say(console, f"{read.title}, at the scale {scale}, in {output}")
    counts = {**found.columns, "all": sum(found.columns.values(), start=Counter())}
    # What never happens in this plan takes no room.
    shown = [name for name in COUNTED if counts["all"][name] or name in ("runs", "finished")]
    table = Table("", *(Column(name, justify="right") for name in shown), box=None, pad_edge=False)
    for column, numbers in counts.items():
        table.add_row(column, *(str(numbers[name]) for name in shown))
    console.print(table)
    for failure in found.failures:
        say(console, f"failed: {failure.label}: {failure.sentence} ({failure.where})")
    if found.seconds_left:
        say(console, f"about {format_duration(found.seconds_left)} left, as the last sweep went")
