"""``sharprecl evaluate``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console, show_files, show_judged, show_notes
from sharprecl.cli.options import (
    AnswerPrecision,
    Device,
    Encoding,
    PriorHere,
    Separator,
    Sheet,
    Strict,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.cli.outputs import check_folder, check_replaced, on_disk
from sharprecl.cli.progress import TrainingProgress
from sharprecl.data.messages import rows_phrase
from sharprecl.errors import ConfigError, DataError
from sharprecl.files import write_json

if TYPE_CHECKING:
    from sharprecl.data.tables import TextTable


def evaluate(
    run: TrainedRun,
    data: Annotated[str, Argument(help="Labelled texts: a file, or a benchmark, whose test texts are taken.")],
    text: TextAsTrained = None,
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="as in training")] = None,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="Folder for figures and report.",
            show_default="evaluations/FILE in the run",
            callback=on_disk,
        ),
    ] = None,
    prior: PriorHere = None,
    drop_leaks: Annotated[
        bool, Option("--drop-leaks", help="Leave out texts that the classifier was trained on.")
    ] = False,
    device: Device = "auto",
    precision: AnswerPrecision = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace an evaluation on other texts there.")] = False,
) -> None:
    """Judge a trained classifier on labelled texts."""
    from sharprecl.cli.tables import Reading, is_benchmark, judged_table
    from sharprecl.data.fingerprints import SEEN
    from sharprecl.data.set_aside import FILE, write_set_aside
    from sharprecl.export.card import is_ours, read_card

    card = read_card(run)
    if drop_leaks and not (run / SEEN).exists():
        raise ConfigError(
            f"{run} does not know its training texts ({SEEN} is missing: was it saved from Python, or by an older "
            f"version?), so none can be left out; leave --drop-leaks out, or train it with 'sharprecl train'"
        )
    usual = run / "evaluations" / (Path(data).name + ("-without-leaks" if drop_leaks else ""))
    if prior is not None:
        usual = usual.with_name(f"{usual.name}-prior-{Path(prior).name}")
    folder = output or usual
    if is_ours(folder):
        raise ConfigError(
            f"{folder} is the folder of a training, whose own figures would be lost; name another --output, or leave "
            f"it out for {usual}"
        )
    check_folder(folder, "--output")
    given = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    table = judged_table(
        data, text or card.text_column, label or card.label_column, given, tuple(card.label_names), typer.echo
    )

    table, notes = trained_on(table, run / SEEN, drop_leaks)
    if prior not in (None, "estimate"):
        notes.append(f"the answers are those for the class prior {prior}")
    check_replaced(folder, table.content_hash, overwrite, ours=folder == usual)
    console = make_console()
    show_notes(console, notes)

    from sharprecl.classifier import TextClassifier
    from sharprecl.machine import describe_machine
    from sharprecl.runs.claim import REPORT
    from sharprecl.runs.folder import METRICS
    from sharprecl.runs.judge import judge, report
    from sharprecl.runs.run import row_title
    from sharprecl.training.history import read_history
    from sharprecl.training.names import HISTORY

    classifier = TextClassifier.load(run, device=device, precision=precision)
    if prior == "estimate":
        told = classifier.for_prior_of(list(table.texts)).sentence(card.label_names)
        show_notes(console, [told])
        notes.append(told)
    elif prior is not None:
        classifier.for_prior(prior)
    name = table.origin if is_benchmark(data) else Path(data).name
    judged = judge(classifier, table, f"{name}, {len(table)} texts")
    title = row_title(classifier.config_)
    history = run / HISTORY
    # Without the report extra none is written, and an old one would tell of other figures.
    (folder / REPORT).unlink(missing_ok=True)
    report(
        folder / REPORT,
        judged,
        title=title,
        train_counts=classifier.class_counts_,
        references={},
        history=read_history(history) if history.exists() else [],
        settings={
            "configuration": classifier.config_.kept(),
            "environment": describe_machine(),
            "data": table.content_hash,
        },
        notes=notes,
        say=TrainingProgress(console),
    )
    figures = {
        "evaluated_on": judged.on,
        "evaluation": judged.evaluation.to_dict(),
        "certainty": asdict(judged.certainty),
        "data": table.content_hash,
        "notes": [*notes, *judged.notes],
    }
    write_json(folder / METRICS, figures)
    write_set_aside(table.set_aside, folder / FILE)
    show_judged(console, {title: judged.evaluation}, judged.on)
    show_notes(console, judged.notes)
    show_files(console, folder)


def trained_on(table: "TextTable", seen: Path, drop: bool) -> "tuple[TextTable, list[str]]":
    """Find the texts that the classifier was trained on, leave them out if asked to, and say so.

    Raises:
        DataError: nothing would be left.
    """
    import numpy as np

    from sharprecl.data.fingerprints import seen_rows

    if not seen.exists():
        unknown = "the classifier's training texts are not known, so texts among these that it learnt cannot be told"
        return table, [*table.notes, unknown]
    rows = seen_rows(seen, table)
    if not len(rows):
        return table, list(table.notes)
    named = rows_phrase(table.in_source(rows).tolist())
    some = f"{len(rows)} of {len(table)} texts also stand in the training data ({named})"
    if not drop:
        return table, [*table.notes, f"{some}, which may flatter the figures; --drop-leaks leaves them out"]
    if len(rows) == len(table):
        raise DataError(f"{table.origin}: the classifier was trained on every text; is it the training file?")
    kept = np.setdiff1d(np.arange(len(table)), rows)
    return table.select(kept), [*table.notes, f"{some} and were left out"]
