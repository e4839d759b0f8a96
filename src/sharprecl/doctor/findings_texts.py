"""From figures about texts to sentences: repeats, leaks, what the encoder loses, labels that the texts contradict."""

from collections.abc import Sequence

from sharprecl.assets.catalogue import ENCODERS
from sharprecl.data.messages import SHOWN, names_phrase, plural, rows_phrase, shorten
from sharprecl.doctor.diagnosis import Duplicates, Finding, LabelErrors, Severity, TextFacts
from sharprecl.doctor.findings import percent
from sharprecl.doctor.recommend import main_script

POINT = 0.01
"""One percent of the texts is a point of accuracy: what the methods of this field differ by."""
CUT = 0.05
"""One text in twenty: below, cutting the longest texts off saves time at hardly any cost."""
FOREIGN = 0.05
"""One text in twenty in another script is no exception any more."""
NOISE = 0.03
"""Published benchmarks have about 3 % wrong test labels (Northcutt et al., NeurIPS 2021): more is a reason to look."""
TOLD = 0.995
"""Above this, the words give the class away."""
SHOWN_CLASSES = 5
SHOWN_SCRIPTS = 3
EXAMPLE = 60


def of_duplicates(found: Duplicates, rows: int, test_rows: int) -> list[Finding]:
    """Contradictions, leaks and repeats; ``rows`` and ``test_rows`` are the usable ones."""
    said = []
    if found.conflicts:
        clashes = [group for group in found.groups if len(group.labels) > 1]
        shown = [row for group in clashes for row in group.rows]
        sentence = f"{plural(found.conflicts, 'text has', 'texts have')} more than one label"
        if clashes:
            sentence += f", such as {shorten(clashes[0].text, EXAMPLE)} ({names_phrase(clashes[0].labels)})"
        cure = "decide for one label each, or allow for it: no model can be right about all of them"
        severity: Severity = "problem" if found.conflicts >= POINT * rows else "warning"
        said.append(Finding(severity, "duplicates", sentence, cure, tuple(shown[:SHOWN])))
    leaks = found.leaks + found.near_leaks
    if leaks:
        near = f" and {found.near_leaks:,} nearly" if found.near_leaks else ""
        verb = "stands" if found.leaks == 1 else "stand"
        share = percent(leaks / test_rows)
        sentence = f"{found.leaks:,} of {test_rows:,} test texts {verb} in training{near} ({share})"
        cure = "judge without the equal ones (sharprecl train --drop-leaks); figures are too good by up to that share"
        if found.leaks == test_rows:
            sentence = f"the test file: this is the training file, or a part of it: {sentence}"
            cure = "give texts with --test that training does not have, or leave it out"
        leaked = [row for group in found.groups if group.test_rows and group.rows for row in group.test_rows]
        severity = "problem" if found.leaks >= POINT * test_rows else "warning"
        said.append(Finding(severity, "duplicates", sentence, cure, tuple(leaked[:SHOWN])))
    for what, exact, near_rows, total in (
        ("training", found.exact_train, found.near_train, rows),
        ("test", found.exact_test, found.near_test, test_rows),
    ):
        if exact + near_rows:
            share = percent((exact + near_rows) / total)
            near = f", {near_rows:,} more nearly so" if exact and near_rows else ""
            nearly = "" if exact else "nearly "
            count = plural(exact or near_rows, f"{what} text {nearly}repeats", f"{what} texts {nearly}repeat")
            sentence = f"{count} an earlier one{near} ({share})"
            severity = "warning" if exact + near_rows >= POINT * total else "note"
            said.append(
                Finding(severity, "duplicates", sentence, "keep one of each unless they are meant to count more")
            )
    return said


