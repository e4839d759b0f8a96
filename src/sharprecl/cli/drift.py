"""``sharprecl drift``."""

import json as json_format
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import Device, Encoding, Separator, Sheet, TextAsTrained, TrainedRun
from sharprecl.data.messages import shorten
from sharprecl.errors import ConfigError, DataError

if TYPE_CHECKING:
    from rich.console import Console

    from sharprecl.adaptation.drift import Drift
    from sharprecl.cli.tables import Reading
    from sharprecl.data.tables import Rows

_SHOWN, _WIDTH = 5, 60


def drift(
    run: TrainedRun,
    data: Annotated[str, Argument(help="New texts: a file, or a benchmark, whose test texts are taken.")],
    reference: Annotated[
        str | None,
        Option(help="Texts of the stream as it should be.", show_default="what the run remembers of its judged texts"),
    ] = None,
    text: TextAsTrained = None,
    json: Annotated[bool, Option("--json", help="Print JSON in place of the text.")] = False,
    device: Device = "auto",
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
) -> None:
    """Say whether new texts are still like those that a classifier was judged on; at most 1 in 20 alarms is false."""
    from sharprecl.cli.tables import Reading
    from sharprecl.export.card import read_card
    from sharprecl.runs.reference import FILE, Reference

    card = read_card(run)
    if card.pooling == "none":
        raise ConfigError(f"{run} is a language model, which has no features that could be compared")
    given = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=False)
    columns = text or card.text_column, card.label_column
    rows = _rows(data, columns, given)
    other = _rows(reference, columns, given) if reference else None
    kept = None if other else Reference.load(run / FILE)
    if kept is None and not other:
        raise ConfigError(
            f"{run} remembers no texts (no {FILE}: was it saved from Python, or by an older version?); give texts of "
            f"the stream as it should be with --reference FILE"
        )

    import numpy as np

    from sharprecl.adaptation.drift import FEWEST, Stream, find_drift
    from sharprecl.classifier import TextClassifier

    numbers = [number for number, words in enumerate(rows.texts) if words]
    texts = [rows.texts[number] for number in numbers]
    before = [words for words in other.texts if words] if other else []
    for name, size in (
        (data, len(texts)),
        (reference or str(run), len(before) if other or kept is None else len(kept)),
    ):
        if size < FEWEST:
            raise DataError(
                f"{name} holds {size} texts, and with under {FEWEST} nothing can be told; gather more of them"
            )
    classifier = TextClassifier.load(run, device=device)
    old = Stream.of(classifier, before) if other or kept is None else Stream.remembered(classifier, kept)
    new = Stream.of(classifier, texts)
    found = find_drift(
        old,
        new,
        num_classes=len(card.label_names),
        max_length=card.max_length,
        seen=kept is not None and not kept.held_out,
        origin=str(reference) if kept is None else kept.origin,
        prior=None if classifier.known_prior_ is None else classifier.prior_of_scores(new.scores_NC),
    )
    # Rows as the file has them, those without a text among them.
    found = replace(found, far_N=np.array(numbers)[found.far_N])
    if json:
        typer.echo(json_format.dumps(found.to_dict(), indent=2, ensure_ascii=False))
        return
    console = make_console()
    show_notes(console, rows.notes)
    _show(console, found)
    if found.prior is not None:
        say(console, found.prior.sentence(card.label_names))
    if len(found.far_N):
        say(console, f"unlike all remembered texts, the farthest of {len(found.far_N)} first:")
    for place in found.far_N[:_SHOWN]:
        say(console, f"  row {place + 1}: {shorten(rows.texts[place], _WIDTH)}")
    if found.left_out:
        say(console, f"note: {found.left_out}")
    say(console, found.sentence)


def _rows(data: str, columns: tuple[str, str], given: "Reading") -> "Rows":
    from sharprecl.cli.tables import benchmark_frame, data_file, is_benchmark
    from sharprecl.data.tables import read_rows

    if is_benchmark(data):
        return read_rows(benchmark_frame(data, *columns, "test", typer.echo), columns[0])
    return read_rows(data_file(data), columns[0], **given)


def _show(console: "Console", found: "Drift") -> None:
    from rich.table import Table
    from rich.text import Text

    from sharprecl.adaptation.drift import FACTS

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column("")
    for title in ("found", "alarm from", "p", ""):
        table.add_column(title, justify="right")
    table.add_column("figure", style="dim")
    for row in found.findings:
        figures = (f"{value:.3f}" for value in (row.compared.figure, row.compared.threshold, row.compared.p))
        table.add_row(
            row.fact, *figures, Text("DRIFT", style="bold") if row.drifts else Text("as before"), FACTS[row.fact]
        )
    console.print(table)
