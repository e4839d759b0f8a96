"""The supervised prototypical contrastive loss: texts of the batch are anchors, class centres are in every comparison.

Source: Song et al., EMNLP 2022 (SPCL), section 3.2; ``decoupled`` is the form that its code's README adds.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.methods import PrototypicalForm
from sharprecl.losses.contrastive import contrastive, log_denominator, same_class


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
    positive_NM, others_NM = same_class(y_N, y_M)
    if form == "decoupled":
        negative_NM = y_N[:, None] != y_M
        l_N = contrastive(s_NM, positive_NM, negative_NM, temperature=1.0)
        return l_N.where(negative_NM.any(1), 0.0)
    lse_N = log_denominator(s_NM, others_NM, temperature=1.0)
    near_N = log_denominator(s_NM, positive_NM, temperature=1.0) - positive_NM.sum(1).clamp(min=1).to(s_NM.dtype).log()
    return (lse_N - near_N).where(positive_NM.any(1), 0.0)
