"""Holm's step-down correction: many tests at once, and the chance of even one false alarm stays at the level."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import Floats


@dataclass(frozen=True, eq=False)
class HolmFamily:
    """The p-values of a family, adjusted.

    Attributes:
        adjusted: each p-value after the correction, in the shape that was given; NaN where there was no test.
        tested: which cells had a p-value.
        size: how many those are; the untested do not make the others pay.
    """

    adjusted: Floats
    tested: NDArray[np.bool_]
    size: int


def holm(p_values: ArrayLike) -> HolmFamily:
    """Adjust: the k-th smallest of m p-values times ``m - k + 1``, never below a smaller one's, at most 1 (Holm 1979).

    Valid however the tests depend on each other. An adjusted value at most 0.05 may be called significant.

    Args:
        p_values: in [0, 1], any shape; NaN where a cell could not be tested (no rival, or a missing run).

    Raises:
        DataError: values outside [0, 1].
    """
    values = np.asarray(p_values, dtype=np.float64)
    tested = ~np.isnan(values)
    family = values[tested]
    if ((family < 0) | (family > 1)).any():
        raise DataError("some p-values lie outside 0 to 1; were scores given instead?")
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(len(family), 0, -1))
    back = np.empty_like(family)
    back[order] = np.minimum(stepped, 1.0)
    adjusted = np.full(values.shape, np.nan)
    adjusted[tested] = back
    return HolmFamily(adjusted, tested, len(family))
