"""Projection heads: side modules that contrastive losses look through, thrown away after training."""

import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.methods import HeadNorm

SMALLEST_BATCH_NORM = 8
"""Fewest prototypes that BatchNorm may see: with C = 2 its output is +-1 whatever the prototypes are."""


class ProjectionHead(nn.Module):
    """proj_f and proj_h of the paper: Linear(H, H), normalisation, ReLU, Linear(H, D), rows made unit-length.

    Args:
        in_dim: H.
        out_dim: D.
        norm: ``none`` (the paper), ``layer``, or ``batch`` (the published code). Batch statistics of C
            prototype rows degenerate when C is small, see ``prototype_head_norm``.
    """

    def __init__(self, in_dim: int, out_dim: int, norm: HeadNorm = "none") -> None:
        super().__init__()
        self.hidden = nn.Linear(in_dim, in_dim)
        self.norm = {"none": nn.Identity, "layer": nn.LayerNorm, "batch": BatchNorm}[norm](in_dim)
        self.output = nn.Linear(in_dim, out_dim)

    def forward(self, x_NH: Tensor) -> Tensor:
        """Unit-length projections z_ND (a projection shorter than 1e-6 stays shorter than 1)."""
        return F.normalize(self.output(F.relu(self.norm(self.hidden(x_NH)))), dim=1, eps=1e-6)


class BatchNorm(nn.BatchNorm1d):
    """``BatchNorm1d`` for batches of any size: one row has no statistics, so the running ones serve."""

    def forward(self, input: Tensor) -> Tensor:
        if len(input) > 1 or not self.training:
            return super().forward(input)
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)


def prototype_head_norm(norm: HeadNorm, num_classes: int) -> HeadNorm:
    """The normalisation for a head that sees one row a class: never ``batch`` when C < 8."""
    return "none" if norm == "batch" and num_classes < SMALLEST_BATCH_NORM else norm
