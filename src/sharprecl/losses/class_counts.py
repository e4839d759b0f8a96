"""Training texts of each class, checked before a logarithm or a division meets them."""

import torch
from torch import Tensor

from sharprecl.errors import ConfigError


def positive_counts(counts_C: Tensor) -> Tensor:
    """``counts_C`` in float64, every class with a text.

    Raises:
        ConfigError: a class has no training text.
    """
    n_C = counts_C.to(torch.float64)
    # Weighted texts may count for less than one.
    empty = torch.nonzero(~(n_C > 0)).flatten().tolist()
    if empty:
        raise ConfigError(
            f"class ids {empty} have no training text, so their prior is 0 and its logarithm infinite; remove these "
            "labels or give each a text (SharpReCL can do without: prior_smoothing='laplace', anchor_weight='none')"
        )
    return n_C
