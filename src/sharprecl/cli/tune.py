"""``sharprecl tune``."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from sharprecl.cli.console import make_console, say, show_files, show_judged, show_notes, show_table
from sharprecl.cli.options import (
    Address,
    Device,
    EncoderName,
    Encoding,
    GpuShare,
    Label,
    MaxLength,
    MethodName,
    OverwriteFolder,
    PoolThreads,
    PriorToCome,
    Seed,
    Separator,
    Sheet,
    Strict,
    Text,
    TrainingTexts,
    TuneOn,
    TuneWorkers,
    is_ray,
)
from sharprecl.cli.outputs import check_mode, on_disk
from sharprecl.cli.progress import TrainingProgress
from sharprecl.errors import ConfigError, DataError


def tune(
    data: TrainingTexts,
    output: Annotated[
        Path, Option("--output", "-o", help="Folder for the search, the model and all about both.", callback=on_disk)
    ],
    text: Text = "text",
    label: Label = "label",
    test: Annotated[
        Path | None, Option(help="Labelled texts to judge the final model on, once; a benchmark brings its own.")
    ] = None,
    method: MethodName = None,
    trials: Annotated[int, Option(help="Settings to try; the first are the defaults.", min=1)] = 40,
    minutes: Annotated[
        float | None, Option(help="Begin no trial after so many; what follows the search takes its time.", min=0)
    ] = None,
    folds: Annotated[
        int | None, Option(help="Parts of the texts; each is judged by a training on the others.", show_default="3")
    ] = None,
    space: Annotated[
        Path | None, Option(help="YAML with what to try of which setting.", show_default="the method's own")
    ] = None,
    prior: PriorToCome = None,
    encoder: EncoderName = None,
    max_length: MaxLength = None,
    seed: Seed = None,
    config: Annotated[Path | None, Option(help="YAML with settings to begin with; options win over it.")] = None,
    set_: Annotated[
        list[str] | None, Option("--set", help="Any other setting to begin with, as in view=dropout; may be repeated.")
    ] = None,
    device: Device = "auto",
    on: TuneOn = None,
    address: Address = None,
    workers: TuneWorkers = None,
    threads: PoolThreads = 1,
    gpu_share: GpuShare = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    resume: Annotated[bool, Option("--resume", help="Go on where this search was cut off.")] = False,
    overwrite: OverwriteFolder = False,
) -> None:
    """Search for better settings, see on fresh folds whether they are, and train with them, or else the defaults."""
    # What is wrong with the command or the data is found before PyTorch is imported.
    from sharprecl.cli.tables import Reading, training_table
    from sharprecl.config import assignments, choice_note, given, merge, read_yaml, resolve
    from sharprecl.data.folds import deal_folds
    from sharprecl.scale.space import check_method, check_space, read_space, shipped_space

    check_mode(resume, overwrite)
    if not is_ray(on, address, gpu_share) and workers is not None:
        raise ConfigError("--workers are for a Ray cluster; add --on ray, or leave it out for one trial at a time")
    check_extras()
    options = {
        "seed": seed,
        "encoder": {"name": encoder, "max_length": max_length},
        "method": {"name": method},
        "training": {"folds": folds},
        "decision": {"prior": prior},
    }
    given_files = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    table, held_out = training_table(data, text, label, given_files, typer.echo, test=test)
    wanted = merge(read_yaml(config) if config else {}, assignments(set_ or []), given(options))
    settings = resolve(wanted, table.class_counts)
    check_method(settings)
    if settings.training.folds in ("auto", 0):
        wanted = merge(wanted, {"training": {"folds": 3}})
        settings = resolve(wanted, table.class_counts)
    number = settings.training.folds
    assert number != "auto"
    tried = shipped_space(settings) if space is None else read_space(space)
    check_space(tried, wanted, settings, table.class_counts)
    if not deal_folds(table, number, settings.seed):
        raise DataError(
            f"{table.origin}: no class has two different texts, so nothing can be held out to judge settings on; "
            f"collect more texts of each class"
        )
    if note := choice_note(wanted, table.class_counts):
        table = replace(table, notes=(note, *table.notes))

    from sharprecl.runs.claim import SEARCH, SEARCH_PAGE, claim, is_finished
    from sharprecl.runs.judge import references
    from sharprecl.runs.run import Run
    from sharprecl.runs.train import train as train_run
    from sharprecl.scale.asked import Search
    from sharprecl.scale.mix import mix_sentence
    from sharprecl.scale.page import write_page
    from sharprecl.scale.search import search

    console = make_console()
    if resume and is_finished(output):
        if not (output / SEARCH).exists():
            raise ConfigError(f"{output} holds a run of 'sharprecl train'; choose another --output, or add --overwrite")
        say(console, f"{output} is finished: nothing to resume")
        return
    cluster = None
    if on is not None:
        from sharprecl.scale.cluster import Cluster
        from sharprecl.scale.ray_tune import RayTrials

        cluster = RayTrials(Cluster.joined(address, threads, gpu_share, device), workers)
    claim(output, resume, overwrite)
    show_table(console, table, data)
    say(
        console,
        f"{trials} trials over {', '.join(tried)}, each judged by macro-F1 on {number} folds; then the best one and "
        f"the defaults on fresh folds, then the model",
    )
    # Machines of a cluster stand in other folders.
    asked = Search(table, wanted, tried, output if cluster is None else output.absolute(), trials, minutes, device)
    if mix := mix_sentence(table, asked.weights_C):
        say(console, mix)
    found = search(asked, TrainingProgress(console), cluster)
    write_page(found, output / SEARCH_PAGE, data)
    say(console, f"search: {found.sentence}", style="bold")
    run = Run(table, found.config, output, test=held_out, device=device, text_column=text, label_column=label)
    if held_out is not None:
        run.references |= references(table, held_out, found.config, lambda words: say(console, words), device)
    watching = TrainingProgress(console)
    judged = train_run(run, [watching], resume=True) if cluster is None else cluster.train(run, watching)
    show_judged(console, {run.title: judged.evaluation, **run.references}, judged.on)
    show_notes(console, [*run.test_notes, *judged.notes])
    show_files(console, output)
    say(console, f"search   {output / SEARCH_PAGE}")
    say(console, f"settings {output / 'config.yaml'}")


def check_extras() -> None:
    """Refuse early what the search and its page would refuse.

    Raises:
        MissingExtraError: Optuna, matplotlib or jinja2 is not installed.
    """
    from sharprecl.extras import require

    require("optuna", "scale", "the search for settings")
    for module in ("matplotlib", "jinja2"):
        require(module, "report", "the page of the search")
