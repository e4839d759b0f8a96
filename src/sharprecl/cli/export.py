"""``sharprecl export``."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import Encoding, Separator, Sheet, Strict, TextAsTrained, TrainedRun
from sharprecl.cli.outputs import on_disk
from sharprecl.errors import ConfigError


def export(
    run: TrainedRun,
    onnx: Annotated[bool, Option("--onnx", help="Write ONNX in float32, with the same answers.")] = False,
    int8: Annotated[
        bool, Option("--int8", help="Write ONNX in int8, several times as fast, with a certificate of what it costs.")
    ] = False,
    to: Annotated[
        Path | None, Option(help="Folder for the export.", show_default="onnx or int8 in the run", callback=on_disk)
    ] = None,
    on: Annotated[
        str | None, Option(help="Labelled texts, not trained on, for the certificate: a file or a benchmark.")
    ] = None,
    lose_macro_f1: Annotated[float, Option(min=0.0, help="Points of macro-F1 that int8 may lose.")] = 0.3,
    lose_recall: Annotated[
        float, Option(min=0.0, help="Points of recall that a class may lose; one text always, but not its last.")
    ] = 2.0,
    text: TextAsTrained = None,
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="as in training")] = None,
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
) -> None:
    """Write a trained classifier as ONNX, for ONNX Runtime alone or for predict, evaluate and serve."""
    from sharprecl.cli.evaluate import trained_on
    from sharprecl.cli.tables import Reading, judged_table
    from sharprecl.data.fingerprints import SEEN
    from sharprecl.export.card import EXPORTS, read_card

    if not (onnx or int8):
        raise ConfigError("nothing to export; give --onnx for float32, or --int8 --on FILE for speed")
    if int8 and on is None:
        raise ConfigError(
            "int8 changes some answers, and a certificate says how many; name labelled texts that the classifier was "
            "not trained on with --on FILE, or leave --int8 out for float32"
        )
    if on is not None and not int8:
        raise ConfigError("--on is for the certificate of int8, and float32 needs none; add --int8 or leave --on out")
    card = read_card(run)
    console = make_console()
    table = None
    if on is not None:
        given = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
        table = judged_table(
            on, text or card.text_column, label or card.label_column, given, tuple(card.label_names), typer.echo
        )
        # Of texts that it has learnt a classifier is surer than of others, so int8 would seem to cost less.
        table, notes = trained_on(table, run / SEEN, drop=True)
        show_notes(console, notes)

    from sharprecl.classifier import TextClassifier
    from sharprecl.export.certificate import Budget
    from sharprecl.export.onnx_folder import export_float32, export_int8

    folder = to or run / EXPORTS[table is not None]
    predictor = TextClassifier.load(run, device="cpu", precision="fp32")._predictor
    if table is None:
        export_float32(folder, predictor, card)
    else:
        budget = Budget(lose_macro_f1, lose_recall)
        certificate = export_int8(folder, predictor, card, table, budget, lambda line: say(console, line))
        say(console, certificate.sentence)
    say(console, f"exported  {folder}")
