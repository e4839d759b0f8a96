"""What the figures say, in plain words: what is good, what is bad, what nobody can know from this test."""

from typing import Literal, NamedTuple

from sharprecl.data.messages import plural
from sharprecl.evaluation.bands import BANDS, band_masks
from sharprecl.evaluation.differences import Difference, difference_sentence
from sharprecl.evaluation.judge import ClassRow, Evaluation
from sharprecl.report.data import ReportData

FEW_TEXTS = 5
NAMED = 8


class Finding(NamedTuple):
    """One sentence, and whether it is good news, bad news or a caution."""

    kind: Literal["good", "bad", "note"]
    text: str


def findings(data: ReportData) -> list[Finding]:
    """Sentences for the top of the report, most important first."""
    model = data.model
    # A class without test texts has an F1 of 0 that says nothing of it.
    tested = [row for row in model.classes if row.test_count]
    found = [_against(name, other, data.leads[name]) for name, other in data.references.items()]
    found += [Finding("note", note) for note in data.notes]
    found += [_lost_classes(tested), *_bands(tested)]
    if few := sum(row.test_count < FEW_TEXTS for row in tested):
        classes = f"{few:,} of {len(model.classes):,} classes"
        found.append(
            Finding("note", f"Fewer than {FEW_TEXTS} test texts each for {classes}: read those rows as rough.")
        )
    biggest = max(model.classes, key=lambda row: row.test_count)
    share = biggest.test_count / model.n_texts
    text = (
        f"Always answering {biggest.name!r} would reach an accuracy of {percent(share)}; "
        f"the model reaches {percent(model.accuracy)}."
    )
    return [*found, Finding("good" if model.accuracy > share else "bad", text)]


def percent(share: float) -> str:
    """``0.8412`` as ``84.1 %``."""
    return f"{100 * share:.1f} %"


def _against(name: str, other: Evaluation, lead: Difference) -> Finding:
    low, high = lead.interval
    return Finding("good" if low > 0 else "bad" if high < 0 else "note", difference_sentence(name, other, lead))


def _lost_classes(tested: list[ClassRow]) -> Finding:
    lost = sorted((row for row in tested if row.f1 == 0), key=lambda row: (-row.test_count, row.name))
    if not lost:
        return Finding("good", f"Every one of the {len(tested)} tested classes is found at least once.")
    names = ", ".join(
        f"{row.name} ({plural(row.train_count, 'training text', 'training texts')}, {row.test_count:,} in test)"
        for row in lost[:NAMED]
    )
    more = f" and {len(lost) - NAMED} more" if len(lost) > NAMED else ""
    verb = "is" if len(lost) == 1 else "are"
    return Finding("bad", f"{len(lost)} of {len(tested)} tested classes {verb} never found (F1 0): {names}{more}.")


def _bands(tested: list[ClassRow]) -> list[Finding]:
    masks = band_masks([row.train_count for row in tested])
    scores = {name: [row.f1 for row, inside in zip(tested, masks[name], strict=True) if inside] for name in BANDS}
    known = [(name, sum(values) / len(values)) for name, values in scores.items() if values]
    if len(known) < 2:
        return []
    (common, high), (rare, low) = known[0], known[-1]
    gap = 100 * (high - low)
    if gap < -5:
        return [Finding("note", f"The {rare} classes fare better than the {common} ones, by {-gap:.1f} points of F1.")]
    if gap < 5:
        text = f"The {rare} classes fare about as well as the {common} ones ({gap:+.1f} points of F1)."
        return [Finding("good", text)]
    return [Finding("bad", f"The {rare} classes pay: their F1 is {gap:.1f} points below that of the {common} classes.")]
