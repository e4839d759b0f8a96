"""The focal loss: cross-entropy that fades on texts whose label is known with certainty already.

Source: Lin et al., ICCV 2017, in the softmax form for many classes.
"""

from torch import Tensor

from sharprecl.losses.complement import log_complement
from sharprecl.losses.cross_entropy import cross_entropy


def focal(s_NC: Tensor, y_N: Tensor, gamma: float) -> Tensor:
    """``l_n = -(1 - p_n)^gamma log p_n``, where p_n is the softmax probability of the label.

    Args:
        s_NC: logits.
        y_N: label ids, int64.
        gamma: how fast the loss fades; 0 is plain cross-entropy.

    Returns:
        l_N, not reduced; alpha, a weight by class, is the caller's.
    """
    log_missing_N = log_complement(s_NC).gather(1, y_N[:, None]).squeeze(1)
    return (gamma * log_missing_N).exp() * cross_entropy(s_NC, y_N)
