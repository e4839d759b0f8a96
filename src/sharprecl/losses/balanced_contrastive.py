"""The balanced contrastive loss: in an anchor's denominator every class weighs the same, however many items it has.

Source: Zhu et al., CVPR 2022 (BCL), class averaging and class complement.
"""

import torch
from torch import Tensor

from sharprecl.losses.contrastive import contrastive, same_class


def balanced_contrastive(g_NM: Tensor, y_M: Tensor, temperature: float) -> Tensor:
    """Contrastive loss of the views as anchors, over all views and one centre a class::

        log p_ik = g_ik / tau - log sum_{j != i} exp(g_ij / tau) / n_ij
        n_ij     = items of j's class that i is compared with: |B_y| - 1 for i's own class, |B_c| for another
        l_i      = -1/|P(i)| sum_{k in P(i)} log p_ik,  P(i) = the other items of i's class, its centre among them

    ``|B_c|`` counts the views of class c and its centre (class averaging); the centres see to it that every class is
    in every batch (class complement).

    Args:
        g_NM: cosine similarities of the anchors to all items, which begin with the anchors themselves.
        y_M: class of each item, int64.
        temperature: tau > 0.

    Returns:
        l_N, not reduced. An anchor without positives (never one whose centre is there) has exactly 0 and a zero
        gradient.
    """
    positive_NM, others_NM = same_class(y_M[: len(g_NM)], y_M)
    # How many items there are of a candidate's class, the anchor itself, which is no candidate, not counted. The clamp
    # only keeps the logarithm at the anchor's own place finite.
    size_NM = torch.bincount(y_M)[y_M] - (positive_NM | ~others_NM).long()
    log_size_NM = size_NM.clamp(min=1).to(g_NM.dtype).log()
    return contrastive(g_NM, positive_NM, others_NM, temperature, log_size_NJ=log_size_NM)
