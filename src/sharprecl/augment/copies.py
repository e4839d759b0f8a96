"""Augmented copies of texts: as many as are wanted, no two alike, none that is there already, rare classes first."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.augment.base import ProgressCallback
from sharprecl.data.leaks import normalised

_PATIENCE = 2  # seeds in a row that may give nothing new before a text is given up

Ints = NDArray[np.int64]
Make = Callable[[Sequence[str], int, ProgressCallback], list[str]]
"""Gives second views of texts for a seed, and tells how many are done."""


def water_fill(counts: ArrayLike, room: ArrayLike, budget: int) -> Ints:
    """Raise the smallest classes equally, as water fills a vessel with an uneven floor, until the budget is used.

    What is left over when all raised classes stand at one level goes, one text each, to those that were smallest.

    Args:
        counts: texts of each class, [C].
        room: how many new texts each class can take at most, [C].
        budget: new texts in all, at least 0.

    Returns:
        New texts of each class, int64 [C]. Their sum is the budget, or all the room if that is less. Where one class
        gets less room, no other gets fewer texts.
    """
    counts_C, room_C = np.asarray(counts, dtype=np.int64), np.asarray(room, dtype=np.int64)
    if budget >= room_C.sum():
        return room_C.copy()

    def up_to(level: int) -> Ints:
        return np.clip(level - counts_C, 0, room_C)

    low, high = int(counts_C.min()), int((counts_C + room_C).max())
    while high - low > 1:  # the level is the highest that the budget pays for; it lies in [low, high)
        middle = (low + high) // 2
        low, high = (middle, high) if up_to(middle).sum() <= budget else (low, middle)
    given = up_to(low)
    willing = np.flatnonzero(up_to(low + 1) > given)
    smallest_first = willing[np.argsort(counts_C[willing], kind="stable")]
    given[smallest_first[: budget - int(given.sum())]] += 1
    return given


def make_copies(
    texts: Sequence[str],
    classes: Ints,
    wanted: Callable[[Ints], Ints],
    make: Make,
    progress: ProgressCallback,
    *,
    n_classes: int,
    most: int,
    taken: set[str],
    seed: int,
    seeded: bool = True,
) -> tuple[list[list[str]], NDArray[np.bool_]]:
    """Make copies of texts until every class has what it shall have, or its texts give no more.

    The copies of one text are made with ``seed``, ``seed + 1`` and so on. A copy counts only if no other copy and no
    text of ``taken`` is the same but for case, punctuation and spacing. A text that at once comes back unchanged is
    not asked again, as no seed changes it; one whose copies repeat themselves gets a few more seeds.

    Within a class, the texts with fewest copies come first, then the order of a hash of seed and text: so which of
    them get one more copy than others does not depend on their order.

    Args:
        texts: N different texts.
        classes: the class of each, int64 [N], below ``n_classes``.
        wanted: says how many copies each class shall have, [C], given how many it can have, [C]. Where one class can
            have less, it must not want fewer of another.
        make: see ``Make``.
        progress: called with (copies made, copies in all).
        most: copies of one text at most.
        taken: what no copy may be, as ``normalised`` gives it.
        seed: of the first copies.
        seeded: whether another seed gives another text; where it does not, a text is asked once.

    Returns:
        The copies of each text in the order of their seeds, and which texts came back as they were, bool [N].
    """
    most, patience = (most, _PATIENCE) if seeded else (min(most, 1), 1)
    made: list[list[str]] = [[] for _ in texts]
    made_N, tried_N, missed_N = (np.zeros(len(texts), dtype=np.int64) for _ in range(3))
    open_N = np.full(len(texts), most > 0)
    unchanged_N = np.zeros(len(texts), dtype=bool)
    rank_N = _ranks(texts, seed)
    seen = set(taken)

    def sums(values_N: Ints) -> Ints:
        return np.bincount(classes, values_N, n_classes).astype(np.int64)

    while True:
        wanted_C = wanted(sums(np.where(open_N, most, made_N)))
        asked = _next(wanted_C - sums(made_N), classes, open_N, made_N, rank_N)
        if not len(asked):
            return made, unchanged_N
        total = int(wanted_C.sum())
        attempts = tried_N[asked]
        for attempt in np.unique(attempts).tolist():
            some = asked[attempts == attempt].tolist()
            # Those that are being made count as done, though not every one of them will be kept.
            done = int(made_N.sum())
            answers = make(
                [texts[n] for n in some],
                seed + attempt,
                lambda now, _: progress(min(done + now, total), total),  # noqa: B023 - called within this turn
            )
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
    candidates = candidates[np.lexsort((rank_N[candidates], made_N[candidates], classes[candidates]))]
    of = classes[candidates]
    place_in_class = np.arange(len(of)) - np.searchsorted(of, of)
    return candidates[place_in_class < need_C[of]]


def _ranks(texts: Sequence[str], seed: int) -> Ints:
    hashes = [hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8] for text in texts]
    return np.frombuffer(b"".join(hashes), dtype="<i8").astype(np.int64)
