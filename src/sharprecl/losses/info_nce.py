"""InfoNCE between two passes: a text's two vectors attract each other and repel all other texts'.

Sources: van den Oord et al., 2018; Gao et al., EMNLP 2021 (SimCSE), the unsupervised loss.
"""

import torch
from torch import Tensor

from sharprecl.losses.cross_entropy import cross_entropy


def info_nce(g_BB: Tensor, temperature: float, symmetric: bool = False) -> Tensor:
    """``l_i = -log [exp(g_ii / tau) / sum_j exp(g_ij / tau)]``: cross-entropy with the text itself as the label.

    A pass is compared only with the other one: no vector meets another of its own pass.

    Args:
        g_BB: cosine similarities; rows are the first pass, columns the second.
        temperature: tau > 0.
        symmetric: the mean of both directions, instead of the first pass's anchors alone as in the source.

    Returns:
        l_B, not reduced; 0 for a single text, which has no negatives.
    """
    itself_B = torch.arange(len(g_BB), device=g_BB.device)
    l_B = cross_entropy(g_BB / temperature, itself_B)
    if symmetric:
        l_B = (l_B + cross_entropy(g_BB.T / temperature, itself_B)) / 2
    return l_B
