"""What is legal and yet hints at a mistake in how the file was made: wrong columns, split labels, damaged texts."""

import re
import statistics
import unicodedata
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.messages import SHOWN, names_phrase, plural, rows_phrase
from sharprecl.data.tables import TextTable
from sharprecl.doctor.diagnosis import Finding, Severity
from sharprecl.doctor.findings import percent

Rows = NDArray[np.int64]

NEAR_UNIQUE = 0.5
"""From this share of different labels on, classes have two texts or fewer on average: hardly a column of classes."""
FEWEST_ROWS = 20
"""Fewer rows than this may well be the start of a file that shows each class once."""
LONG_LABEL = 60
"""Characters that half of all label names must exceed to look like sentences."""
MOSTLY = 0.9
"""A column of numbers or identifiers with a few exceptions is still no column of texts."""
DAMAGED = 0.01
"""From this share of texts on, damage may move accuracy by a point, which is what methods differ by."""
SHOWN_GROUPS = 5

_DIGIT = re.compile("[0-9]")
_TAGS = (
    "a|b|big|blockquote|br|center|code|div|dl|em|font|h[1-6]|hr|html|i|img|li|ol|p|pre|script|small|span|strong|style"
)
_MARKUP = re.compile(
    rf"</?(?:{_TAGS}|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]{{0,300}})?/?>"
    r"|&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,6}|#x[0-9a-f]{2,6});",
    re.IGNORECASE,
)
# UTF-8 read as cp1252 or Latin-1: a first byte that is common, then 0x80 to 0xBF as those two show them.
_BYTE = (
    "[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022"
    "\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
_MOJIBAKE = re.compile(
    f"[\u00c2\u00c3]{_BYTE}|\u00e2{_BYTE}{{2}}|\u00f0\u0178{_BYTE}{{2}}|(?:[\u00d0\u00d1]{_BYTE}){{2}}"
)
_LOST = re.compile("\ufffd")
# Capitals of Cyrillic and Greek that look like Latin ones; NFKC keeps them apart.
_TWINS = str.maketrans(
    "АВСЕНІЈКМОРЅТХУΑΒΕΗΙΚΜΝΟΡΤΧΥΖ".casefold(),  # noqa: RUF001
    "abcehijkmopstxyabehikmnoptxyz",
)


def label_anomalies(table: TextTable, column: str) -> list[Finding]:
    """Columns that do not look like classes, and labels that look alike.

    Args:
        table: usable training texts.
        column: the name of the column of labels.
    """
    names, size = table.label_names, len(table)
    found = []
    if size >= FEWEST_ROWS and len(names) >= NEAR_UNIQUE * size:
        swapped = "; are --text and --label swapped?" if len(set(table.texts)) < len(names) else ""
        sentence = f"{len(names):,} different labels in {size:,} rows: column {column!r} hardly holds classes"
        found.append(Finding("problem", "labels", sentence, f"name the column of classes with --label{swapped}"))
    elif statistics.median(map(len, names)) > LONG_LABEL:
        sentence = f"half of the labels have over {LONG_LABEL} characters, such as {names_phrase(names[:1])}"
        found.append(Finding("warning", "labels", sentence, f"is {column!r} the column of classes?"))
    groups = _alike(names)
    if groups:
        counts = dict(zip(names, table.class_counts.tolist(), strict=True))
        shown = "; ".join(
            f"{names_phrase(group)} ({', '.join(f'{counts[name]:,}' for name in group)} texts)"
            for group in groups[:SHOWN_GROUPS]
        )
        more = f" and {len(groups) - SHOWN_GROUPS:,} more groups" if len(groups) > SHOWN_GROUPS else ""
        sentence = f"labels that differ by case, spaces or look-alike characters only: {shown}{more}"
        found.append(Finding("warning", "labels", sentence, "give each class one spelling; training keeps them apart"))
    return found


def text_anomalies(table: TextTable, rows: Rows, column: str, prefix: str = "") -> list[Finding]:
    """Columns that do not look like texts, markup, and characters that were damaged on the way.

    Args:
        table: usable texts.
        rows: where they stand in the file, counted from 1.
        column: the name of the column of texts.
        prefix: starts each sentence.
    """
    texts = table.texts
    found = []
    codes = sum(text.isascii() and len(text.split(None, 1)) == 1 and bool(_DIGIT.search(text)) for text in texts)
    if codes >= MOSTLY * len(texts):
        sentence = f"{prefix}{codes:,} of {len(texts):,} texts are numbers, dates or identifiers"
        found.append(Finding("problem", "texts", sentence, f"is {column!r} the column of texts? name it with --text"))
    kinds = (
        (_MARKUP, "HTML", "strip the markup and turn entities into characters (Python: html.unescape)"),
        (
            _MOJIBAKE,
            "characters of UTF-8 that were read in another encoding",
            "write the file anew from its source as UTF-8, or read it with the right --encoding",
        ),
        (_LOST, "the replacement character, where letters were lost", "write the file anew from its source as UTF-8"),
    )
    for pattern, what, cure in kinds:
        hits = [place for place, text in enumerate(texts) if pattern.search(text)]
        if hits:
            found.append(
                _damage(texts, rows, hits, pattern, f"{prefix}{plural(len(hits), 'text', 'texts')}", what, cure)
            )
    return found


def _alike(names: Sequence[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        visible = "".join(
            letter for letter in unicodedata.normalize("NFKC", name) if unicodedata.category(letter) != "Cf"
        )
        groups["".join(visible.casefold().translate(_TWINS).split())].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _damage(
    texts: Sequence[str], rows: Rows, hits: Sequence[int], pattern: re.Pattern[str], count: str, what: str, cure: str
) -> Finding:
    share = len(hits) / len(texts)
    severity: Severity = "warning" if share >= DAMAGED else "note"
    match = pattern.search(texts[hits[0]])
    assert match is not None
    where = [int(rows[place]) for place in hits]
    shown = names_phrase([match.group()])
    verb = "holds" if len(hits) == 1 else "hold"
    sentence = f"{count} ({percent(share)}) {verb} {what}, such as {shown}: {rows_phrase([row - 1 for row in where])}"
    return Finding(severity, "texts", sentence, cure, tuple(where[:SHOWN]))
