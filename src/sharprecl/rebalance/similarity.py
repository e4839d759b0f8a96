"""Similarities of the anchors to synthetic samples that are never built: rebalancing in Gram space."""

import torch
from torch import Tensor

from sharprecl.rebalance.synthetic import SyntheticPlan


def synthetic_similarity(g_MM: Tensor, plan: SyntheticPlan, y_M: Tensor) -> Tensor:
    """Cosine similarity of every item of D-hat to the synthetic samples of its own class.

    The unit-length mixture of two unit vectors is a combination of them, so its similarity to an anchor m
    is one of two entries of the anchor's row::

        t_ms = (a g[m, i] + (1 - a) g[m, j]) / |a x_i + (1 - a) x_j|
        |a x_i + (1 - a) x_j|^2 = a^2 + (1 - a)^2 + 2 a (1 - a) g[i, j] = 1 - 2 a (1 - a) (1 - g[i, j])

    Gradients flow through the parents and the normalisation, as if the samples had been built.

    Args:
        g_MM: cosine similarities of D-hat.
        plan: the samples of all classes.
        y_M: class of each item, int64.

    Returns:
        t_MS. Parents that point in opposite directions cancel to a vector without direction; its length is
        taken as the rounding error of its square, which keeps values and gradients finite.
    """
    a_CS = plan.a_CS
    # index_select and gather rather than g[i, j], whose backward takes two to three times as long.
    g_ij = g_MM.reshape(-1).index_select(0, (plan.i_CS * len(y_M) + plan.j_CS).reshape(-1)).view_as(a_CS)
    squared_CS = 1 - 2 * a_CS * (1 - a_CS) * (1 - g_ij)
    scale_CS = squared_CS.clamp(min=torch.finfo(g_MM.dtype).eps).rsqrt()
    first_MS = g_MM.gather(1, plan.i_CS.index_select(0, y_M)) * (a_CS * scale_CS).index_select(0, y_M)
    second_MS = g_MM.gather(1, plan.j_CS.index_select(0, y_M)) * ((1 - a_CS) * scale_CS).index_select(0, y_M)
    return first_MS + second_MS
