"""The self-adjusting dice loss: one minus the overlap of the predicted and the true labels, class by class.

Source: Li et al., ACL 2020; the form ``code`` is that of their published code.
"""

import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.methods import DiceForm
from sharprecl.losses.complement import log_complement


def dice(s_NC: Tensor, y_N: Tensor, alpha: float, smooth: float, form: DiceForm = "square") -> Tensor:
    """Dice loss of every text, summed over the classes: between 0 and C.

    With p the softmax, Y the one-hot labels, q = (1 - p)^alpha p and s the smoothing::

        square:  l_n = sum_c 1 - (2 q_nc Y_nc + s) / (q_nc^2 + Y_nc^2 + s)
        paper:   l_n = sum_c 1 - (2 q_nc Y_nc + s) / (q_nc + Y_nc + s)
        code:    l_n = sum_c 1 - (2 q_nc Y_nc + s) / (sum_m q_mc + sum_m Y_mc + s)

    Args:
        s_NC: logits; C is at least 2.
        y_N: label ids, int64.
        alpha: how much less a sure text counts; 0 makes q the probability.
        smooth: s > 0.
        form: which of the above. The numerator of ``code`` is a text's, its denominator the whole batch's.

    Returns:
        l_N, not reduced.
    """
    q_NC, true_NC = _weighted(s_NC, y_N, alpha)
    size_NC = {
        "square": q_NC.square() + true_NC,
        "paper": q_NC + true_NC,
        "code": (q_NC.sum(0) + true_NC.sum(0)).expand_as(q_NC),
    }[form]
    return _dissimilarity(q_NC * true_NC, size_NC, smooth).sum(1)


def set_level_dice(s_NC: Tensor, y_N: Tensor, alpha: float, smooth: float) -> Tensor:
    """Dice loss of every class over the texts of the batch as one set; arguments as of ``dice``::

        l_c = 1 - (2 sum_n q_nc Y_nc + s) / (sum_n q_nc + sum_n Y_nc + s)

    Returns:
        l_C, not reduced.
    """
    q_NC, true_NC = _weighted(s_NC, y_N, alpha)
    return _dissimilarity((q_NC * true_NC).sum(0), q_NC.sum(0) + true_NC.sum(0), smooth)


def _weighted(s_NC: Tensor, y_N: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    log_p_NC = s_NC.log_softmax(1)
    return (log_p_NC + alpha * log_complement(s_NC)).exp(), F.one_hot(y_N, s_NC.shape[1]).to(s_NC.dtype)


def _dissimilarity(common: Tensor, size: Tensor, smooth: float) -> Tensor:
    return 1 - (2 * common + smooth) / (size + smooth)
