"""From scores to class ids and probabilities."""

import numpy as np
import scipy.special
from numpy.typing import NDArray


def softmax(s_NC: NDArray[np.floating]) -> NDArray[np.float64]:
    """Probabilities of scores, row by row, in float64; a row of NaN stays one."""
    probabilities_NC: NDArray[np.float64] = scipy.special.softmax(s_NC.astype(np.float64), axis=1)
    return probabilities_NC


def best_classes(s_NC: NDArray[np.floating]) -> NDArray[np.int64]:
    """Class ids [N] of scores: a row's argmax, or -1 where the row is NaN, which is no answer at all."""
    silent_N = np.isnan(s_NC).any(1)
    best_N: NDArray[np.int64] = np.where(silent_N, -1, np.nan_to_num(s_NC, nan=-np.inf).argmax(1))
    return best_N
