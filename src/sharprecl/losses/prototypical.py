"""The prototypical contrastive loss: every anchor is compared with one prototype a class and with nothing else.

Source: Wang et al., CVPR 2021 (Hybrid-PSC), Eq. PSC.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.losses.cross_entropy import cross_entropy


def prototypical(g_NC: Tensor, y_N: Tensor, temperature: float, include_own: bool = False) -> Tensor:
    """Contrastive loss of every anchor over the prototypes::

        l_i = -log [exp(g_iy / tau) / sum_{c != y} exp(g_ic / tau)]

    The own class is not in the denominator, so the loss has no floor at 0: it goes on pulling an anchor that is
    already nearest to its prototype.

    Args:
        g_NC: cosine similarities of the anchors to the prototypes; with a single class there is nothing to
            contrast and the loss is 0.
        y_N: label ids, int64.
        temperature: tau > 0.
        include_own: put the own class into the denominator too; that is cross-entropy over the prototypes.

    Returns:
        l_N, not reduced.
    """
    if include_own or g_NC.shape[1] == 1:
        return cross_entropy(g_NC / temperature, y_N)
    own_NC = F.one_hot(y_N, g_NC.shape[1]).bool()
    others_N = torch.logsumexp(g_NC.masked_fill(own_NC, -torch.inf) / temperature, dim=1)
    return others_N - g_NC.gather(1, y_N[:, None])[:, 0] / temperature
