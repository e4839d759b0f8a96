"""Texts that are none, markup, and characters that were damaged on the way."""

import re
from collections.abc import Iterator

from sharprecl.data.messages import SHOWN, names_phrase, plural, rows_phrase
from sharprecl.doctor.issues.base import POINT, Finding, Issue, LoadedTable
from sharprecl.doctor.issues.display import percent

MOSTLY = 0.9
"""A column of numbers or identifiers with a few exceptions is still no column of texts."""

_DIGIT = re.compile("[0-9]")
_TAGS = (
    "a|b|big|blockquote|br|center|code|div|dl|em|font|h[1-6]|hr|html|i|img|li|ol|p|pre|script|small|span|strong|style"
)
# UTF-8 read as cp1252 or Latin-1: a first byte that is common, then 0x80 to 0xBF as those two show them.
_BYTE = (
    "[\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022"
    "\u2026\u2030\u2039\u203a\u20ac\u2122]"
)


_KINDS = (
    (
        re.compile(
            rf"</?(?:{_TAGS}|sub|sup|table|tbody|td|th|tr|tt|u|ul)(?:\s[^<>]{{0,300}})?/?>"
            r"|&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,6}|#x[0-9a-f]{2,6});",
            re.IGNORECASE,
        ),
        "HTML",
        "strip the markup and turn entities into characters (Python: html.unescape)",
    ),
    (
        re.compile(f"[\u00c2\u00c3]{_BYTE}|\u00e2{_BYTE}{{2}}|\u00f0\u0178{_BYTE}{{2}}|(?:[\u00d0\u00d1]{_BYTE}){{2}}"),
        "characters of UTF-8 that were read in another encoding",
        "write the file anew from its source as UTF-8",
    ),
    (
        re.compile("\ufffd"),
        "the replacement character, where letters were lost",
        "write the file anew from its source as UTF-8",
    ),
)


class DamagedTexts(Issue):
    """Damage in the training texts."""

    def findings(self) -> Iterator[Finding]:
        return _damage(self.data.train, self.data.text)


class DamagedTestTexts(Issue):
    """Damage in the test texts."""

    def findings(self) -> Iterator[Finding]:
        return iter(()) if self.data.test is None else _damage(self.data.test, self.data.text, "test file: ")


def _damage(file: LoadedTable, column: str, prefix: str = "") -> Iterator[Finding]:
    """``prefix`` starts each sentence."""
    texts = file.table.texts
    codes = sum(text.isascii() and len(text.split(None, 1)) == 1 and bool(_DIGIT.search(text)) for text in texts)
    if texts and codes >= MOSTLY * len(texts):
        sentence = f"{prefix}{codes:,} of {len(texts):,} texts are numbers, dates or identifiers"
        yield Finding("problem", "texts", sentence, f"is {column!r} the column of texts? name it with --text")
    for pattern, what, cure in _KINDS:
        places = [place for place, text in enumerate(texts) if pattern.search(text)]
        if places:
            share, rows = len(places) / len(texts), file.in_file(places)
            count = f"{plural(len(rows), 'text', 'texts')} ({percent(share)}) {'holds' if len(rows) == 1 else 'hold'}"
            first = names_phrase([next(pattern.finditer(texts[places[0]])).group()])
            sentence = f"{prefix}{count} {what}, such as {first}: {rows_phrase([row - 1 for row in rows])}"
            # A point of accuracy may be lost by it.
            yield Finding("warning" if share >= POINT else "note", "texts", sentence, cure, rows[:SHOWN])
