"""``sharprecl evaluate``."""

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder that 'sharprecl train' wrote.")],
    data: Annotated[Path, typer.Argument(help="Labelled texts.")],
    text: Annotated[str | None, typer.Option(help="Column with the texts.  [default: as in training]")] = None,
    label: Annotated[str | None, typer.Option(help="Column with the labels.  [default: as in training]")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for figures and report.  [default: evaluations/FILE in the run]"),
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...")] = "auto",
    encoding: Annotated[str, typer.Option(help="Of .csv, .tsv and .jsonl files.")] = "utf-8",
) -> None:
    """Judge a trained classifier on labelled texts."""
    from sharprecl.data.tables import read_table
    from sharprecl.errors import ConfigError
    from sharprecl.export.card import is_ours, read_card

    card = read_card(run)
    folder = output or run / "evaluations" / data.name
    if is_ours(folder):
        raise ConfigError(
            f"{folder} is the folder of a training, whose own figures would be lost; name another --output, or leave "
            f"it out for {run / 'evaluations' / data.name}"
        )
    table = read_table(
        data,
        text or card.text_column,
        label or card.label_column,
        encoding=encoding,
        label_names=tuple(card.label_names),
    )

    from rich.console import Console

    from sharprecl.cli.show import show_files, show_judged, show_notes

    console = Console()
    show_notes(console, table.notes)

    from sharprecl import judging, runs
    from sharprecl.classifier import TextClassifier
    from sharprecl.cli.progress import make_progress
    from sharprecl.files import write_json
    from sharprecl.machine import describe_machine
    from sharprecl.training.history import read_history
    from sharprecl.training.names import HISTORY

    classifier = TextClassifier.load(run, device=device)
    judged = judging.judge(classifier, table, f"{data.name}, {len(table)} texts")
    title = runs.row_title(classifier.config_)
    history = run / HISTORY
    # Without the report extra none is written, and an old one would tell of other figures.
    (folder / runs.REPORT).unlink(missing_ok=True)
    judging.report(
        folder / runs.REPORT,
        judged,
        title=title,
        train_counts=classifier.class_counts_,
        references={},
        history=read_history(history) if history.exists() else [],
        settings={"configuration": card.config, "environment": describe_machine(), "data": table.content_hash},
        notes=list(table.notes),
        say=make_progress(console),
    )
    figures = {"evaluated_on": judged.on, "evaluation": judged.evaluation.to_dict(), "data": table.content_hash}
    write_json(folder / runs.METRICS, figures)
    show_judged(console, {title: judged.evaluation}, judged.on)
    show_files(console, folder)
