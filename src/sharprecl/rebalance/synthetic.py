"""Which items of D-hat are mixed into the synthetic samples of each class, and how strongly."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from sharprecl.rebalance.hard_mixup import HardSet, beta_quantile, hard_negatives, hard_positives
from sharprecl.rebalance.schedule import count_hard
from sharprecl.rebalance.simple_sampling import LabelBlocks


@dataclass(frozen=True)
class SyntheticPlan:
    """Sample s of class c is ``a x_i + (1 - a) x_j``, made unit-length; a simple sample has j = i and a = 1.

    The columns: hard positives, simple positives (together ``n_pos``), hard negatives, simple negatives.

    Attributes:
        i_CS: row numbers of the first parents, int64.
        j_CS: row numbers of the second parents, int64.
        a_CS: mixing coefficients in [0, 1], in the dtype of the similarities.
    """

    i_CS: Tensor
    j_CS: Tensor
    a_CS: Tensor


@torch.no_grad()
def plan_synthetic(
    g_MM: Tensor,
    y_M: Tensor,
    num_classes: int,
    n_pos: int,
    n_neg: int,
    top_k: int,
    ratio: float,
    mixup_alpha: float,
    generator: torch.Generator,
) -> SyntheticPlan:
    """Draw the synthetic samples of all classes, with replacement and without a loop over the classes.

    Args:
        g_MM: cosine similarities of D-hat; its last C rows are the prototypes of classes 0..C-1. No
            gradient is taken.
        y_M: class of each item, int64.
        num_classes: C, at least 2.
        n_pos: positives of each class.
        n_neg: negatives of each class.
        top_k: size of the hard sets.
        ratio: share of hard-mixup, from ``mixup_ratio``.
        mixup_alpha: coefficients are drawn from Beta(mixup_alpha, mixup_alpha).
        generator: on the CPU. It always gives 3 * C * (n_pos + n_neg) uniform numbers, whatever the ratio
            and the device of ``g_MM``, so that the same seed makes the same draws everywhere.

    Returns:
        The plan, on the device of ``g_MM``.
    """
    u_3CS = torch.rand(3, num_classes, n_pos + n_neg, generator=generator, dtype=torch.float64)
    classes_C = torch.arange(num_classes, device=y_M.device)
    member_CM = y_M[None, :] == classes_C[:, None]
    g_CM = g_MM[-num_classes:]
    blocks = LabelBlocks.of(y_M.cpu(), num_classes)
    drawn = [
        _draw(u, count_hard(ratio, u.shape[2]), hard, simple, mixup_alpha)
        for u, hard, simple in (
            (u_3CS[:, :, :n_pos], hard_positives(g_CM, member_CM, top_k), blocks.members),
            (u_3CS[:, :, n_pos:], hard_negatives(g_CM, member_CM, top_k), blocks.others),
        )
    ]
    i_CS, j_CS, a_CS = (torch.cat(halves, dim=1) for halves in zip(*drawn, strict=True))
    return SyntheticPlan(i_CS.to(g_MM.device), j_CS.to(g_MM.device), a_CS.to(g_MM.dtype).to(g_MM.device))


def _draw(
    u_3CS: Tensor, n_hard: int, hard: HardSet, simple: Callable[[Tensor], Tensor], mixup_alpha: float
) -> tuple[Tensor, Tensor, Tensor]:
    u_i, u_j, u_a = u_3CS
    simple_i = simple(u_i[:, n_hard:])
    i_CS = torch.cat([hard.draw(u_i[:, :n_hard]), simple_i], dim=1)
    j_CS = torch.cat([hard.draw(u_j[:, :n_hard]), simple_i], dim=1)
    a_CS = torch.cat([beta_quantile(u_a[:, :n_hard], mixup_alpha), torch.ones_like(u_a[:, n_hard:])], dim=1)
    return i_CS, j_CS, a_CS
