"""Texts as sets of overlapping pieces, sketches that are alike where the sets are (Broder, 1997), and the pairs of
texts that share a band of their sketches. Everything is hashed a chunk at a time: no Python object a piece.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sharprecl.data.leaks import normalised
from sharprecl.doctor.texts import READ, Hashes, Progress, chunks, distinct, mixed, silent

WIDTH = 5
"""Characters a piece. Two English abstracts that have nothing in common share a few pieces of five and a third of
their pieces of three; with longer ones a single typo parts two titles."""
BANDS, ROWS = 32, 6
"""Two texts that share 0.8 of their pieces agree in a band with 0.8**6 = 0.26, so in none of 32 with less than one in
10,000; at 0.9 it is one in 10 million. Texts that share 0.3 meet with 0.02, texts that share 0.1 hardly ever."""
HASHES = BANDS * ROWS
NEIGHBOURS = 16
"""Texts that one is compared with in a band, where more than that agree in it."""

_ODD = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], dtype=np.uint64)
# A random number for every character that there can be: their sums, each place multiplied anew, hash a piece.
_SCATTERED = mixed(np.arange(0x110000, dtype=np.uint64), 0)
_FACTORS = (mixed(np.arange(HASHES, dtype=np.uint64), 2) >> np.uint64(32)).astype(np.uint32) | np.uint32(1)

Pairs = NDArray[np.int64]
"""Indices of texts, ``[2, P]``, the smaller one of each pair first."""


def shingles(texts: Sequence[str]) -> tuple[Hashes, NDArray[np.int64]]:
    """Every run of ``WIDTH`` of the first ``READ`` characters of each of N texts, as ``normalised`` makes it; a shorter
    text is one piece.

    Returns:
        A hash of each piece in the order of the texts, repeated ones included, and where each text's pieces begin,
        int64 ``[N + 1]``.
    """
    padded = [normalised(text[:READ]).ljust(WIDTH, "\0") for text in texts]
    letters = np.frombuffer("".join(padded).encode("utf-32-le"), dtype="<u4")
    ends = np.cumsum([len(text) for text in padded], dtype=np.int64)
    last = len(letters) - WIDTH + 1
    hashes = np.zeros(last, dtype=np.uint64)
    for place in range(WIDTH):
        hashes *= _ODD[0]
        hashes += _SCATTERED[letters[place : place + last]]
    hashes ^= hashes >> np.uint64(32)
    hashes *= _ODD[1]
    inside = np.ones(last, dtype=bool)
    for back in range(1, WIDTH):  # a run that starts here would end in the next text
        inside[ends[:-1] - back] = False
    starts = np.zeros(len(padded) + 1, dtype=np.int64)
    starts[1:] = ends - (WIDTH - 1) * np.arange(1, len(padded) + 1)
    return hashes[inside], starts


def jaccard(texts: Sequence[str], pairs: Pairs) -> NDArray[np.float64]:
    """Shared pieces over all pieces of the two texts of each pair, ``[P]``; exact but for hashes of 44 bits that meet.

    At most 2**20 texts.
    """
    hashes, starts = shingles(texts)
    owner = np.repeat(np.arange(len(texts), dtype=np.uint64), np.diff(starts))
    # Text and piece in one number: one plain sort, many times faster than sorting by two.
    pieces = distinct(owner << np.uint64(44) | hashes >> np.uint64(20))
    bounds = np.searchsorted(pieces, np.arange(len(texts) + 1, dtype=np.uint64) << np.uint64(44))
    columns = (pieces & np.uint64(2**44 - 1)).astype(np.int64)
    sets = csr_matrix((np.ones(len(pieces), dtype=np.int32), columns, bounds), shape=(len(texts), 2**44))
    sets.has_canonical_format = True  # sorted and unique, as made above: so that no row is ever unrolled
    shared = np.asarray(sets[pairs[0]].multiply(sets[pairs[1]]).sum(axis=1)).ravel()
    return np.asarray(shared / (np.diff(bounds)[pairs].sum(axis=0) - shared), dtype=np.float64)


class Sketches(NamedTuple):
    """Of N texts.

    Attributes:
        bands: a hash of the ROWS minima of each band, uint32 ``[BANDS, N]``.
        minima: a byte of each minimum, uint8 ``[N, HASHES]``: the share of equal ones estimates the Jaccard index.
    """

    bands: NDArray[np.uint32]
    minima: NDArray[np.uint8]


def sketch(texts: Sequence[str], progress: Progress = silent) -> Sketches:
    """Sketch N texts, 320 bytes each."""
    bands = np.empty((BANDS, len(texts)), dtype=np.uint32)
    minima = np.empty((len(texts), HASHES), dtype=np.uint8)
    for part in chunks(texts, "sketching texts", progress):
        hashes, starts = shingles(texts[part])
        pieces = (hashes >> np.uint64(32)).astype(np.uint32)
        for band in range(BANDS):
            folded = np.zeros(part.stop - part.start, dtype=np.uint64)
            for place in range(band * ROWS, band * ROWS + ROWS):
                # Multiplying by an odd number reorders all numbers of 32 bits, a new order for each factor.
                least = np.minimum.reduceat(pieces * _FACTORS[place], starts[:-1])
                minima[part, place] = least * np.uint32(0x85EBCA6B) >> np.uint32(24)
                folded = (folded + least) * _ODD[0]
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
