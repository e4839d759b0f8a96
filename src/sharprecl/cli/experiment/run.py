"""``sharprecl experiment run``."""

import time
from pathlib import Path
from typing import Annotated

import typer

from sharprecl.cli.experiment.options import Columns, PlanNames, Results, Rows, Scale, Seeds, chosen_jobs


def run(
    plans: PlanNames,
    scale: Scale = "small",
    output: Results = Path("results"),
    workers: Annotated[int, typer.Option(help="Runs side by side, also on one GPU.")] = 1,
    threads: Annotated[int, typer.Option(help="CPU threads of each; results depend on it in the last digits.")] = 1,
    budget: Annotated[
        str, typer.Option(help="Stop after this long, as in 10m; begin no run that would not end by then.")
    ] = "",
    rows: Rows = "",
    columns: Columns = "",
    seeds: Seeds = "",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...; all workers share it.")] = "auto",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Make failed runs anew.")] = False,
    any_code: Annotated[
        bool,
        typer.Option("--any-code", help="Take runs of older code for finished, instead of making them anew."),
    ] = False,
) -> None:
    """Make the runs of plans that are not finished yet. After a kill, the same command goes on."""
    began = time.monotonic()
    from sharprecl.experiments.duration import parse_duration
    from sharprecl.experiments.plan_file import load_plan

    # What is wrong with the command is found before PyTorch is imported.
    deadline = began + parse_duration(budget) if budget else None
    titles, jobs = [], []
    for plan in plans:
        read = load_plan(plan)
        if read.kind == "datasets":
            typer.echo(f"the plan {read.name} has no runs: 'sharprecl experiment table {plan}' counts the data")
            continue
        titles.append(read.title)
        jobs += chosen_jobs(read, scale, rows, columns, seeds)
    if not titles:
        return

    from sharprecl.cli.console import make_console
    from sharprecl.cli.experiment.sweeping import show_sweep
    from sharprecl.cli.show import say
    from sharprecl.experiments.task import Options

    console = make_console()
    for title in titles:
        say(console, f"{title}, at the scale {scale}")
    options = Options(workers, threads, device, deadline, retry_failed, any_code)
    if show_sweep(console, jobs, output, options).failed:
        raise typer.Exit(1)
