"""What a backbone hands to a method."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
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
        b_C: the linear layer's bias; None is none.
    """

    x_NH: Tensor
    s_NC: Tensor
    w_CH: Tensor
    t_NCH: Tensor | None = None
    b_C: Tensor | None = None

    def changed(self, change: Callable[[Tensor], Tensor]) -> "Features":
        """With something done to all that has a row for each text."""
        t_NCH = None if self.t_NCH is None else change(self.t_NCH)
        return replace(self, x_NH=change(self.x_NH), s_NC=change(self.s_NC), t_NCH=t_NCH)

    def without_layer_gradients(self) -> "Features":
        """With the linear layer read as a constant, but for what it did to the scores."""
        return replace(self, w_CH=self.w_CH.detach(), b_C=None if self.b_C is None else self.b_C.detach())


def gathered(parts: Sequence[Features], order_N: Tensor) -> Features:
    """One batch of features from several forwards: row n is row ``order_N[n]`` of all parts."""
    x_NH = torch.cat([part.x_NH for part in parts]).index_select(0, order_N)
    s_NC = torch.cat([part.s_NC for part in parts]).index_select(0, order_N)
    labels = [part.t_NCH for part in parts if part.t_NCH is not None]
    t_NCH = torch.cat(labels).index_select(0, order_N) if labels else None
    return Features(x_NH, s_NC, parts[0].w_CH, t_NCH, parts[0].b_C)
