"""Labels that differ by their spelling alone, and columns that do not look like classes."""

import statistics
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from sharprecl.data.checks import identifier_fault
from sharprecl.data.messages import names_phrase
from sharprecl.doctor.issues.base import Finding, Issue

LONG_LABEL = 60
"""Characters that half of all label names must exceed to look like sentences."""
SHOWN_GROUPS = 5

# Capitals of Cyrillic and Greek that look like Latin ones; NFKC keeps them apart.
_TWINS = str.maketrans(
    "АВСЕНІЈКМОРЅТХУΑΒΕΗΙΚΜΝΟΡΤΧΥΖ".casefold(),  # noqa: RUF001
    "abcehijkmopstxyabehikmnoptxyz",
)


class LabelNames(Issue):
    """The names of the classes, as they are written."""

    def variants(self) -> list[list[str]]:
        """Groups of names that differ by case, spaces or look-alike characters only."""
        groups: dict[str, list[str]] = defaultdict(list)
        for name in self.data.train.table.label_names:
            groups[_look(name)].append(name)
        return [group for group in groups.values() if len(group) > 1]

    def findings(self) -> Iterator[Finding]:
        table, column = self.data.train.table, self.data.label
        names, rows = table.label_names, len(table)
        if found := identifier_fault(len(names), rows, column, len(set(table.texts))):
            yield Finding("problem", "labels", *found)
        elif statistics.median(map(len, names)) > LONG_LABEL:
            sentence = f"half of the labels have over {LONG_LABEL} characters, such as {names_phrase(names[:1])}"
            yield Finding("warning", "labels", sentence, f"is {column!r} the column of classes?")
        if groups := self.variants():
            shown = "; ".join(
                f"{names_phrase(group)} ({', '.join(f'{self.data.counts[name]:,}' for name in group)} texts)"
                for group in groups[:SHOWN_GROUPS]
            )
            more = f" and {len(groups) - SHOWN_GROUPS:,} more groups" if len(groups) > SHOWN_GROUPS else ""
            sentence = f"labels that differ by case, spaces or look-alike characters only: {shown}{more}"
            yield Finding("warning", "labels", sentence, "give each class one spelling; training keeps them apart")


def _look(name: str) -> str:
    """Equal for names that look alike."""
    visible = "".join(letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf")
    return "".join(visible.casefold().translate(_TWINS).split())
