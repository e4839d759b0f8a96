"""Many texts a slice at a time: what is made of a slice fits in memory, however many texts there are."""

from collections.abc import Callable, Iterator, Sequence

Progress = Callable[[str, int, int], None]
"""Is told the stage, how many texts of it are done, and how many there are."""

CHARACTERS = 1 << 17
"""Characters a slice: its arrays stay in the processor's cache, and calls of numpy are still few."""

READ = 20_000
"""Characters of a text that are read where a text has no bound: no encoder here sees more than a tenth of them, and
one text of a hundred megabytes must not fill the memory."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def slices(texts: Sequence[str], stage: str, progress: Progress, read: int = READ) -> Iterator[slice]:
    """Cut ``texts`` into runs of about ``CHARACTERS``, at least one text each; tell of each that is done.

    Args:
        texts: N texts.
        stage: what ``progress`` is told.
        progress: see ``Progress``.
        read: a text counts with no more than so many characters.
    """
    start = size = 0
    for place, text in enumerate(texts):
        size += min(len(text), read)
        if size >= CHARACTERS or place + 1 == len(texts):
            yield slice(start, place + 1)
            progress(stage, place + 1, len(texts))
            start, size = place + 1, 0


def excerpt(text: str, limit: int = 160) -> str:
    """The beginning of a text on one line, with an ellipsis where more follows."""
    line = " ".join(text[: 4 * limit].split())
    return line if len(line) <= limit and len(text) <= 4 * limit else line[: limit - 1] + "…"
