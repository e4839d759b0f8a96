"""The supervised contrastive loss over D-hat (views and prototypes) and each class's synthetic samples.

Source: SharpReCL (WWW 2026), Eq. CL without its weight; Khosla et al., NeurIPS 2020, for the mean over
    positives.
"""

from typing import Literal

from torch import Tensor

from sharprecl.losses.contrastive import contrastive, same_class


def prototype_contrastive(
    g_MM: Tensor,
    t_MS: Tensor,
    y_M: Tensor,
    n_pos: int,
    temperature: float,
    positives: Literal["mean", "sum"] = "mean",
) -> Tensor:
    """Contrastive loss of every item of D-hat as anchor.

    With ``p_ik`` the softmax at ``temperature`` of anchor i's similarities to all of D-hat but itself and
    to the synthetic samples of its own class, and ``P(i)`` the items of its class but itself and the
    synthetic positives::

        mean:  l_i = -1/|P(i)| sum_{k in P(i)} log p_ik       (Eq. SCL; the default)
        sum:   l_i =          -sum_{k in P(i)} log p_ik       (Eq. CL: the mean over anchors is its 1/|D-hat|)

    Args:
        g_MM: cosine similarities of all items of D-hat.
        t_MS: cosine similarities of each anchor to the synthetic samples of its class; S may be 0.
        y_M: class of each item, int64.
        n_pos: the first ``n_pos`` columns of ``t_MS`` are positives, the others negatives.
        temperature: tau > 0.
        positives: how an anchor's positives are combined.

    Returns:
        l_M, not reduced. An anchor without positives has exactly 0 and a zero gradient.
    """
    positive_MM, others_MM = same_class(y_M, y_M)
    mean_M = contrastive(g_MM, positive_MM, others_MM, temperature, t_NS=t_MS, n_pos=n_pos)
    return mean_M if positives == "mean" else mean_M * (positive_MM.sum(1) + n_pos)
