"""Plain cross-entropy."""

import torch.nn.functional as F
from torch import Tensor


def cross_entropy(s_NC: Tensor, y_N: Tensor) -> Tensor:
    """Cross-entropy of each row, ``l_n = -log softmax(s_n)[y_n]``, in nats.

    Args:
        s_NC: logits.
        y_N: label ids, int64.

    Returns:
        l_N, not reduced.
    """
    return F.cross_entropy(s_NC, y_N, reduction="none")
