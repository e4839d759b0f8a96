"""What a backbone hands to a method."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Features:
    """What a backbone gives for a batch, in float32 with gradients.

    Attributes:
        x_NH: inputs of the classifier's linear layer.
        s_NC: logits, ``x_NH @ w_CH.T + b_C``.
        w_CH: the classifier's weight itself: its rows are the classes.
    """

    x_NH: Tensor
    s_NC: Tensor
    w_CH: Tensor
