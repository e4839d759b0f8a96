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
        Path | None, typer.Option("--output", "-o", help="Folder for figures and report.  [default: in the run]")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, ...")] = "auto",
    encoding: Annotated[str, typer.Option(help="Of .csv, .tsv and .jsonl files.")] = "utf-8",
) -> None:
    """Judge a trained classifier on labelled texts."""
    from sharprecl.data.tables import read_table
    from sharprecl.export.card import read_card

    card = read_card(run)
    table = read_table(
        data,
        text or card.text_column,
        label or card.label_column,
        encoding=encoding,
        label_names=tuple(card.label_names),
    )

    from rich.console import Console

    from sharprecl import runs
    from sharprecl.classifier import TextClassifier
    from sharprecl.cli.progress import make_progress
    from sharprecl.cli.show import show_judged
    from sharprecl.files import write_json
    from sharprecl.training.history import read_history

    console = Console()
    classifier = TextClassifier.load(run, device=device)
    judged = runs.judge(classifier, table, f"{data.name}, {len(table)} texts")
    folder = output or run / "evaluations" / data.stem
    title = runs.row_title(classifier.config_)
    history = run / "history.jsonl"
    runs.report(
        folder / runs.REPORT,
        judged,
        title=title,
        train_counts=classifier.class_counts_,
        references={},
        history=read_history(history) if history.exists() else [],
        settings={"configuration": card.config, "environment": runs.describe_machine(), "data": table.content_hash},
        notes=list(table.notes),
        say=make_progress(console),
    )
    figures = {"evaluated_on": judged.on, "evaluation": judged.evaluation.to_dict(), "data": table.content_hash}
    write_json(folder / runs.METRICS, figures)
    show_judged(console, {title: judged.evaluation}, judged.on)
    console.print(f"figures  {folder / runs.METRICS}\nreport   {folder / runs.REPORT}", highlight=False, soft_wrap=True)
