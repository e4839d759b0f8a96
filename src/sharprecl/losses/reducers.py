"""Named ways to make one scalar of per-anchor losses."""

from torch import Tensor


def mean(l_N: Tensor) -> Tensor:
    """Mean over all anchors; those without positives count as the 0 that they are."""
    return l_N.mean()


def sum(l_N: Tensor) -> Tensor:
    """Sum over all anchors, as papers that write no normaliser have it."""
    return l_N.sum()


def mean_of_valid(l_N: Tensor, valid_N: Tensor) -> Tensor:
    """Mean over the anchors that ``valid_N`` (bool) marks; 0, with a zero gradient, when there are none."""
    return l_N.where(valid_N, l_N.new_zeros(())).sum() / valid_N.sum().clamp(min=1)
