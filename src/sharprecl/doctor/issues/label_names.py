"""Labels that differ by their spelling alone, and columns that do not look like classes."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from sharprecl.data.checks import identifier_fault
from sharprecl.data.messages import SHOWN, names_phrase
from sharprecl.doctor.issues.base import Data, Finding, Issue
from sharprecl.doctor.spellings import quoted_names, variants, visible

LONG_LABEL = 60
"""Characters that half of all label names must exceed to look like sentences."""
SHOWN_GROUPS = 5


@dataclass(frozen=True)
class Variant:
    """A label name, as it is, as ``spellings.visible`` shows it, and its training texts."""

    name: str
    shown: str
    texts: int


@dataclass(frozen=True)
class LabelNameReport:
    """Groups of names that differ by case, spaces or look-alike characters only."""

    variants: tuple[tuple[Variant, ...], ...]


class LabelNames(Issue):
    """The names of the classes, as they are written."""

    key = "label_names"
    figures: LabelNameReport

    @staticmethod
    def find(data: Data) -> LabelNameReport:
        groups = variants(data.train.table.label_names)
        return LabelNameReport(
            tuple(tuple(Variant(name, visible(name), data.counts[name]) for name in group) for group in groups)
        )

    def findings(self) -> Iterator[Finding]:
        table, column = self.data.train.table, self.data.label
        names, rows = table.label_names, len(table)
        if found := identifier_fault(len(names), rows, column, len(set(table.texts))):
            yield Finding("problem", "labels", *found)
        elif statistics.median(map(len, names)) > LONG_LABEL:
            sentence = f"half of the labels have over {LONG_LABEL} characters, such as {names_phrase(names[:1])}"
            yield Finding("warning", "labels", sentence, f"is {column!r} the column of classes?")
        if groups := self.figures.variants:
            shown = "; ".join(
                f"{quoted_names([one.name for one in group])} "
                f"({', '.join(f'{one.texts:,}' for one in group[:SHOWN])} texts)"
                for group in groups[:SHOWN_GROUPS]
            )
            more = f" and {len(groups) - SHOWN_GROUPS:,} more groups" if len(groups) > SHOWN_GROUPS else ""
            sentence = f"labels that differ by case, spaces or look-alike characters only: {shown}{more}"
            cure = f"give each class one spelling{self.data.by_fix('does it')}; training keeps them apart"
            yield Finding("warning", "labels", sentence, cure)
