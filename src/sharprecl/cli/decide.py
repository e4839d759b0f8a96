"""``sharprecl decide``."""

from typing import Annotated, Any

import typer
from typer import Option

from sharprecl.cli.console import make_console, say, show_notes
from sharprecl.cli.options import (
    Calibrate,
    Coverage,
    Device,
    Encoding,
    Optimise,
    Precision,
    PriorHere,
    Separator,
    Sets,
    Sheet,
    TextAsTrained,
    TrainedRun,
)
from sharprecl.errors import ConfigError


def decide(
    run: TrainedRun,
    prior: PriorHere = None,
    calibrate: Calibrate = False,
    optimise: Optimise = None,
    coverage: Coverage = None,
    precision: Precision = None,
    sets: Sets = None,
    on: Annotated[
        str | None,
        Option(
            help="Labelled texts to learn it from, which the classifier has not learnt from.",
            show_default="what training held out",
        ),
    ] = None,
    reset: Annotated[bool, Option("--reset", help="Forget what was decided before.")] = False,
    text: TextAsTrained = None,
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="as in training")] = None,
    device: Device = "auto",
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
) -> None:
    """Turn scores into decisions, without training: probabilities, thresholds, "not sure", sets of classes.

    Learnt from texts that the classifier has not learnt from, and kept in its folder: predict, evaluate, serve and
    Python then answer so. What an option does not name stays as it was.
    """
    from sharprecl.cli.tables import Reading, judged_table
    from sharprecl.export.card import EXPORTS, read_card

    given: dict[str, Any] = {
        "prior": prior,
        "calibrate": calibrate or None,
        "optimise": optimise,
        "coverage": coverage,
        "precision": precision,
        "sets": sets,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    if not wanted and not reset:
        raise ConfigError("nothing to decide; see 'sharprecl decide --help' for what there is, such as --calibrate")
    for one, other in (("coverage", "precision"), ("precision", "coverage")):
        if one in wanted and other not in wanted:
            wanted[other] = None
    card = read_card(run)
    table = None
    if on is not None:
        reading = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=False)
        table = judged_table(
            on, text or card.text_column, label or card.label_column, reading, tuple(card.label_names), typer.echo
        )

    from sharprecl.classifier import TextClassifier
    from sharprecl.config import DecisionConfig

    console = make_console()
    classifier = TextClassifier.load(run, device=device)
    held_out = None
    if table is not None:
        show_notes(console, table.notes)
        held_out = classifier.held_out_of(table.texts, [table.label_names[row] for row in table.label_ids])
    classifier.decide(held_out=held_out, **((DecisionConfig().model_dump() if reset else {}) | wanted))
    classifier.save(run, text_column=card.text_column, label_column=card.label_column)
    show_notes(console, classifier.notes_)
    say(console, f"decided  {run}")
    for name in EXPORTS:
        if (run / name).exists():
            say(console, f"note: {run / name} still answers as before; export it again")
