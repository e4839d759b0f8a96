"""The supervised prototypical contrastive loss: texts of the batch are anchors, class centres are in every comparison.

Source: Song et al., EMNLP 2022 (SPCL), section 3.2; ``decoupled`` is the form that its code's README adds.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.methods import PrototypicalForm


def supervised_prototypical(
    x_NH: Tensor, c_CH: Tensor, y_N: Tensor, temperature: float, form: PrototypicalForm = "coupled"
) -> Tensor:
    """Contrastive loss of every text. With ``s_ik = (1 + cos(a_i, a_k)) / 2`` over ``A = {texts, centres}``, ``P(i)``
    the items of i's class but itself and ``N(i)`` those of the other classes::

        coupled:    l_i = -log [ 1/|P(i)| sum_{P(i)} e^{s_ik / tau} / sum_{P(i), N(i)} e^{s_ik / tau} ]
        decoupled:  l_i = -1/|P(i)| sum_{P(i)} s_ik / tau + log sum_{N(i)} e^{s_ik / tau}

    The mean over the positives stands inside the logarithm: the nearest positive counts most, and with n of them the
    loss cannot fall below log n. The code's epsilons (1e-8) kept logarithms finite and are not needed here.

    Args:
        x_NH: features of the texts, of any length.
        c_CH: one centre a class.
        y_N: label ids, int64.
        temperature: tau > 0.
        form: see above.

    Returns:
        l_N, not reduced. An anchor without positives (of the decoupled form: without negatives) has exactly 0.
    """
    x_MH = F.normalize(torch.cat([x_NH, c_CH]), dim=1, eps=1e-6)
    y_M = torch.cat([y_N, torch.arange(len(c_CH), device=y_N.device)])
    s_NM = (1 + x_MH[: len(x_NH)] @ x_MH.T) / (2 * temperature)
    itself_NM = torch.eye(len(x_NH), len(x_MH), dtype=torch.bool, device=y_N.device)
    own_NM = y_N[:, None] == y_M
    positive_NM = own_NM & ~itself_NM
    count_N = positive_NM.sum(1)
    if form == "coupled":
        lse_N = torch.logsumexp(s_NM.masked_fill(itself_NM, -torch.inf), dim=1)
        near_N = torch.logsumexp(s_NM.masked_fill(~positive_NM, -torch.inf), dim=1)
        contrasted_N = count_N > 0
        # -inf, and with it a NaN in the gradient, is kept out before the difference is taken.
        near_N = near_N.where(contrasted_N, 0.0) - count_N.clamp(min=1).to(s_NM.dtype).log()
    else:
        lse_N = torch.logsumexp(s_NM.masked_fill(own_NM, -torch.inf), dim=1)
        near_N = (s_NM * positive_NM).sum(1) / count_N.clamp(min=1)
        contrasted_N = (count_N > 0) & ~own_NM.all(1)
    return (lse_N.where(contrasted_N, 0.0) - near_N).where(contrasted_N, 0.0)
