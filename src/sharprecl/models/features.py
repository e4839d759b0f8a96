"""What a backbone hands to a method."""

from dataclasses import dataclass
from typing import Literal

from torch import Tensor

Reading = Literal["linear", "cosine", "label_tokens"]
"""How a backbone answers: its linear layer; the cosine of the features to that layer's rows, without bias; or the dot
products of a text's vector with those of the label tokens that were put in front of the text (DualCL)."""


@dataclass(frozen=True)
class Features:
    """What a backbone gives for a batch, in float32 with gradients.

    Attributes:
        x_NH: inputs of the classifier's linear layer.
        s_NC: logits, ``x_NH @ w_CH.T + b_C``; for the other readings the scores that those define.
        w_CH: the classifier's weight itself: its rows are the classes.
        t_NCH: vectors of the label tokens in front of each text; only for ``label_tokens``.
    """

    x_NH: Tensor
    s_NC: Tensor
    w_CH: Tensor
    t_NCH: Tensor | None = None
