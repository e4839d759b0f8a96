"""A curriculum by distance to the class centres: easy texts first, hard ones last, half of all texts an epoch.

Source: Song et al., EMNLP 2022 (SPCL), section 3.3.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def difficulty(x_NH: Tensor, c_CH: Tensor, y_N: Tensor) -> Tensor:
    """How near a text is to its own class's centre, compared with all centres, float64 [N]::

        DIF_i = d(x_i, c_y) / sum_k d(x_i, c_k),   d(a, b) = (1 - cos(a, b)) / 2 + 1e-8

    Args:
        x_NH: features.
        c_CH: one centre a class.
        y_N: label ids, int64.
    """
    # Features of a raw language model are nearly parallel, so float32 would leave little of 1 - cos.
    x_NH, c_CH = (F.normalize(v.double(), dim=1, eps=1e-6) for v in (x_NH, c_CH))
    d_NC = (1 - x_NH @ c_CH.T) / 2 + 1e-8
    return d_NC.gather(1, y_N[:, None])[:, 0] / d_NC.sum(1)


def keep_probability(difficulty_N: Tensor, epoch: int, total_epochs: int) -> Tensor:
    """Probability [N] with which each text takes part in an epoch.

    The i-th easiest of n texts (from 0) has ``a + (b - a) i / (n - 1)`` with ``a = 1 - e / E`` and ``b = e / E``: only
    the easy ones at the beginning, all alike halfway. The mean over all texts is 1/2 in every epoch.

    Args:
        difficulty_N: from ``difficulty``; equally difficult texts are ranked in the order in which they stand.
        epoch: e, from 0.
        total_epochs: E.
    """
    share = epoch / total_epochs
    if len(difficulty_N) == 1:
        return difficulty_N.new_full((1,), 0.5)
    rank_N = torch.empty_like(difficulty_N)
    rank_N[difficulty_N.argsort(stable=True)] = torch.arange(len(rank_N), dtype=rank_N.dtype, device=rank_N.device)
    return (1 - share) + (2 * share - 1) * rank_N / (len(rank_N) - 1)
