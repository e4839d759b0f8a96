"""What makes a row unusable, one kind of fault after the other: what ``read_table`` refuses, and stray headers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sharprecl.data.checks import is_unicode
from sharprecl.data.messages import SHOWN, closest, names_phrase, rows_phrase, shorten
from sharprecl.doctor.diagnosis import Finding

_SINGLE = str | int | float
_REFUSED = "'sharprecl train' refuses the file until then"


@dataclass(frozen=True)
class Fault:
    """Rows (from 0) with one kind of fault, as words for one row and for several.

    ``aside`` says that they cannot be examined.
    """

    rows: Sequence[int]
    one: str
    many: str
    cure: str
    aside: bool = True

    def finding(self, lines: Sequence[int] | None, prefix: str) -> Finding:
        """The sentence; ``lines`` as in ``Sheet``."""
        count = f"{len(self.rows):,} rows {self.many}" if len(self.rows) > 1 else f"1 row {self.one}"
        sentence = f"{prefix}{count}: {rows_phrase(self.rows, lines)}"
        return Finding("problem", "rows", sentence, self.cure, tuple(row + 1 for row in self.rows[:SHOWN]))


def faults(
    texts: Sequence[Any], labels: Sequence[Any], text: str, label: str, known: Sequence[str] | None
) -> Iterator[Fault]:
    """Every kind of fault, also those that no row has.

    Args:
        texts: plain values of the column ``text``.
        labels: plain values of the column ``label``.
        text: the column's name.
        label: the column's name.
        known: the label names of training where this is a test file.
    """
    where, named = f"in column {text!r}", f"in column {label!r}"
    delete = f"fill in or delete; {_REFUSED}"
    yield Fault(
        [row for row, value in enumerate(texts) if value == text and labels[row] == label],
        "repeats the header",
        "repeat the header",
        "delete; such rows come from joining files and would be a class of their own",
    )
    yield Fault(_blank(texts), f"has no text {where}", f"have no text {where}", delete)
    other = [row for row, value in enumerate(texts) if value is not None and not isinstance(value, str)]
    shown = shorten(texts[other[0]]) if other else ""
    yield Fault(
        other,
        f"holds {shown} {where}, not a text",
        f"hold values such as {shown} {where}, not texts",
        f"put texts in quotes, or name the right column with --text; {_REFUSED}",
    )
    yield Fault(_blank(labels), f"has no label {named}", f"have no label {named}", delete)
    other = [row for row, value in enumerate(labels) if value is not None and not isinstance(value, _SINGLE)]
    shown = shorten(labels[other[0]]) if other else ""
    yield Fault(
        other,
        f"holds {shown} {named}, which names no single class",
        f"hold values such as {shown} {named}, which name no single class",
        f"write one string or number; {_REFUSED}",
    )
    for column, values in ((where, texts), (named, labels)):
        broken = [row for row, value in enumerate(values) if type(value) is str and not is_unicode(value)]
        half = f"half a character (a lone surrogate such as \\ud83d) {column}"
        yield Fault(broken, f"has {half}", f"have {half}", f"write the file anew from its source; {_REFUSED}")
    yield _two_spellings(labels, named) if known is None else _unknown(labels, known)


def _blank(values: Sequence[Any]) -> list[int]:
    return [row for row, value in enumerate(values) if value is None or (type(value) is str and not value.strip())]


def _two_spellings(labels: Sequence[Any], named: str) -> Fault:
    """The number 1 beside the string '1' (one name for two values), and 1 beside 1.0 (two names for one)."""
    every = {(type(value), value) for value in labels if isinstance(value, _SINGLE)}
    kinds: dict[tuple[str, Any], set[type]] = defaultdict(set)
    if len({kind for kind, _ in every}) > 1:
        for kind, value in every:
            kinds["name", str(value)].add(kind)
            kinds["value", value].add(kind)
    clash = [(kind, value) for kind, value in every if max(len(kinds[k]) for k in _keys(value)) > 1] if kinds else []
    values = {value for _, value in clash}
    rows = [row for row, value in enumerate(labels) if isinstance(value, _SINGLE) and value in values]
    shown = names_phrase(sorted((value for _, value in clash), key=lambda value: (str(value), repr(value))))
    words = f"labels {named} that may or may not mean the same class: {shown}"
    return Fault(rows, f"has {words}", f"have {words}", f"write all labels as strings; {_REFUSED}", aside=False)


def _keys(value: Any) -> tuple[tuple[str, Any], ...]:
    return ("name", str(value)), ("value", value)


def _unknown(labels: Sequence[Any], known: Sequence[str]) -> Fault:
    names = set(known)
    blank = set(_blank(labels))
    single = [row for row, value in enumerate(labels) if row not in blank and isinstance(value, _SINGLE)]
    rows = [row for row in single if str(labels[row]) not in names]
    strange = sorted({str(labels[row]) for row in rows})
    words = f"that training does not have ({names_phrase(strange)}{closest(strange[0], known) if strange else ''})"
    cure = "correct the labels, or add training texts of these classes; no model can be right about them"
    return Fault(rows, f"has a label {words}", f"have labels {words}", cure)
