"""Simple sampling: uniform over a whole class, or over everything else, with replacement.

Sorted by label once, a class is a contiguous block of rows and its complement is what lies around the
block. A draw is then integer arithmetic on a uniform number: no mask, no loop over classes. Hard
items may be drawn too.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class LabelBlocks:
    """The items of D-hat sorted by label.

    Attributes:
        order_M: row numbers, sorted by label, rows of a label in ascending order.
        start_C1: where the block of each class starts in ``order_M``, shape [C, 1].
        size_C1: number of items of each class, shape [C, 1].
    """

    order_M: Tensor
    start_C1: Tensor
    size_C1: Tensor

    @classmethod
    def of(cls, y_M: Tensor, num_classes: int) -> "LabelBlocks":
        """Sort once. ``y_M`` must be on the CPU, where the draws are made."""
        size_C = torch.bincount(y_M, minlength=num_classes)
        return cls(torch.argsort(y_M, stable=True), (size_C.cumsum(0) - size_C)[:, None], size_C[:, None])

    def members(self, u_CS: Tensor) -> Tensor:
        """Row numbers, int64 [C, S]: for class c uniform over its items, from ``u_CS`` in [0, 1)."""
        return self.order_M[self.start_C1 + floor_times(u_CS, self.size_C1)]

    def others(self, u_CS: Tensor) -> Tensor:
        """Row numbers, int64 [C, S]: for class c uniform over the items of all other classes."""
        rank_CS = floor_times(u_CS, len(self.order_M) - self.size_C1)
        return self.order_M[rank_CS + self.size_C1 * (rank_CS >= self.start_C1)]


def floor_times(u: Tensor, n: Tensor) -> Tensor:
    """Uniform on 0..n-1 from ``u`` in [0, 1): with its 53 random bits the product never rounds to n."""
    return (u * n).long()
