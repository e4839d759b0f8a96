"""``sharprecl experiment run`` and ``status``."""

import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from sharprecl.cli import options
from sharprecl.cli.console import make_console, say
from sharprecl.cli.outputs import check_folder


def run(
    plans: options.PlanNames,
    scale: options.Scale = "small",
    output: options.Results = Path("results"),
    workers: options.Workers = 1,
    threads: Annotated[int, Option(help="CPU threads of each; results depend on it in the last digits.")] = 1,
    budget: Annotated[
        str, Option(help="Stop after this long, as in 10m; begin no run that would not end by then.")
    ] = "",
    rows: options.Rows = "",
    columns: options.Columns = "",
    seeds: options.Seeds = "",
    device: options.SharedDevice = "auto",
    on: options.On = None,
    address: options.Address = None,
    gpu_share: options.GpuShare = None,
    retry_failed: options.RetryFailed = False,
    any_code: Annotated[
        bool, Option("--any-code", help="Take runs of older code for finished, instead of making them anew.")
    ] = False,
) -> None:
    """Make the runs of plans that are not finished yet. After a kill, the same command goes on."""
    began = time.monotonic()
    from sharprecl.cli.experiment.sweeping import show_sweep, workers_on
    from sharprecl.experiments.duration import parse_duration
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.task import Options

    deadline = began + parse_duration(budget) if budget else None
    titles, jobs = [], []
    for plan in plans:
        read = load_plan(plan)
        if read.kind == "datasets":
            typer.echo(f"the plan {read.name} has no runs: 'sharprecl experiment table {plan}' counts the data")
            continue
        titles.append(read.title)
        names, data, numbers = options.chosen_parts(rows, columns, seeds)
        jobs += read.jobs(scale, rows=names, columns=data, seeds=numbers)
    if not titles:
        return

    console = make_console()
    for title in titles:
        say(console, f"{title}, at the scale {scale}")
    how = Options(workers, threads, device, deadline, retry_failed, any_code)
    if show_sweep(console, jobs, output, how, workers_on(on, address, gpu_share, how)).failed:
        raise typer.Exit(1)


def status(
    plan: options.PlanName,
    scale: options.Scale = "small",
    output: options.Results = Path("results"),
    rows: options.Rows = "",
    columns: options.Columns = "",
    seeds: options.Seeds = "",
) -> None:
    """Show how far a plan is, and what failed."""
    from rich.table import Column, Table

    from sharprecl.experiments.duration import format_duration
    from sharprecl.experiments.plan_file import load_plan
    from sharprecl.experiments.status import COUNTED, status_of
    from sharprecl.experiments.store import Store
    from sharprecl.runs.code import code_hash

    check_folder(output, "--results")
    read = load_plan(plan)
    names, data, numbers = options.chosen_parts(rows, columns, seeds)
    jobs = read.jobs(scale, rows=names, columns=data, seeds=numbers)

    if not output.exists():
        typer.echo(f"there is no folder {output} yet; --results names the one that keeps the runs", err=True)
    found = status_of(jobs, Store(output), code_hash())
    console = make_console()
    say(console, f"{read.title}, at the scale {scale}, in {output}")
    counts = {**found.columns, "all": sum(found.columns.values(), start=Counter())}
    # What never happens in this plan takes no room.
    shown = [name for name in COUNTED if counts["all"][name] or name in ("runs", "finished")]
    table = Table("", *(Column(name, justify="right") for name in shown), box=None, pad_edge=False)
    for column, count in counts.items():
        table.add_row(column, *(str(count[name]) for name in shown))
    console.print(table)
    for failure in found.failures:
        say(console, f"failed: {failure.label}: {failure.sentence} ({failure.where})")
    if found.seconds_left:
        say(console, f"about {format_duration(found.seconds_left)} left, as the last sweep went")
