"""Per-class offsets by coordinate ascent: which classes to answer sooner than their probability says.

One class after another gets the offset that is best while the others keep theirs, which a sort finds exactly, until
nothing changes (Lewis et al., SIGIR 1996, tune thresholds so, one class at a time).
"""

import math

import numpy as np

from sharprecl.decision.objectives import Floats, Ids, Objective
from sharprecl.errors import ConfigError

FARTHEST = 4.0
"""Bound of an offset, at which a class is answered although another one is 55 times as probable."""

ROUNDS = 6
_LEVEL = 1e-12
"""Figures that differ by less are equal."""


def best_offsets(z_NC: Floats, y_N: Ids, weight_N: Floats, objective: Objective) -> Floats:
    """Offsets [C] that maximise an objective of argmax(z + offset) on these very texts.

    Args:
        z_NC: log-probabilities.
        y_N: true classes; a class without a text keeps the offset 0.
        weight_N: of the texts.
    """
    texts_C = np.bincount(y_N, minlength=z_NC.shape[1])
    offset_C, leaders = np.zeros(len(texts_C)), _Leaders(z_NC)
    # Rare classes first: they have most to gain, and the others answer to it.
    labels = [int(label) for label in np.argsort(texts_C, kind="stable") if texts_C[label]]
    for _ in range(ROUNDS):
        before_C = offset_C.copy()
        for label in labels:
            rival_N, needed_N = leaders.against(label)
            offset = _best_offset(needed_N, y_N, rival_N, weight_N, label, objective, offset_C[label])
            if offset != offset_C[label]:
                offset_C[label] = offset
                leaders.move(label, offset)
        if (offset_C == before_C).all():
            break
    return offset_C


def recall_offset(z_NC: Floats, y_N: Ids, label: int, recall: float, name: str) -> Floats:
    """The least offset of one class, at least 0, with which a new text of it is found as often as asked for.

    It is an order statistic of the k = ceil((n + 1) recall) easiest texts of the class, so a text that is exchangeable
    with them is found with that probability or more (split conformal prediction: Vovk et al., 2005).

    Args:
        name: of the class, for the error.

    Raises:
        ConfigError: the class has too few held-out texts to promise that.
    """
    own_NC = z_NC[y_N == label]
    rank = math.ceil((len(own_NC) + 1) * recall - _LEVEL)
    if rank > len(own_NC):
        least = math.ceil(recall / (1 - recall) - _LEVEL)
        raise ConfigError(
            f"{name!r} has {len(own_NC)} held-out texts, and a recall of {recall:g} can be promised from {least} on; "
            f"ask for less, or give more labelled texts of it"
        )
    offset_C = np.zeros(z_NC.shape[1])
    _, needed_N = _Leaders(own_NC).against(label)
    # A tie goes to the class with the smaller id, so the offset must be a little more than what is needed.
    offset_C[label] = max(0.0, float(np.sort(needed_N)[rank - 1]) + 1e-6)
    return offset_C


class _Leaders:
    """The two best classes of every text while offsets move."""

    def __init__(self, z_NC: Floats) -> None:
        self._z_NC, self._moved_NC = z_NC, z_NC.copy()
        self._rows = np.arange(len(z_NC))
        self._first_N, self._second_N = _best_two(z_NC)

    def against(self, label: int) -> tuple[Ids, Floats]:
        """What each text is answered without a class, [N], and the offset from which on it is answered that, [N]."""
        rival_N = np.where(self._first_N == label, self._second_N, self._first_N)
        return rival_N, self._moved_NC[self._rows, rival_N] - self._z_NC[:, label]

    def move(self, label: int, offset: float) -> None:
        """Give a class an offset."""
        self._moved_NC[:, label] = self._z_NC[:, label] + offset
        ahead_N = self._moved_NC[:, label] >= self._moved_NC[self._rows, self._second_N]
        touched = np.flatnonzero((self._first_N == label) | (self._second_N == label) | ahead_N)
        self._first_N[touched], self._second_N[touched] = _best_two(self._moved_NC[touched])


def _best_two(z_NC: Floats) -> tuple[Ids, Ids]:
    best_N2 = np.argpartition(-z_NC, 1, axis=1)[:, :2]
    z_N2 = np.take_along_axis(z_NC, best_N2, 1)
    swapped_N = (z_N2[:, 1] > z_N2[:, 0]).astype(np.int64)
    rows = np.arange(len(z_NC))
    return best_N2[rows, swapped_N], best_N2[rows, 1 - swapped_N]


def _best_offset(
    needed_N: Floats, y_N: Ids, rival_N: Ids, weight_N: Floats, label: int, objective: Objective, current: float
) -> float:
    order = np.argsort(needed_N, kind="stable")
    needed = needed_N[order]
    gain = objective.scan(y_N[order], rival_N[order], weight_N[order], label)
    # After k texts, k = 0 ... N, the offset is above the need of the k-th and below that of the next one.
    low = np.concatenate([[-np.inf], needed]).clip(-FARTHEST, FARTHEST)
    high = np.concatenate([needed, [np.inf]]).clip(-FARTHEST, FARTHEST)
    possible = np.flatnonzero(high - low > _LEVEL)
    best = gain[possible].max()
    if best <= gain[np.searchsorted(needed, current)] + _LEVEL:
        return current
    best_ones = possible[gain[possible] >= best - _LEVEL]
    # In the middle of its interval an offset is farthest from changing its mind; 0 needs no reason.
    middles = np.where((low < 0) & (high > 0), 0.0, (low + high) / 2)[best_ones]
    return float(middles[np.abs(middles).argmin()])
