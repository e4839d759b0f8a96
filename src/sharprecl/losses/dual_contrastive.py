"""The dual contrastive loss: every text has two vectors, and the one is contrasted with the others of all texts.

Source: Chen et al., arXiv 2201.08702 (DualCL), L_theta and L_z; ``zero_logit`` is how the published code has it.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.methods import OwnPair
from sharprecl.losses.contrastive import contrastive, same_class


def dual_contrastive(
    a_NH: Tensor, t_NH: Tensor, y_N: Tensor, temperature: float, own_pair: OwnPair = "exclude"
) -> Tensor:
    """Contrastive loss of the anchors a over the targets t, both made unit-length. With ``P(i)`` the other texts of
    i's class::

        l_i = -1/|P(i)| sum_{p in P(i)} log [ exp(a_i.t_p / tau) / sum_{j != i} exp(a_i.t_j / tau) ]

    L_theta has the label token's vectors as anchors and the text's as targets, L_z the other way round.

    Args:
        a_NH: anchors, one a text.
        t_NH: targets, one a text.
        y_N: label ids, int64.
        temperature: tau > 0.
        own_pair: an anchor's own target is left out of the sum; or its logit is replaced by 0, which leaves 1 there.

    Returns:
        l_N, not reduced. An anchor without positives has exactly 0 and a zero gradient.
    """
    s_NN = F.normalize(a_NH, dim=1, eps=1e-6) @ F.normalize(t_NH, dim=1, eps=1e-6).T / temperature
    positive_NN, candidate_NN = same_class(y_N, y_N)
    if own_pair == "zero_logit":
        s_NN, candidate_NN = s_NN.where(candidate_NN, 0.0), torch.ones_like(candidate_NN)
    return contrastive(s_NN, positive_NN, candidate_NN, temperature=1.0)
