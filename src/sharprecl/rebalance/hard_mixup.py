"""Hard-mixup: the items that the prototypes get most wrong, and the coefficients to mix two of them.

Source: SharpReCL (WWW 2026), hard positives and negatives by similarity to the class prototype; Beta coefficients.
"""

import math
from dataclasses import dataclass

import torch
from scipy.special import betaincinv
from torch import Tensor

from sharprecl.rebalance.simple_sampling import floor_times


@dataclass(frozen=True)
class HardSet:
    """Hard items of every class, on the CPU.

    Attributes:
        i_CK: row numbers in D-hat, hardest first; only the first ``size_C1[c]`` of row c are meant.
        size_C1: min(k, available), shape [C, 1].
    """

    i_CK: Tensor
    size_C1: Tensor

    def draw(self, u_CS: Tensor) -> Tensor:
        """Row numbers, int64 [C, S]: uniform over each class's hard items, from ``u_CS`` in [0, 1)."""
        return self.i_CK.gather(1, floor_times(u_CS, self.size_C1))

    def draw_of(self, class_S: Tensor, u_S: Tensor) -> Tensor:
        """Row numbers, int64 [S]: one of the hard items of each of these classes."""
        return self.i_CK[class_S, floor_times(u_S, self.size_C1[class_S, 0])]


def hard_positives(g_CM: Tensor, member_CM: Tensor, top_k: int) -> HardSet:
    """The ``top_k`` items of each class (its prototype among them) that are LEAST similar to its prototype.

    Args:
        g_CM: the prototypes' rows of the similarities of D-hat.
        member_CM: True where item m is of class c.
        top_k: size of a hard set where the class has so many items.
    """
    return _largest(-g_CM, member_CM, top_k)


def hard_negatives(g_CM: Tensor, member_CM: Tensor, top_k: int) -> HardSet:
    """The ``top_k`` items of other classes that are MOST similar to each class's prototype."""
    return _largest(g_CM, ~member_CM, top_k)


def _largest(score_CM: Tensor, allowed_CM: Tensor, top_k: int) -> HardSet:
    k = min(top_k, score_CM.shape[1])
    i_CK = score_CM.masked_fill(~allowed_CM, -torch.inf).topk(k, dim=1).indices
    return HardSet(i_CK.cpu(), allowed_CM.sum(1, keepdim=True).clamp(max=k).cpu())


def beta_quantile(u: Tensor, alpha: float) -> Tensor:
    """Beta(alpha, alpha) draws from uniform ones, by the inverse of its distribution function.

    One uniform number gives one coefficient, so the count of draws is fixed (rejection samplers take as
    many as they need). Beta(1/2, 1/2) is the arcsine law, whose inverse is sin^2(pi u / 2).
    """
    if alpha == 0.5:
        return torch.sin(u * (math.pi / 2)).square()
    return torch.from_numpy(betaincinv(alpha, alpha, u.numpy())).to(u.dtype)
