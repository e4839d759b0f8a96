"""The balanced contrastive loss: in an anchor's denominator every class weighs the same, however many items it has.

Source: Zhu et al., CVPR 2022 (BCL), class averaging and class complement.
"""

import torch
from torch import Tensor


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
    n = len(g_NM)
    itself_NM = torch.eye(n, len(y_M), dtype=torch.bool, device=y_M.device)
    same_NM = y_M[:n, None] == y_M[None, :]
    positive_NM = same_NM & ~itself_NM
    size_M = torch.bincount(y_M)[y_M]
    # An anchor is no item of its own denominator; the clamp only keeps the logarithm of its masked place finite.
    log_size_NM = (size_M[None, :] - same_NM.long()).clamp(min=1).to(g_NM.dtype).log()
    lse_N = torch.logsumexp((g_NM / temperature - log_size_NM).masked_fill(itself_NM, -torch.inf), dim=1)
    count_N = positive_NM.sum(1)
    attraction_N = (g_NM * positive_NM).sum(1) / temperature / count_N.clamp(min=1)
    return torch.where(count_N > 0, lse_N - attraction_N, 0.0)
