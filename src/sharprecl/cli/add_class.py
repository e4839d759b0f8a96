"""``sharprecl add-class``."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from sharprecl.cli.console import make_console, say, show_files, show_notes
from sharprecl.cli.options import Device, Encoding, Separator, Sheet, Strict, TextAsTrained, TrainedRun
from sharprecl.cli.outputs import check_folder, on_disk
from sharprecl.data.messages import plural, shorten
from sharprecl.errors import ConfigError
from sharprecl.files import write_json

if TYPE_CHECKING:
    from rich.console import Console

    from sharprecl.adaptation.add_class import Addition

FILE = "added.json"
_SHOWN = 10

_FORGOTTEN = (
    "note: the bar of abstention and the sets were learnt without the new class and are dropped; learn them anew with "
    "'sharprecl decide --on FILE'"
)


def add_class(
    run: TrainedRun,
    data: Annotated[
        Path, Argument(help="Labelled texts of new classes; texts of known ones among them show what these lose.")
    ],
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Folder for the new classifier.", show_default="RUN-grown", callback=on_disk),
    ] = None,
    on: Annotated[
        str | None, Option(help="More labelled texts to judge on, which the classifier has not learnt from.")
    ] = None,
    replay: Annotated[
        str | None,
        Option(help="Texts of the known classes, such as the training file.", show_default="what the run remembers"),
    ] = None,
    text: TextAsTrained = None,
    label: Annotated[str | None, Option(help="Column with the labels.", show_default="as in training")] = None,
    device: Device = "auto",
    encoding: Encoding = None,
    separator: Separator = None,
    sheet: Sheet = None,
    strict: Strict = False,
) -> None:
    """Add a class from a handful of texts, without training, and tell what the others lose. RUN stays as it is."""
    from sharprecl.adaptation.new_texts import read_new
    from sharprecl.cli.tables import Reading, judged_table
    from sharprecl.data.dialect import Dialect
    from sharprecl.data.fingerprints import SEEN, add_fingerprints
    from sharprecl.export.card import read_card
    from sharprecl.runs.folder import CONFIG

    card, folder = read_card(run), output or run.with_name(f"{run.resolve().name}-grown")
    check_folder(folder, "--output")
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is there already and is not replaced; name another --output, or delete it")
    columns = text or card.text_column, label or card.label_column
    given = Reading(encoding=encoding, separator=separator, sheet=sheet, strict=strict)
    found = read_new(data, *columns, Dialect(encoding, separator, sheet), card.label_names, strict=strict)
    every = (*card.label_names, *found.names)
    judged = [found.known, *([judged_table(on, *columns, given, every, typer.echo)] if on else [])]
    old = judged_table(replay, *columns, given, card.label_names, typer.echo) if replay else None

    from sharprecl.adaptation.add_class import Scored, add_classes
    from sharprecl.adaptation.growing import check_growing, grown_reference
    from sharprecl.classifier import TextClassifier
    from sharprecl.runs.reference import FILE as REFERENCE
    from sharprecl.runs.reference import Reference

    reference = Reference.load(run / REFERENCE)
    if old is None and reference is None:
        raise ConfigError(
            f"{run} remembers no texts of its classes (no {REFERENCE}: was it saved from Python, or by an older "
            f"version?), so the new one cannot be placed among them; give some with --replay, such as the training file"
        )
    console = make_console()
    show_notes(console, [*found.notes, *(note for table in judged for note in table.notes)])
    classifier = TextClassifier.load(run, device=device)
    check_growing(classifier)
    scored = Scored.of(classifier, judged[0])
    for table in judged[1:]:
        scored = scored + Scored.of(classifier, table)
    if reference is not None:
        known = Scored.remembered(classifier, reference)
        scored = scored + known if reference.held_out else scored
    given_old = known if old is None else Scored.of(classifier, old)
    added = add_classes(classifier, found.names, Scored.of(classifier, found.new), given_old, scored)
    added.classifier.save(folder, text_column=columns[0], label_column=columns[1])
    if reference is not None:
        grown_reference(reference, classifier, added.classifier, found.new).save(folder / REFERENCE)
    if (run / CONFIG).exists():
        shutil.copyfile(run / CONFIG, folder / CONFIG)
    if (run / SEEN).exists():
        shutil.copyfile(run / SEEN, folder / SEEN)
        add_fingerprints(folder / SEEN, found.new)
    write_json(folder / FILE, added.to_dict())
    _show(console, added)
    if not classifier.policy_.is_neutral:
        say(console, _FORGOTTEN)
    show_files(console, folder)
    say(console, f"figures  {folder / FILE}")


def _show(console: "Console", added: "Addition") -> None:
    """Recall of the new classes and of the old ones, those that lose most first."""
    from rich.table import Table
    from rich.text import Text

    for new in added.new:
        alone = "a single text, so nothing tells whether others would be found"
        if new.texts > 1:
            alone = f"{new.found_left_out} of them are found by a row that is made of the others"
        more = f"; {new.judged_found} of {new.judged_texts} other texts are found" if new.judged_texts else ""
        say(console, f"{shorten(new.name)}: {plural(new.texts, 'text', 'texts')}, {alone}{more}")
    if not added.old:
        say(console, "no text of a known class was given, so what these lose is not known; give some with --on FILE")
        return
    table = Table("Class", box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for title in ("Texts", "Recall before", "after", "given to new"):
        table.add_column(title, justify="right")
    changed = sorted((row for row in added.old if row.given_to_new), key=lambda row: -row.given_to_new / row.texts)
    for row in changed[:_SHOWN]:
        shares = (f"{100 * found / row.texts:.1f}" for found in (row.found_before, row.found_after))
        table.add_row(Text(row.name), str(row.texts), *shares, str(row.given_to_new))
    if changed:
        console.print(table)
    if len(changed) > _SHOWN:
        say(console, f"and {len(changed) - _SHOWN} more classes in {FILE}")
    before, after = (f"{100 * share:.1f}" for share in added.recall)
    given, texts = sum(row.given_to_new for row in added.old), sum(row.texts for row in added.old)
    say(
        console,
        f"mean recall of {plural(len(added.old), 'known class', 'known classes')}: {before} before, {after} after; "
        f"{given} of {plural(texts, 'text', 'texts')} now called new",
    )
