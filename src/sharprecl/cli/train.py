"""``sharprecl train``."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from sharprecl.cli.console import make_console, say, show_files, show_judged, show_notes, show_table
from sharprecl.cli.options import (
    Address,
    Calibrate,
    Coverage,
    Device,
    EncoderName,
    Encoding,
    GpuShare,
    Label,
    MaxLength,
    MethodName,
    MinWorkers,
    Optimise,
    OverwriteFolder,
    PoolThreads,
    Precision,
    PriorToCome,
    Seed,
    Separator,
    Sets,
    Sheet,
    Strict,
    Text,
    TrainingTexts,
    TrainOn,
    TrainWorkers,
    is_ray,
)
from sharprecl.cli.outputs import check_mode, on_disk
from sharprecl.cli.progress import TrainingProgress
from sharprecl.errors import ConfigError


def train(
    data: TrainingTexts,
    output: Annotated[
        Path, Option("--output", "-o", help="Folder for the model and everything about it.", callback=on_disk)
    ],
    text: Text = "text",
    label: Label = "label",
    test: Annotated[
        Path | None, Option(help="Labelled texts to judge the model on; a benchmark brings its own.")
    ] = None,
    corrections: Annotated[
        Path | None,
        Option(help="Texts with their right labels, as 'sharprecl serve' writes them; they win over those of DATA."),
    ] = None,
    ir: Annotated[float | None, Option(help="Thin the training texts to this imbalance ratio, exponentially.")] = None,
    drop_leaks: Annotated[
        bool, Option("--drop-leaks", help="Leave out test texts that also stand in training.")
    ] = False,
    encoder: EncoderName = None,
    method: MethodName = None,
    profile: Annotated[
        str | None, Option(help="default, matched, official, paper or released.", show_default="default")
    ] = None,
    max_epochs: Annotated[
        int | None, Option(help="Passes over the texts.", show_default="4, more with few texts")
    ] = None,
    batch_size: Annotated[int | None, Option(help="Texts a step.", show_default="by the amount of data")] = None,
    max_length: MaxLength = None,
    learning_rate: Annotated[float | None, Option(help="Of the encoder.", show_default="by its size")] = None,
    view: Annotated[
        str | None,
        Option(
            help="Second view: upper, dropout, an augmenter, or a chain such as synonyms+noise.", show_default="upper"
        ),
    ] = None,
    prior: PriorToCome = None,
    calibrate: Calibrate = False,
    optimise: Optimise = None,
    coverage: Coverage = None,
    precision: Precision = None,
    sets: Sets = None,
    folds: Annotated[
        int | None,
        Option(
            help="Trainings on parts of the texts that come first, to judge without test texts; 0 for none.",
            show_default="as needed",
        ),
    ] = None,
    seed: Seed = None,
    config: Annotated[Path | None, Option(help="YAML with any setting; options win over it.")] = None,
    set_: Annotated[
        list[str] | None, Option("--set", help="Any other setting, as in method.mu=0.5; may be repeated.")
    ] = None,
    device: Device = "auto",
    processes: Annotated[
        int, Option(help="That train together on this machine; the batch stays as large, each takes a part of it.")
    ] = 1,
    on: TrainOn = None,
    address: Address = None,
    workers: TrainWorkers = None,
    min_workers: MinWorkers = None,
    threads: PoolThreads = 1,
    gpu_share: GpuShare = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    dry_run: Annotated[
        bool, Option("--dry-run", help="openai_finetune: write what would be sent, say what it costs, stop.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="openai_finetune: spend the estimated cost unasked.")] = False,
    resume: Annotated[bool, Option("--resume", help="Go on where this run was cut off.")] = False,
    overwrite: OverwriteFolder = False,
) -> None:
    """Train a classifier, judge it, and save it: a stock Hugging Face model wherever the method allows."""
    if trains_along(device):
        return
    # The data is checked before PyTorch is even imported: a broken file should not cost ten seconds.
    from sharprecl.cli.tables import Reading, training_table
    from sharprecl.config import assignments, choice_note, given, merge, read_yaml, resolve
    from sharprecl.data.corrected import corrected
    from sharprecl.data.leaks import find_leaks, without_leaks
    from sharprecl.data.tables import read_table

    check_mode(resume, overwrite)
    if is_ray(on, address, gpu_share) and processes != 1:
        raise ConfigError(
            "--processes start on this machine and --workers on the cluster; give --workers with --on ray"
        )
    if on is None and (workers or min_workers):
        raise ConfigError("--workers and --min-workers are for a Ray cluster; add --on ray, or give --processes")
    options = {
        "profile": profile,
        "seed": seed,
        "view": view,
        "encoder": {"name": encoder, "max_length": max_length},
        "method": {"name": method},
        "training": {
            "max_epochs": max_epochs,
            "batch_size": batch_size,
            "learning_rate": learning_rate,
            "folds": folds,
        },
        "decision": {
            "prior": prior,
            "calibrate": calibrate or None,
            "optimise": optimise,
            "coverage": coverage,
            "precision": precision,
            "sets": sets,
        },
    }
    given_files = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    table, held_out = training_table(data, text, label, given_files, typer.echo, ir=ir, test=test)
    if corrections is not None:
        table = corrected(table, read_table(corrections, text, label, label_names=table.label_names))
    wanted = merge(read_yaml(config) if config else {}, assignments(set_ or []), given(options))
    settings = resolve(wanted, table.class_counts)
    if note := choice_note(wanted, table.class_counts):
        table = replace(table, notes=(note, *table.notes))
    if drop_leaks:
        if held_out is None:
            raise ConfigError("--drop-leaks needs test texts; give them with --test FILE")
        held_out = without_leaks(held_out, find_leaks(table, held_out))

    from sharprecl.runs.claim import check_same, claim, is_finished
    from sharprecl.runs.judge import references
    from sharprecl.runs.run import Run
    from sharprecl.runs.train import train as train_run
    from sharprecl.training.launch import launched

    if launched() > 1 and not settings.method.trains_encoder:
        raise ConfigError(f"{settings.method.name} is not trained by several processes; start it without a launcher")
    console = make_console()
    if settings.method.name == "openai_finetune":
        from sharprecl.cli.spending import agreed_cost

        judged = table if held_out is None else held_out
        agreed = agreed_cost(console, table, settings, output, judged=judged, dry_run=dry_run, yes=yes, resume=resume)
        if agreed is None:
            return
        settings = agreed
    elif dry_run or yes:
        raise ConfigError("--dry-run and --yes belong to --method openai_finetune; other methods cost nothing")
    run = Run(
        table,
        settings,
        output,
        test=held_out,
        device=device,
        processes=processes,
        text_column=text,
        label_column=label,
    )
    if resume and is_finished(output):
        check_same(run)
        say(console, f"{output} is finished: nothing to resume")
        return
    cluster = None
    if on is not None:
        from sharprecl.scale.cluster import Cluster
        from sharprecl.scale.ray_train import RayTraining

        cluster = RayTraining(Cluster.joined(address, threads, gpu_share, device), workers, min_workers)
        cluster.check(run)
    claim(output, resume, overwrite)
    show_table(console, table, data if ir is None else f"{data} at ratio {ir:g}")
    if held_out is not None:
        run.references |= references(table, held_out, settings, lambda words: say(console, words), device)
    watching = TrainingProgress(console)
    found = train_run(run, [watching], resume) if cluster is None else cluster.train(run, watching)
    show_judged(console, {run.title: found.evaluation, **run.references}, found.on)
    show_notes(console, [*run.test_notes, *found.notes])
    show_files(console, output)


def trains_along(device: str) -> bool:
    """Whether torchrun or accelerate started this process as a further one of a training; then it has done its part."""
    rank, number = (int(os.environ.get(name, usual)) for name, usual in (("RANK", "0"), ("WORLD_SIZE", "1")))
    # Clusters set a rank for purposes of their own.
    if rank == 0 or number == 1:
        return False
    from sharprecl.training.launch import work

    work(rank, number, None, device)
    return True
