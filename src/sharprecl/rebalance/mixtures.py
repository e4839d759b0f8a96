"""The rebalanced set for the classifier: mixtures of two texts, one of them from a uniformly drawn class.

A rare class meets the classifier as often as a frequent one, each time between two texts, so that the classification
loss stays away from zero and the compensation of the prior keeps its meaning (an additive prior says nothing once all
training texts are fitted: Kini et al., NeurIPS 2021).

Sources: manifold mixup (Verma et al., ICML 2019); class-balanced partners (Chou et al., ECCV 2020 workshops, Remix;
Park et al., CVPR 2022, CMO); the hard ones from SharpReCL (WWW 2026).
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from sharprecl.config.sharprecl import Partners
from sharprecl.rebalance.hard_mixup import beta_quantile, hard_negatives, hard_positives
from sharprecl.rebalance.simple_sampling import LabelBlocks, floor_times


@dataclass(frozen=True)
class Mixtures:
    """Sample s is ``a x_i + (1 - a) x_j``, as long as its parents, with label y_i weighted a and y_j weighted 1 - a.

    Attributes:
        i_S, j_S: row numbers of the parents, int64.
        a_S: coefficients in [0, 1].
    """

    i_S: Tensor
    j_S: Tensor
    a_S: Tensor


@torch.no_grad()
def plan_mixtures(
    y_N: Tensor,
    num_classes: int,
    alpha: float,
    generator: torch.Generator,
    partners: Partners = "balanced",
    g_CN: Tensor | None = None,
    top_k: int = 20,
) -> Mixtures:
    """Draw one mixture for every row of the batch.

    Args:
        y_N: class of each row, int64.
        num_classes: C.
        alpha: coefficients are drawn from Beta(alpha, alpha).
        generator: on the CPU; gives 4 N uniform numbers, whatever ``partners``.
        partners: ``balanced`` mixes row n with a row of a class drawn uniformly from those in the batch; ``hard`` mixes
            a row of such a class with one of the rows of other classes that its prototype takes for its own; ``within``
            mixes two of the rows of such a class that its prototype gets most wrong.
        g_CN: cosine similarity of each prototype to each row; for the last two.
        top_k: size of the hard sets.
    """
    u_4N = torch.rand(4, len(y_N), generator=generator, dtype=torch.float64)
    y = y_N.cpu()
    blocks = LabelBlocks.of(y, num_classes)
    present = blocks.size_C1[:, 0].nonzero()[:, 0]
    class_N = present[floor_times(u_4N[0], torch.tensor(len(present)))]
    member_N = blocks.order_M[blocks.start_C1[class_N, 0] + floor_times(u_4N[1], blocks.size_C1[class_N, 0])]
    a_N = beta_quantile(u_4N[2], alpha)
    i_N, j_N = torch.arange(len(y)), member_N
    if partners != "balanced" and len(present) > 1:
        assert g_CN is not None
        member_CN = (y[None, :] == torch.arange(num_classes)[:, None]).to(g_CN.device)
        if partners == "hard":
            i_N, j_N = member_N, hard_negatives(g_CN, member_CN, top_k).draw_of(class_N, u_4N[3])
        else:
            hard = hard_positives(g_CN, member_CN, top_k)
            i_N, j_N = hard.draw_of(class_N, u_4N[1]), hard.draw_of(class_N, u_4N[3])
    return Mixtures(*(t.to(y_N.device) for t in (i_N, j_N, a_N)))


def mixed_features(x_NH: Tensor, mixtures: Mixtures) -> Tensor:
    """The mixtures x_SH, each scaled to the mean length of its parents::

        x_s = (a x_i + (1 - a) x_j) (a |x_i| + (1 - a) |x_j|) / |a x_i + (1 - a) x_j|

    For features behind a layer normalisation that is the normalisation of the mixture.
    """
    a_S1 = mixtures.a_S.to(x_NH.dtype)[:, None]
    length_N1 = x_NH.norm(dim=1, keepdim=True)
    mixed_SH = a_S1 * x_NH[mixtures.i_S] + (1 - a_S1) * x_NH[mixtures.j_S]
    wanted_S1 = a_S1 * length_N1[mixtures.i_S] + (1 - a_S1) * length_N1[mixtures.j_S]
    stretch_S1: Tensor = wanted_S1 / mixed_SH.norm(dim=1, keepdim=True).clamp(min=1e-6)
    return mixed_SH * stretch_S1
