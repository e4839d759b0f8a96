"""Pieces of the sentences about data: numbers, rows, names, near misses."""

import difflib
from collections.abc import Iterable, Mapping, Sequence

SHOWN = 10
"""How many rows or names a sentence lists before it says how many more there are."""


def plural(number: int, one: str, many: str) -> str:
    """``1 class``, ``2,000 classes``."""
    return f"{number:,} {one if number == 1 else many}"


def signed(value: float, digits: int = 1) -> str:
    """``+0.3``, ``−1.2``, ``0.0``."""
    rounded = round(round(value, 8), digits) + 0.0
    sign = "+" if rounded > 0 else "\N{MINUS SIGN}" if rounded < 0 else ""
    return f"{sign}{abs(rounded):.{digits}f}"


def rows_phrase(
    rows: Sequence[int], lines: Sequence[int] | Mapping[int, int | None] | None = None, first: int = 0
) -> str:
    """Name rows as a reader counts them: ``rows 3 (line 4), 7 (line 9) and 12 more``.

    Args:
        rows: indices from 0, at least one.
        lines: where every row of the table starts in its file, counted from 1; None where there are no lines.
        first: how many rows of the source come before the table.
    """
    numbers = [(row, row + 1 + first) for row in rows[:SHOWN]]
    shown = [f"{number} (line {lines[row]})" if lines is not None else str(number) for row, number in numbers]
    return ("row " if len(rows) == 1 else "rows ") + joined(shown, len(rows))


def empty_lines_note(origin: str, lines: Sequence[int]) -> tuple[str, ...]:
    """A sentence about empty lines that a reader passed over; none where there are none."""
    return (f"{origin}: {len(lines)} empty line(s) passed over, the first is line {lines[0]}",) if lines else ()


def names_phrase(names: Iterable[object]) -> str:
    """Quote names, long ones shortened, the first ten of them."""
    every = list(names)
    return joined([shorten(name) for name in every[:SHOWN]], len(every)) if every else "none"


def joined(shown: Sequence[str], total: int) -> str:
    """Join with commas; say how many of ``total`` are not shown."""
    if total > len(shown):
        return f"{', '.join(shown)} and {total - len(shown)} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def shorten(value: object, limit: int = 40) -> str:
    """The ``repr`` of a value in one line, with an ellipsis where it is long."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 2] + "…" + text[-1]


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text on one line, with an ellipsis where more follows."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"


def closest(name: str, names: Iterable[str]) -> str:
    """A parenthesis that suggests the most similar of ``names``, or nothing."""
    folded = {other.strip().casefold(): other for other in names}
    key = name.strip().casefold()
    match = [key] if key in folded else difflib.get_close_matches(key, folded, n=1)
    return f" (did you mean {folded[match[0]]!r}?)" if match else ""
