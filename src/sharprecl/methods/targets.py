"""The targets of TSC: C points spread evenly over a sphere, and which class goes to which of them.

Source: Li et al., CVPR 2022, and its published code for the temperature.
"""

import math

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch import Tensor

_TEMPERATURE = 0.07
_STEPS = 150
_RATE = 0.03


@torch.no_grad()
def spread_targets(num_classes: int, dim: int, seed: int = 0) -> Tensor:
    """Unit vectors t_CD, float64, as far from each other as may be.

    Up to C = D + 1 they are the regular simplex, all inner products -1/(C - 1), which minimises the paper's ``mean_i
    log sum_j exp(t_i.t_j / 0.07)`` and is written down. Beyond, Adam searches from seeded random directions, for a
    short while: what it finds is spread well but not best (C = 1000, D = 128: largest inner product 0.13, and no
    arrangement can be below 0.08).
    """
    if num_classes <= dim + 1:
        return _simplex(num_classes, dim)
    t_CD = F.normalize(torch.randn(num_classes, dim, generator=torch.Generator().manual_seed(seed)), dim=1)
    optimizer = torch.optim.Adam([t_CD], lr=_RATE)
    for step in range(_STEPS):
        # t_i.t_i = 1 is so much larger than all others that nearly nothing would be left of their gradients. Without
        # it, and with one logarithm around the sum over all pairs, the optimum is the same where it is symmetric.
        push_CC = torch.exp((t_CD @ t_CD.T - 1) / _TEMPERATURE).fill_diagonal_(0.0)
        slope_CD = push_CC @ t_CD / push_CC.sum()
        t_CD.grad = slope_CD - (slope_CD * t_CD).sum(1, keepdim=True) * t_CD
        optimizer.param_groups[0]["lr"] = _RATE * (1 - step / _STEPS)
        optimizer.step()
        t_CD.copy_(F.normalize(t_CD, dim=1))
    return F.normalize(t_CD.to(torch.float64), dim=1)


def _simplex(num_classes: int, dim: int) -> Tensor:
    """Corner by corner: each new axis k separates corner k from those after it, which share what is left alike."""
    t_CD = torch.zeros(num_classes, dim, dtype=torch.float64)
    if num_classes == 1:
        t_CD[0, 0] = 1.0
    for k in range(num_classes - 1):
        left = num_classes - 1 - k
        length = math.sqrt(num_classes / ((num_classes - 1) * left * (left + 1)))
        t_CD[k, k] = left * length
        t_CD[k + 1 :, k] = -length
    return t_CD


def assign_targets(centroids_CD: Tensor, targets_CD: Tensor) -> Tensor:
    """The target of every class, int64 [C], on the centroids' device: the one-to-one assignment with the largest sum
    of cosines, by the Hungarian method, in float64 on the CPU."""
    gain_CC: NDArray[np.float64] = (centroids_CD.cpu().double() @ targets_CD.cpu().double().T).numpy()
    _, target_C = linear_sum_assignment(gain_CC, maximize=True)
    return torch.from_numpy(target_C).to(centroids_CD.device)
