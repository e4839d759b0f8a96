"""How many new texts each class gets out of a budget: rare classes first."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def water_fill(counts: ArrayLike, room: ArrayLike, budget: int) -> NDArray[np.int64]:
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

    def up_to(level: int) -> NDArray[np.int64]:
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
