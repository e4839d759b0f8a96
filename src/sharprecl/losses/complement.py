"""log(1 - p) of a softmax, exact where p is so close to 1 that 1 - p would round to 0.

The losses that look away from what is learnt already (focal, dice) take powers of 1 - p. Computed from p, their
gradients are infinity times 0 on a text that the model is sure of; computed from this logarithm they are small.
"""

import torch
from torch import Tensor


def log_complement(s_NC: Tensor) -> Tensor:
    """``log(1 - softmax(s_n)[c])`` for every class, shape [N, C]; C must be at least 2.

    Only a row's largest p can be above 1/2. For that class 1 - p is summed from the other classes; for all others the
    subtraction loses nothing.
    """
    largest_NC = torch.zeros_like(s_NC, dtype=torch.bool).scatter(1, s_NC.argmax(1, keepdim=True), True)
    rest_N1 = s_NC.masked_fill(largest_NC, -torch.inf).logsumexp(1, keepdim=True)
    of_largest_N1 = rest_N1 - s_NC.logsumexp(1, keepdim=True)
    # The largest p itself is masked out before the logarithm: its branch, though unused, would have a NaN gradient.
    of_others_NC = torch.log1p(-s_NC.softmax(1).masked_fill(largest_NC, 0.0))
    return torch.where(largest_NC, of_largest_N1, of_others_NC)
