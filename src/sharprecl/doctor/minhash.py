"""Sketches of texts that are alike where the texts are (Broder, 1997), and the pairs that share a band of one."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.doctor.keys import mixed
from sharprecl.doctor.shingles import shingles
from sharprecl.doctor.slices import Progress, silent, slices

BANDS, ROWS = 32, 6
"""Two texts that share 0.8 of their pieces agree in a band with 0.8**6 = 0.26, so in none of 32 with less than one in
10,000; at 0.9 it is one in 10 million. Texts that share 0.3 meet with 0.02, texts that share 0.1 hardly ever."""
HASHES = BANDS * ROWS
NEIGHBOURS = 16
"""Texts that one is compared with in a band, where more than that agree in it."""

_FACTORS = (mixed(np.arange(HASHES, dtype=np.uint64), 2) >> np.uint64(32)).astype(np.uint32) | np.uint32(1)
_FOLD = np.uint64(0x9E3779B97F4A7C15)

Pairs = NDArray[np.int64]
"""Indices of texts, ``[2, P]``, the smaller one of each pair first."""


class Sketches(NamedTuple):
    """Of N texts.

    Attributes:
        bands: a hash of the ROWS minima of each band, uint32 ``[BANDS, N]``.
        minima: a byte of each minimum, uint8 ``[N, HASHES]``: the share of equal ones estimates the Jaccard index.
    """

    bands: NDArray[np.uint32]
    minima: NDArray[np.uint8]


def sketch(texts: Sequence[str], progress: Progress = silent, stage: str = "sketching texts") -> Sketches:
    """Sketch N texts, 320 bytes each."""
    bands = np.empty((BANDS, len(texts)), dtype=np.uint32)
    minima = np.empty((len(texts), HASHES), dtype=np.uint8)
    for part in slices(texts, stage, progress):
        hashes, starts = shingles(texts[part])
        pieces = (hashes >> np.uint64(32)).astype(np.uint32)
        for band in range(BANDS):
            folded = np.zeros(part.stop - part.start, dtype=np.uint64)
            for place in range(band * ROWS, band * ROWS + ROWS):
                # Multiplying by an odd number reorders all numbers of 32 bits, a new order for each factor.
                least = np.minimum.reduceat(pieces * _FACTORS[place], starts[:-1])
                minima[part, place] = least * np.uint32(0x85EBCA6B) >> np.uint32(24)
                folded = (folded + least) * _FOLD
            bands[band, part] = folded >> np.uint64(32)
    return Sketches(bands, minima)


def candidates(sketches: Sketches) -> Iterator[tuple[int, Pairs]]:
    """Yield the pairs of texts that agree in a band, each with the number of its band; a pair may come again.

    Where many agree (a template with one word changed), each meets the NEIGHBOURS next to it in the order of the
    following band: the number of pairs grows with the texts, not with their square.
    """
    for band, keys in enumerate(sketches.bands):
        order = np.lexsort((sketches.bands[(band + 1) % BANDS], keys))
        ordered = keys[order]
        for distance in range(1, min(NEIGHBOURS, len(keys) - 1) + 1):
            here = np.flatnonzero(ordered[distance:] == ordered[:-distance])
            if not len(here):
                break
            yield band, np.sort(np.stack([order[here], order[here + distance]]), axis=0)


def resemblance(sketches: Sketches, pairs: Pairs) -> NDArray[np.float64]:
    """The estimated Jaccard index of each pair, ``[P]``; its standard error is at most 0.036."""
    shares = np.empty(pairs.shape[1])
    for start in range(0, len(shares), 1 << 14):
        first, second = pairs[:, start : start + (1 << 14)]
        shares[start : start + len(first)] = (sketches.minima[first] == sketches.minima[second]).mean(axis=1)
    return shares
