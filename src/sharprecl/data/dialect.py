"""How a file is written, as far as its ending does not say; what is not told is recognised, file by file."""

import csv
import io
import re
from itertools import islice
from typing import NamedTuple

from sharprecl.errors import DataError

DELIMITERS = {".csv": ",", ".tsv": "\t"}
"""What usually stands between fields, by the ending of the file's name."""

SPOKEN = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""The delimiters that are recognised."""

_NAMES = {name: sign for sign, name in SPOKEN.items()} | {"\\t": "\t", "pipe": "|"}
_SAMPLED_ROWS, SAMPLED_CHARACTERS = 50, 200_000
_EXCEL_LINE = re.compile(r'"?sep=([^"\r\n])"?(?:\r\n|\r|\n)', re.IGNORECASE)


class Dialect(NamedTuple):
    """What a user says of a file.

    Attributes:
        encoding: of a text file that is not UTF-8; a file with a byte order mark, or whose bytes can only be UTF-8, is
            read as what it is. None takes cp1252 there, if the text then looks like one.
        separator: between the fields of .csv and .tsv: one character, or its name. None recognises comma, semicolon,
            tab and vertical bar.
        sheet: of a workbook; None takes its only sheet.
    """

    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None

    @property
    def delimiter(self) -> str | None:
        """The separator as the character that it is.

        Raises:
            DataError: it cannot separate anything.
        """
        if self.separator is None:
            return None
        sign = _NAMES.get(self.separator, self.separator)
        if len(sign) != 1 or sign in '"\r\n':
            raise DataError(f"fields cannot be separated by {self.separator!r}; give one of {', '.join(_NAMES)}")
        return sign

    @property
    def options(self) -> list[str]:
        """The words of a command line that say it."""
        words = []
        for name, value in self._asdict().items():
            if value is not None:
                # A tab that is pasted into a terminal asks it to complete the word.
                words += [f"--{name}", SPOKEN[value] if value == "\t" else value]
        return words


RECOGNISED = Dialect()


def declared(text: str) -> tuple[str | None, str]:
    """The delimiter that Excel's first line ``sep=;`` declares, if it is there, and the text with that line empty."""
    found = _EXCEL_LINE.match(text)
    return (None, text) if found is None else (found[1], "\n" + text[found.end() :])


def recognise(text: str, usual: str) -> str:
    """The delimiter of a text whose first line names the columns.

    Only what parts the header is a candidate. Of several, that with which the first rows have as many fields as the
    header wins, then the one with most fields, then the ``usual`` one.
    """
    sample = text[:SAMPLED_CHARACTERS]
    _, fields, _, best = max((*_fit(sample, sign), sign == usual, sign) for sign in SPOKEN)
    return best if fields > 1 else usual


def spoken(delimiter: str) -> str:
    """What people call a delimiter."""
    return SPOKEN.get(delimiter, repr(delimiter))


def _fit(sample: str, delimiter: str) -> tuple[bool, int]:
    """Whether the first rows have as many fields as the header, and how many that has."""
    lines = list(io.StringIO(sample, newline=""))  # splitlines would also cut at characters inside a text
    if len(sample) == SAMPLED_CHARACTERS:
        lines.pop()  # it may be cut
    try:
        rows = [row for row in islice(csv.reader(lines, delimiter=delimiter), _SAMPLED_ROWS) if row]
    except csv.Error:
        return False, 0
    fields = len(rows[0]) if rows else 0
    return fields > 1 and all(len(row) == fields for row in rows), fields
