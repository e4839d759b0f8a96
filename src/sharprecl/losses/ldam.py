"""Label-distribution-aware margins: the rarer a class, the wider the margin that its texts must keep.

Source: Cao et al., NeurIPS 2019.
"""

import torch.nn.functional as F
from torch import Tensor

from sharprecl.losses.class_counts import positive_counts
from sharprecl.losses.cross_entropy import cross_entropy


def label_margins(counts_C: Tensor, max_margin: float) -> Tensor:
    """Margin of every class, proportional to ``n_c^(-1/4)``; the rarest class has ``max_margin``. float64."""
    width_C = positive_counts(counts_C) ** -0.25
    return max_margin * width_C / width_C.max()


def margin_cross_entropy(s_NC: Tensor, y_N: Tensor, margin_C: Tensor) -> Tensor:
    """Cross-entropy of logits of which the label's own is lowered by the margin of its class.

    Args:
        s_NC: logits.
        y_N: label ids, int64.
        margin_C: in the unit of the logits: for cosine logits the margin of ``label_margins`` times their scale.

    Returns:
        l_N, not reduced; without margins plain cross-entropy.
    """
    return cross_entropy(s_NC - F.one_hot(y_N, s_NC.shape[1]) * margin_C.to(s_NC.dtype), y_N)
