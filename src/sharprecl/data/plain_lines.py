"""Plain lines: every line is a text."""

from collections.abc import Iterator

from sharprecl.data.raw_table import CHARACTERS, RawTable
from sharprecl.data.text_lines import TextLines


def read_plain(lines: TextLines, name: str, rows: int) -> Iterator[RawTable]:
    """Tables of at most so many rows with one column of this name. Empty lines at the end are no rows."""
    texts: list[str] = []
    first, waiting, begun = 0, 0, lines.position

    def table() -> RawTable:
        found, numbers = list(texts), range(first + 1, first + 1 + len(texts))
        return RawTable(lines.origin, (name,), len(found), lambda _: found, numbers, first=first)

    for line in lines:
        text = line.rstrip("\r\n")
        if not text:
            waiting += 1
            continue
        for one in (*[""] * waiting, text):
            texts.append(one)
            if len(texts) >= rows or lines.position - begun >= CHARACTERS or not lines.ready():
                yield table()
                first, texts, begun = first + len(texts), [], lines.position
        waiting = 0
    if texts or not first:
        yield table()
