"""From figures about labels to sentences: what is a problem, what a warning, what only worth knowing, and the cure."""

from collections.abc import Mapping, Sequence

from sharprecl.config.choice import EVEN_UP_TO
from sharprecl.data.messages import names_phrase, plural, shorten
from sharprecl.doctor.diagnosis import BatchOutlook, Distribution, Finding, Severity

ORDER: tuple[Severity, ...] = ("problem", "warning", "note")

SKEWED = 10.0
"""From this imbalance ratio on, a class that is never answered costs little accuracy, and so goes unseen."""
FEW_TEST = 5
"""Below this many test texts, one answer moves the F1 of a class by 20 points and more."""
SHIFTED = 0.2
"""Total variation distance of the class shares of training and test from which on they are told to differ."""
LOST = 0.5
"""A class whose texts meet no other of their class in more batches than not learns little from contrast."""


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Problems first, then warnings, then notes, each kind as given."""
    return tuple(finding for severity in ORDER for finding in findings if finding.severity == severity)


def percent(share: float) -> str:
    """``0.0312`` as ``3.1 %``; a share above 0 never reads 0."""
    return "under 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def of_distribution(found: Distribution) -> list[Finding]:
    """Skew, rare classes, and what the test file cannot judge."""
    classes = len(found.counts)
    names = list(found.counts)
    ratio = found.imbalance_ratio
    largest, smallest = shorten(names[0]), shorten(names[-1])
    skew = f"the largest class ({largest}) has {ratio:,.1f} times the texts of the smallest ({smallest})"
    said = []
    if ratio >= SKEWED:
        cure = "judge by macro-F1, not by accuracy, and choose a method that rebalances"
        said.append(Finding("warning", "labels", skew, cure))
    else:
        even = "the classes are even: " if ratio <= EVEN_UP_TO else ""
        said.append(Finding("note", "labels", even + skew))
    if found.single:
        rare = [name for name in names if found.counts[name] == 1]
        sentence = f"{plural(found.single, 'class has', 'classes have')} a single text: {names_phrase(rare)}"
        cure = "find more texts or merge them; nothing but a test file can judge such a class"
        said.append(Finding("warning", "labels", sentence, cure))
    if few := found.under_ten - found.single:
        further = "further " if found.single else ""
        count = plural(few, f"{further}class has", f"{further}classes have")
        cure = "find more texts, or make some (sharprecl augment --balance)"
        said.append(Finding("warning", "labels", f"{count} under 10 texts (of {classes:,})", cure))
    return said + (_of_test(found) if found.test_counts else [])


def _of_test(found: Distribution) -> list[Finding]:
    said = []
    tests = {name: found.test_counts.get(name, 0) for name in found.counts}
    if none := [name for name, count in tests.items() if not count]:
        sentence = f"{plural(len(none), 'class has', 'classes have')} no test text: {names_phrase(none)}"
        cure = "add test texts; each such class counts 0 in macro-F1 or not at all"
        said.append(Finding("warning", "test", sentence, cure))
    if few := sum(0 < count < FEW_TEST for count in tests.values()):
        sentence = (
            f"{plural(few, 'class has', 'classes have')} under {FEW_TEST} test texts: read their figures as rough"
        )
        said.append(Finding("note", "test", sentence))
    shift = _distance(found.counts, tests)
    if shift >= SHIFTED:
        sentence = (
            f"training and test differ in their class shares: {percent(shift)} of the texts would have to change class"
        )
        cure = "train on shares as you will meet them, or compensate the prior (balanced_softmax, logit_adjustment)"
        said.append(Finding("note", "test", sentence, cure))
    return said


def _distance(first: Mapping[str, int], second: Mapping[str, int]) -> float:
    """Total variation distance of two distributions over the same names."""
    one, two = sum(first.values()), sum(second.values())
    return sum(abs(first[name] / one - second[name] / two) for name in first) / 2


def of_batches(found: BatchOutlook) -> list[Finding]:
    """How many classes a batch cannot teach by contrast."""
    lost = [name for name, chance in found.alone.items() if chance > LOST]
    if not lost:
        return []
    severity: Severity = "warning" if 2 * len(lost) >= len(found.alone) else "note"
    sentence = (
        f"in batches of {found.batch_size}, a text of {len(lost):,} of {len(found.alone):,} classes mostly meets no "
        f"other of its class, and a batch holds {found.expected_classes:.1f} classes on average"
    )
    cure = "for contrast, take a method with prototypes in every batch (sharprecl, bcl), or larger batches"
    return [Finding(severity, "batches", sentence, cure)]
