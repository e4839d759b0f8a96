"""Augmented copies of texts: as many as are wanted, no two alike, none that is there already."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.augment.base import ProgressCallback
from sharprecl.data.leaks import normalised

_PATIENCE = 2  # seeds in a row that may give nothing new before a text is given up

Ints = NDArray[np.int64]
Make = Callable[[Sequence[str], int, ProgressCallback], list[str]]
"""Gives second views of texts for a seed, and tells how many are done."""


@dataclass(frozen=True)
class Copies:
    """What became of a list of texts.

    Attributes:
        texts: the copies of each text, in the order of their seeds.
        unchanged: which texts came back as they were, bool ``[N]``.
    """

    texts: list[list[str]]
    unchanged: NDArray[np.bool_]


def make_copies(
    texts: Sequence[str],
    classes: Ints,
    n_classes: int,
    most: int,
    wanted: Callable[[Ints], Ints],
    make: Make,
    taken: set[str],
    seed: int,
    progress: ProgressCallback,
    seeded: bool = True,
) -> Copies:
    """Make copies of texts until every class has what it shall have, or its texts give no more.

    The copies of one text are made with ``seed``, ``seed + 1`` and so on. A copy counts only if no other copy and no
    text of ``taken`` is the same but for case, punctuation and spacing. A text that at once comes back unchanged is
    not asked again, as no seed changes it; one whose copies repeat themselves gets a few more seeds.

    Within a class, the texts with fewest copies come first, then the order of a hash of seed and text: so which of
    them get one more copy than others does not depend on their order.

    Args:
        texts: N different texts.
        classes: the class of each, int64 ``[N]``, below ``n_classes``.
        most: copies of one text at most.
        wanted: says how many copies each class shall have, [C], given how many it can have, [C]. Where one class can
            have less, it must not want fewer of another.
        make: see ``Make``.
        taken: what no copy may be, as ``normalised`` gives it.
        seed: of the first copies.
        progress: called with (copies made, copies in all).
        seeded: whether another seed gives another text; where it does not, a text is asked once.
    """
    most, patience = (most, _PATIENCE) if seeded else (min(most, 1), 1)
    made: list[list[str]] = [[] for _ in texts]
    made_N, tried_N, missed_N = (np.zeros(len(texts), dtype=np.int64) for _ in range(3))
    open_N = np.full(len(texts), most > 0)
    unchanged_N = np.zeros(len(texts), dtype=bool)
    rank_N = _ranks(texts, seed)
    seen = set(taken)
    while True:
        made_C = _sums(made_N, classes, n_classes)
        wanted_C = wanted(_sums(np.where(open_N, most, made_N), classes, n_classes))
        asked = _next(wanted_C - made_C, classes, open_N, made_N, rank_N)
        if not len(asked):
            return Copies(made, unchanged_N)
        total = int(wanted_C.sum())
        attempts = tried_N[asked]
        for attempt in np.unique(attempts).tolist():
            some = asked[attempts == attempt].tolist()
            answers = make([texts[n] for n in some], seed + attempt, _after(int(made_N.sum()), total, progress))
            for n, answer in zip(some, answers, strict=True):
                tried_N[n] += 1
                plain = normalised(answer)
                if plain not in seen:
                    seen.add(plain)
                    made[n].append(answer)
                    made_N[n], missed_N[n] = len(made[n]), 0
                else:
                    missed_N[n] += 1
                    unchanged_N[n] = not made[n] and plain == normalised(texts[n])
                open_N[n] = made_N[n] < most and missed_N[n] < patience and not unchanged_N[n]


def _next(need_C: Ints, classes: Ints, open_N: NDArray[np.bool_], made_N: Ints, rank_N: Ints) -> Ints:
    """The texts to ask next, each once: of every class as many as it needs copies, if there are that many."""
    candidates = np.flatnonzero(open_N & (need_C[classes] > 0))
    order = np.lexsort((rank_N[candidates], made_N[candidates], classes[candidates]))
    candidates = candidates[order]
    of = classes[candidates]
    place_in_class = np.arange(len(of)) - np.searchsorted(of, of)
    return candidates[place_in_class < need_C[of]]


def _after(done: int, total: int, progress: ProgressCallback) -> ProgressCallback:
    """Tell of those that are being made beside those that are done. Not every one of them will count."""
    return lambda now, _: progress(min(done + now, total), total)


def _sums(values_N: Ints, classes: Ints, n_classes: int) -> Ints:
    return np.bincount(classes, values_N, n_classes).astype(np.int64)


def _ranks(texts: Sequence[str], seed: int) -> Ints:
    hashes = [hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8] for text in texts]
    return np.frombuffer(b"".join(hashes), dtype="<i8").astype(np.int64)
