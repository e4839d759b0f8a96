"""One number for equal texts: eight bytes a text where strings would take hundreds."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.leaks import normalised
from sharprecl.doctor.slices import Progress, silent, slices

Keys = NDArray[np.uint64]


def text_keys(texts: Sequence[str], progress: Progress = silent, stage: str = "reading texts") -> Keys:
    """A 64-bit hash of each text, equal where case, punctuation and spacing alone differ, uint64 ``[N]``.

    Two different texts of a million share a key with a chance below 1 in 30 million. The keys are the same in every
    process, so what is sorted or sampled by them depends neither on the order of the rows nor on the day.
    """
    parts = [np.empty(0, dtype=np.uint64)]
    for part in slices(texts, stage, progress):
        digests = b"".join(blake2b(normalised(text).encode(), digest_size=8).digest() for text in texts[part])
        parts.append(np.frombuffer(digests, dtype="<u8").astype(np.uint64))
    return np.concatenate(parts)


def mixed(keys: Keys, seed: int) -> Keys:
    """Other keys for the same texts, one-to-one: a fresh random order for each seed (Steele et al., SplitMix64)."""
    with np.errstate(over="ignore"):
        z = keys + np.uint64((2 * seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def distinct(keys: Keys) -> Keys:
    """The different keys, sorted. ``np.unique`` hashes numbers since NumPy 2.3, fifty times slower than this."""
    ordered = np.sort(keys)
    fresh = np.ones(len(ordered), dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    return ordered[fresh]


def least(keys: Keys, most: int) -> NDArray[np.int64]:
    """The rows of the ``most`` least keys, and of those equal to the last of them, rising: a random sample that does
    not depend on the order of the rows.
    """
    if len(keys) <= most:
        return np.arange(len(keys))
    return np.flatnonzero(keys <= np.partition(keys, most - 1)[most - 1])
