"""Many texts a chunk at a time, and one number for equal texts: memory does not grow with their length."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.leaks import normalised

Hashes = NDArray[np.uint64]
Progress = Callable[[str, int, int], None]
"""Is told the stage, how many texts of it are done, and how many there are."""

CHARACTERS = 1 << 17
"""Characters a chunk: its arrays stay in the processor's cache, and calls of numpy are still few."""

READ = 20_000
"""Characters of a text that are read where a text has no bound: no encoder here sees more than a tenth of them, and
one text of a hundred megabytes must not fill the memory."""

LONGEST = 100_000
"""Characters of a text that are examined at all: a line of 100 MB must not stop all others."""


def silent(stage: str, done: int, total: int) -> None:
    """Tell nobody."""


def chunks(texts: Sequence[str], stage: str, progress: Progress, read: int = READ) -> Iterator[slice]:
    """Cut N texts into runs of about ``CHARACTERS``, at least one text each, and report each that is done.

    A text counts with ``read`` characters at most.
    """
    start = size = 0
    for place, text in enumerate(texts):
        size += min(len(text), read)
        if size >= CHARACTERS or place + 1 == len(texts):
            yield slice(start, place + 1)
            progress(stage, place + 1, len(texts))
            start, size = place + 1, 0


def text_hashes(texts: Sequence[str], progress: Progress = silent, stage: str = "reading texts") -> Hashes:
    """A 64-bit hash of each text, equal where case, punctuation and spacing alone differ, uint64 ``[N]``.

    Two different texts of a million share a hash with a chance below 1 in 30 million. The hashes are the same in every
    process, so what is sorted or sampled by them depends neither on the order of the rows nor on the day.
    """
    parts = [np.empty(0, dtype=np.uint64)]
    for part in chunks(texts, stage, progress):
        digests = b"".join(blake2b(normalised(text).encode(), digest_size=8).digest() for text in texts[part])
        parts.append(np.frombuffer(digests, dtype="<u8").astype(np.uint64))
    return np.concatenate(parts)


def bare(text: str) -> str:
    """Equal for texts that are one but for outer white space and the form in which Unicode writes them (NFC)."""
    return unicodedata.normalize("NFC", text.strip())


def count_repeats(texts: Iterable[str], labels: Iterable[str]) -> int:
    """How many of N rows have the label of an earlier one and a text that is ``bare`` the same."""
    rows = [hash((label, bare(text))) for text, label in zip(texts, labels, strict=True)]
    return len(rows) - len(set(rows))


def mixed(hashes: Hashes, seed: int) -> Hashes:
    """Other hashes of the same texts, one-to-one: a fresh random order for each seed (Steele et al., SplitMix64)."""
    with np.errstate(over="ignore"):
        z = hashes + np.uint64((2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def first_of_each(ordered: Hashes) -> NDArray[np.bool_]:
    """Which of N sorted numbers differ from the one before, bool ``[N]``."""
    return np.concatenate([np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]])


def distinct(hashes: Hashes) -> Hashes:
    """The different hashes, sorted. ``np.unique`` hashes numbers since NumPy 2.3, fifty times slower than this."""
    ordered = np.sort(hashes)
    return ordered[first_of_each(ordered)]


def least(hashes: Hashes, most: int) -> NDArray[np.int64]:
    """The rows of the ``most`` least hashes, and of those equal to the last of them, rising: a random sample that does
    not depend on the order of the rows.
    """
    if len(hashes) <= most:
        return np.arange(len(hashes))
    return np.flatnonzero(hashes <= np.partition(hashes, most - 1)[most - 1])
