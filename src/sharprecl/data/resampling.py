"""Weighted epochs: how often each text comes in an epoch that is as long as without weights.

Source: Kitagawa, Journal of Computational and Graphical Statistics 1996 (systematic resampling).
"""

import numpy as np
from numpy.typing import NDArray

ONE = 2**32
"""One repeat in fixed point, so that no rounding makes an epoch a text shorter or longer."""

_GOLDEN = round(ONE * (5**0.5 - 1) / 2)
_STREAM = 2  # of these draws, behind the seed


def fixed_shares(weight_N: NDArray[np.float64]) -> NDArray[np.int64]:
    """Repeats of each text an epoch, ``w_n N / sum(w)``, in units of 1 / ``ONE``; they sum to exactly ``N ONE``."""
    share_N: NDArray[np.int64] = np.rint(weight_N / weight_N.sum() * len(weight_N) * ONE).astype(np.int64)
    # What rounding left over is lost in the largest share.
    share_N[share_N.argmax()] += len(weight_N) * ONE - int(share_N.sum())
    return share_N


def systematic_counts(share_N: NDArray[np.int64], offset: int, one: int = ONE) -> NDArray[np.int64]:
    """How often each text is drawn: the number of points at ``one``, 2 ``one``, ... in its part of a line on which the
    shares lie end to end, the first one beginning at ``offset``.

    Each count is its share over ``one``, rounded up or down. Over all offsets in [0, one) its mean is that share.
    """
    end_N = (np.cumsum(share_N) + offset) // one
    return np.diff(end_N, prepend=offset // one)


class Resampling:
    """Draws the texts of every epoch by their weights; a function of (weights, seed, epoch) and of nothing else.

    An epoch has N rows. Text n comes floor or ceil of ``w_n N / sum(w)`` times, and that often in the mean. From epoch
    to epoch the offset moves by the golden ratio, so that several epochs together come near it too: a text that is due
    in three epochs out of ten is in one of the first four.

    Args:
        weight_N: all above 0; only their ratios count.
        seed: of all epochs.
    """

    def __init__(self, weight_N: NDArray[np.float64], seed: int) -> None:
        self.weight_N = weight_N
        rng = np.random.Generator(np.random.PCG64([seed, _STREAM]))
        # Neighbours on the line exclude each other, so they must not be neighbours in the file.
        self._order_N = rng.permutation(len(weight_N))
        self._share_N = fixed_shares(weight_N)[self._order_N]
        self._offset = int(rng.integers(ONE))

    def rows(self, epoch: int) -> NDArray[np.int64]:
        """The N row numbers of an epoch, sorted; a text that comes twice stands there twice."""
        count_N = systematic_counts(self._share_N, (self._offset + epoch * _GOLDEN) % ONE)
        rows_N: NDArray[np.int64] = np.sort(np.repeat(self._order_N, count_N))
        return rows_N
