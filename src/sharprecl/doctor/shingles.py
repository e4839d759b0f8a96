"""Texts as sets of overlapping pieces, hashed a slice at a time: no Python object a piece."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sharprecl.data.leaks import normalised
from sharprecl.doctor.keys import Keys, distinct, mixed
from sharprecl.doctor.slices import READ

WIDTH = 5
"""Characters a piece. Two English abstracts that have nothing in common share a few pieces of five and a third of
their pieces of three; with longer ones a single typo parts two titles."""


_ODD = np.array([0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], dtype=np.uint64)
# A random number for every character that there can be: their sums, each place multiplied anew, hash a piece.
_SCATTERED = mixed(np.arange(0x110000, dtype=np.uint64), 0)


class Shingles(NamedTuple):
    """The pieces of N texts, one after the other.

    Attributes:
        hashes: 64 bits a piece, in the order of the text, repeated ones included.
        starts: where each text's pieces begin, int64 ``[N + 1]``; no text is without a piece.
    """

    hashes: Keys
    starts: NDArray[np.int64]


def shingles(texts: Sequence[str]) -> Shingles:
    """Every run of ``WIDTH`` characters of each text, as ``normalised`` makes it; a shorter text is one piece.

    Only the first ``READ`` characters count.
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
    return Shingles(hashes[inside], starts)


def jaccard(texts: Sequence[str], first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shared pieces over all pieces of the two texts of each pair, ``[P]``; exact but for hashes of 44 bits that meet.

    Args:
        texts: at most 2**20 of them.
        first, second: indices into them, ``[P]`` each.
    """
    hashes, starts = shingles(texts)
    owner = np.repeat(np.arange(len(texts), dtype=np.uint64), np.diff(starts))
    # Text and piece in one number: one plain sort, many times faster than sorting by two.
    pieces = distinct(owner << np.uint64(44) | hashes >> np.uint64(20))
    bounds = np.searchsorted(pieces, np.arange(len(texts) + 1, dtype=np.uint64) << np.uint64(44))
    sizes = np.diff(bounds)
    columns = (pieces & np.uint64(2**44 - 1)).astype(np.int64)
    sets = csr_matrix((np.ones(len(pieces), dtype=np.int32), columns, bounds), shape=(len(texts), 2**44))
    sets.has_canonical_format = True  # sorted and unique, as made above: so that no row is ever unrolled
    shared = np.asarray(sets[first].multiply(sets[second]).sum(axis=1)).ravel()
    return np.asarray(shared / (sizes[first] + sizes[second] - shared), dtype=np.float64)
