"""``sharprecl compare``."""

import time
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console, say
from sharprecl.cli.options import (
    Address,
    Encoding,
    GpuShare,
    Label,
    On,
    RetryFailed,
    Separator,
    SharedDevice,
    Sheet,
    Text,
    Workers,
    names_in,
)
from sharprecl.cli.outputs import on_disk
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError


def compare(
    data: Annotated[
        str,
        Argument(help="Labelled texts: .csv, .tsv, .xlsx, .jsonl, .parquet, or a benchmark such as trec@50."),
    ],
    text: Text = "text",
    label: Label = "label",
    methods: Annotated[
        str, Option(help="Any of 'sharprecl methods', or module:Class, as in bcl,tsc.")
    ] = "cross_entropy,bcl,sharprecl",
    seeds: Annotated[int, Option(help="Trainings of each method.", min=1)] = 5,
    test: Annotated[
        Path | None,
        Option(help="Labelled texts to judge on.", show_default="a fifth of DATA, held out; a benchmark's own"),
    ] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    ir: Annotated[float | None, Option(help="Thin the training texts to this imbalance ratio.")] = None,
    output: Annotated[
        Path, Option("--output", "-o", help="Folder for the runs, the page and the figures.", callback=on_disk)
    ] = Path("compare"),
    scale: Annotated[str, Option(help="paper, small or smoke: encoder and epochs.")] = "small",
    config: Annotated[Path | None, Option(help="YAML with settings common to all methods.")] = None,
    set_: Annotated[
        list[str] | None, Option("--set", help="One of them, as in encoder.max_length=64; may be repeated.")
    ] = None,
    workers: Workers = 1,
    threads: Annotated[int, Option(help="CPU threads of each.")] = 1,
    budget: Annotated[str, Option(help="Stop after this long, as in 10m; the same command goes on.")] = "",
    device: SharedDevice = "auto",
    on: On = None,
    address: Address = None,
    gpu_share: GpuShare = None,
    retry_failed: RetryFailed = False,
) -> None:
    """Train several methods alike on your own texts, and say which one to take, and the command that trains it."""
    began = time.monotonic()
    from sharprecl.cli.tables import is_benchmark
    from sharprecl.config import assignments, merge, read_yaml
    from sharprecl.experiments.compare import compare_plan
    from sharprecl.experiments.duration import parse_duration
    from sharprecl.experiments.page import check_page
    from sharprecl.experiments.plan_file import write_plan

    # What is wrong with the command is found before PyTorch is imported.
    deadline = began + parse_duration(budget) if budget else None
    check_page()
    published = is_benchmark(data.partition("@")[0])
    if test is not None and published:
        raise ConfigError(f"{data} brings its own test texts; leave --test out")
    plan = compare_plan(
        data,
        names_in(methods),
        text=text,
        label=label,
        test=None if test is None else str(test),
        encoding=encoding,
        separator=separator,
        sheet=sheet,
        ir=ir,
        seeds=seeds,
        settings=merge(read_yaml(config) if config else {}, assignments(set_ or [])),
    )
    jobs = plan.jobs(scale)

    from sharprecl.cli.compared import show_comparison
    from sharprecl.cli.experiment.sweeping import show_sweep, workers_on
    from sharprecl.experiments.task import Options

    console = make_console()
    say(console, f"{plan.title}, {plural(seeds, 'seed', 'seeds')} each, at the scale {scale}")
    if test is None and not published:
        say(console, "without --test a fifth of each class is held out once, the same for all methods and seeds")
    options = Options(workers, threads, device, deadline, retry_failed)
    outcome = show_sweep(console, jobs, output, options, workers_on(on, address, gpu_share, options))
    # Every 'sharprecl experiment' command can go on with what is here.
    written = output / "compare.yaml"
    write_plan(plan, written)
    if outcome.done:
        show_comparison(console, plan, written, scale, output, outcome.data)
    if outcome.failed or not outcome.done:
        raise typer.Exit(1)
