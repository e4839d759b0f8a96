"""Rows that cannot be used as they are: what ``read_table`` refuses, stray headers, and texts without end."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sharprecl.data.checks import blank_rows, broken_rows, other_rows
from sharprecl.data.messages import SHOWN, closest, names_phrase, rows_phrase, shorten
from sharprecl.doctor.issues.base import Finding, Issue, Severity
from sharprecl.doctor.spellings import quoted_names

_SINGLE = str | int | float
_REFUSED = "'sharprecl train' refuses the file until then"
BY_FIX = " (sharprecl doctor --fix does it)"
"""After the cure of labels of several types, whose rows are usable."""


@dataclass(frozen=True)
class Fault:
    """Rows (from 0) with one kind of fault, as words for one row and for several.

    ``aside`` says that they cannot be examined, ``refused`` that training refuses the file for them.
    """

    rows: Sequence[int]
    one: str
    many: str
    cure: str
    aside: bool = True
    refused: bool = True

    def finding(self, lines: Sequence[int] | None, prefix: str) -> Finding:
        """The sentence; ``lines`` as in ``RawTable``."""
        count = f"{len(self.rows):,} rows {self.many}" if len(self.rows) > 1 else f"1 row {self.one}"
        sentence = f"{prefix}{count}: {rows_phrase(self.rows, lines)}"
        severity: Severity = "problem" if self.refused else "warning"
        return Finding(severity, "rows", sentence, self.cure, tuple(row + 1 for row in self.rows[:SHOWN]))


def faults(
    texts: Sequence[Any], labels: Sequence[Any], text: str, label: str, known: Sequence[str] | None
) -> Iterator[Fault]:
    """Every kind of fault, also those that no row has.

    ``texts`` and ``labels`` are plain values of the columns of these names; ``known`` are the label names of training
    where this is a test file.
    """
    where, named = f"in column {text!r}", f"in column {label!r}"
    out = " (sharprecl doctor --fix takes such rows out)" if known is None else ""
    yield Fault(
        [row for row, value in enumerate(texts) if value == text and labels[row] == label],
        "repeats the header",
        "repeat the header",
        f"delete{out}; such rows come from joining files and would be a class of their own",
    )
    text_cure, label_cure = "put texts in quotes, or name the right column with --text", "write one string or number"
    for what, values, column, kinds, one, many, cure in (
        ("text", texts, where, str, "not a text", "not texts", text_cure),
        ("label", labels, named, _SINGLE, "which names no single class", "which name no single class", label_cure),
    ):
        fill = "fill in; until then they are set aside and listed; --strict refuses them"
        yield Fault(blank_rows(values), f"has no {what} {column}", f"have no {what} {column}", fill, refused=False)
        other = other_rows(values, kinds)
        shown = f"{shorten(values[other[0]]) if other else ''} {column}"
        yield Fault(other, f"holds {shown}, {one}", f"hold values such as {shown}, {many}", f"{cure}{out}; {_REFUSED}")
    for column, values in ((where, texts), (named, labels)):
        half = f"half a character (a lone surrogate such as \\ud83d) {column}"
        cure = f"write the file anew from its source{out}; {_REFUSED}"
        yield Fault(broken_rows(values), f"has {half}", f"have {half}", cure)
    yield _two_spellings(labels, named) if known is None else _unknown(labels, known)


def _two_spellings(labels: Sequence[Any], named: str) -> Fault:
    """The number 1 beside the string '1' (one name for two values), and 1 beside 1.0 (two names for one)."""
    every = {(type(value), value) for value in labels if isinstance(value, _SINGLE)}
    alike: dict[tuple[str, Any], set[tuple[type, Any]]] = defaultdict(set)
    for kind, value in every if len({kind for kind, _ in every}) > 1 else ():
        alike["name", str(value)].add((kind, value))
        alike["value", value].add((kind, value))
    clash = set().union(*(some for some in alike.values() if len(some) > 1))
    rows = [row for row, value in enumerate(labels) if isinstance(value, _SINGLE) and (type(value), value) in clash]
    shown = names_phrase(sorted((value for _, value in clash), key=lambda value: (str(value), repr(value))))
    words = f"labels {named} that may or may not mean the same class: {shown}"
    return Fault(rows, f"has {words}", f"have {words}", f"write all labels as strings{BY_FIX}; {_REFUSED}", aside=False)


def _unknown(labels: Sequence[Any], known: Sequence[str]) -> Fault:
    names = set(known)
    single = [row for row, value in enumerate(labels) if isinstance(value, _SINGLE)]
    blank = set(blank_rows(labels))
    rows = [row for row in single if row not in blank and str(labels[row]) not in names]
    strange = sorted({str(labels[row]) for row in rows})
    words = f"that training does not have ({quoted_names(strange)}{closest(strange[0], known) if strange else ''})"
    cure = "correct the labels, or add training texts of these classes; no model can be right about them"
    return Fault(rows, f"has a label {words}", f"have labels {words}", cure)


def too_long(rows: Sequence[int], most: int, kept: int, lines: Sequence[int] | None, prefix: str) -> Finding:
    """Texts of up to ``most`` characters, of which the first ``kept`` are examined."""
    return Finding(
        "warning",
        "rows",
        f"{prefix}texts of up to {most:,} characters, examined by their first {kept:,}: {rows_phrase(rows, lines)}",
        "look at them: has a missing quote or line end run several texts together?",
        tuple(row + 1 for row in rows[:SHOWN]),
    )


class UnusableRows(Issue):
    """What was found when the training file was read: rows that were set aside, cut or passed over."""

    def findings(self) -> tuple[Finding, ...]:
        return self.data.train.findings


class UnusableTestRows(Issue):
    """The same of the test file."""

    def findings(self) -> tuple[Finding, ...]:
        if self.data.test is None:
            return ()
        sentence = "test file: no row can be used, so it was left out"
        none = Finding("problem", "test", sentence, "see what is wrong with its rows")
        return self.data.test.findings + (() if self.data.tested else (none,))
