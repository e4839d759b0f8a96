"""Classes that the test file cannot judge, or has in other shares than training."""

from collections.abc import Iterator

from sharprecl.data.messages import plural
from sharprecl.doctor.issues.base import Finding, Issue
from sharprecl.doctor.issues.display import percent
from sharprecl.doctor.spellings import quoted_names

FEW_TEST = 5
"""Below this many test texts, one answer moves the F1 of a class by 20 points and more."""
SHIFTED = 0.2
"""Total variation distance of the class shares of training and test from which on they are told to differ."""


class ClassCoverage(Issue):
    """How the classes of training are covered by the test file, if there is one."""

    def findings(self) -> Iterator[Finding]:
        if not self.data.test_counts:
            return
        counts = self.data.counts
        tests = {name: self.data.test_counts.get(name, 0) for name in counts}
        if none := [name for name, count in tests.items() if not count]:
            sentence = f"{plural(len(none), 'class has', 'classes have')} no test text: {quoted_names(none)}"
            cure = "add test texts; each such class counts 0 in macro-F1 or not at all"
            yield Finding("warning", "test", sentence, cure)
        if few := sum(0 < count < FEW_TEST for count in tests.values()):
            count = plural(few, "class has", "classes have")
            yield Finding("note", "test", f"{count} under {FEW_TEST} test texts: read their figures as rough")
        one, two = sum(counts.values()), sum(tests.values())
        shift = sum(abs(counts[name] / one - tests[name] / two) for name in tests) / 2
        if shift >= SHIFTED:
            change = f"{percent(shift)} of the texts would have to change class"
            cure = "tell training which shares its answers will meet: --prior FILE, with a share of every label"
            yield Finding("note", "test", f"training and test differ in their class shares: {change}", cure)