def of_texts(found: TextFacts) -> list[Finding]:
    """What the encoder cannot read, or only in part."""
    said = []
    if found.empty_count:
        count = f"{found.empty_count:,} of {plural(found.examined, 'text', 'texts')}"
        verb = "is" if found.empty_count == 1 else "are"
        sentence = f"{count} {verb} nothing but unknown tokens to the encoder: {_rows(found.empty, found.empty_count)}"
        cure = "delete them, or choose an encoder that knows their script"
        said.append(Finding("warning", "texts", sentence, cure, found.empty[:SHOWN]))
    cut = [(share, whose) for share, whose in ((found.truncated, "training"), (found.truncated_test, "test")) if share]
    if cut:
        severity: Severity = "warning" if max(cut)[0] >= CUT else "note"
        shares = " and ".join(f"{percent(share)} of the {whose} texts" for share, whose in cut)
        sentence = f"{shares} have over {found.max_length:,} tokens and are cut there"
        said.append(Finding(severity, "texts", sentence, "raise --max-length, or put first what matters"))
    main = main_script(found)
    if main and main != "LATIN" and found.encoder in ENCODERS:
        sentence = f"most texts are in {main.title()} script, and the encoder {found.encoder} was trained on English"
        said.append(Finding("warning", "texts", sentence, "choose a multilingual encoder with --encoder"))
    if found.foreign_count:
        others = {name: share for name, share in found.scripts.items() if name != main}
        shown = ", ".join(f"{name.title()} {percent(share)}" for name, share in list(others.items())[:SHOWN_SCRIPTS])
        count = plural(found.foreign_count, "text is", "texts are")
        sentence = f"{count} not in {main.title()} script ({shown}): {_rows(found.foreign, found.foreign_count)}"
        severity = "warning" if sum(others.values()) >= FOREIGN else "note"
        cure = "choose a multilingual encoder, or leave them to a model of their own"
        said.append(Finding(severity, "texts", sentence, cure, found.foreign[:SHOWN]))
    return said


def of_label_errors(found: LabelErrors | None) -> list[Finding]:
    """Labels that the words contradict, and what the words alone reach."""
    if found is None:
        why = "fewer than two classes have two different texts, or no text holds a word"
        return [Finding("note", "label errors", f"labels were not examined, and there is no floor: {why}")]
    floor = f"words alone (TF-IDF with logistic regression) reach macro-F1 {percent(found.macro_f1)}"
    if found.guesses:
        cure = "is the right column named as the label? no encoder will do much better"
        return [Finding("warning", "floor", f"{floor}, hardly more than guessing", cure)]
    said = []
    if found.estimated:
        share = found.estimated / found.examined
        most = list(found.by_class.items())[:SHOWN_CLASSES]
        worst = ", ".join(f"{shorten(name)} ({count:,})" for name, count in most)
        count = plural(found.estimated, "label looks", "labels look")
        sentence = f"{count} wrong ({percent(share)} of {found.examined:,} examined), most in: {worst}"
        cure = "read the list, worst first: a person decides, not this model"
        rows = tuple(suspect.row for suspect in found.suspects[:SHOWN])
        said.append(Finding("warning" if share >= NOISE else "note", "label errors", sentence, cure, rows))
    if found.rare:
        rare = tuple(suspect.row for suspect in found.suspects if suspect.rare)
        count = plural(found.rare, "text of a rare class looks", "texts of rare classes look")
        sentence = f"{count} like another class: rare or mislabelled?"
        cure = "read each: of a rare class every single label counts"
        said.append(Finding("note", "label errors", sentence, cure, rare[:SHOWN]))
    if found.macro_f1 >= TOLD:
        cure = "does the text contain its label?"
        told = Finding("note", "floor", f"{floor}: no encoder is needed, or the label stands in the text", cure)
    else:
        test = found.test_macro_f1
        where = "" if test is None else f" out of fold, {percent(test)} on the test file"
        told = Finding("note", "floor", f"{floor}{where}: what a trained encoder must beat")
    return [*said, told]


def _rows(rows: Sequence[int], count: int) -> str:
    """``rows_phrase`` of rows counted from 1, of which only the first may be known."""
    phrase = rows_phrase([row - 1 for row in rows[:SHOWN]])
    return f"{phrase} and {count - SHOWN:,} more" if count > SHOWN else phrase
