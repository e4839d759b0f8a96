"""``sharprecl predict``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import Device, Encoding, PriorHere, Separator, Sheet, Strict, TextAsTrained, TrainedRun
from sharprecl.cli.outputs import check_apart
from sharprecl.data.messages import plural
from sharprecl.errors import ConfigError


def predict(
    run: TrainedRun,
    data: Annotated[str, Argument(help="Texts to classify: a file, or a benchmark, whose test texts are taken.")],
    output: Annotated[Path, Option("--output", "-o", help="File for the answers; its ending is its format.")],
    text: TextAsTrained = None,
    probabilities: Annotated[
        bool, Option("--probabilities", help="Add a column with the probability of every class.")
    ] = False,
    prior: PriorHere = None,
    for_excel: Annotated[
        bool, Option("--for-excel", help="Write .csv and .tsv as Excel opens them; .xlsx needs no such thing.")
    ] = False,
    overwrite: Annotated[bool, Option("--overwrite", help="Replace the output file.")] = False,
    device: Device = "auto",
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
) -> None:
    """Classify texts with a trained classifier; all columns of the input are kept."""
    from sharprecl.cli.tables import Reading, rows_of
    from sharprecl.data.set_aside import FILE, write_set_aside
    from sharprecl.data.writers import check_output, write_predictions
    from sharprecl.export.card import read_card

    if for_excel and output.suffix.lower() not in (".csv", ".tsv", ".xlsx"):
        raise ConfigError(f"Excel opens .xlsx, .csv and .tsv, not {output.name}; name another --output")
    check_apart(data, output, overwrite)
    listed = output.with_name(f"{output.name}.{FILE}")
    check_apart(data, listed, overwrite)
    card = read_card(run)
    given_file = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    rows = rows_of(data, text or card.text_column, card.label_column, given_file, "test", typer.echo)
    chance_columns = [f"probability {name}" for name in card.label_names] if probabilities else []
    check_output(rows, ["predicted", "confidence", *chance_columns], output)

    console = make_console()
    show_notes(console, rows.notes)

    from sharprecl.classifier import TextClassifier
    from sharprecl.decision import best_classes, softmax

    classifier = TextClassifier.load(run, device=device)
    if prior is not None:
        classifier.for_prior(prior)
    scores = classifier.scores(rows.texts)
    given, chances = best_classes(scores), softmax(scores)
    columns: dict[str, list[object]] = {
        "predicted": [card.label_names[answer] if answer >= 0 else "" for answer in given],
        "confidence": _rounded(chances.max(1)),
    }
    for index, name in enumerate(chance_columns):
        columns[name] = _rounded(chances[:, index])
    write_predictions(rows, columns, output, for_excel=for_excel)
    silent = int((given < 0).sum())
    without = f", {silent} of them without an answer (left empty)" if silent else ""
    say(console, f"{plural(len(rows), 'row', 'rows')} classified{without}: {output}")
    if write_set_aside(rows.set_aside, listed):
        say(console, f"rows without a text: {listed}")


def _rounded(chances: Iterable[float]) -> list[object]:
    """Six digits; nothing where there is no answer."""
    return [None if chance != chance else round(float(chance), 6) for chance in chances]
