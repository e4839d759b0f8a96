"""k-positive contrastive learning (KCL), and its second stage with a fixed target for every class (TSC).

Sources: Kang et al., ICLR 2021, for KCL; Li et al., CVPR 2022 (TSC), its supplement's loss, and the published code for
the other normaliser.
"""

import torch
from torch import Tensor

from sharprecl.config.methods import Normalizer


def k_positive_contrastive(g_NJ: Tensor, positive_NJ: Tensor, candidate_NJ: Tensor, temperature: float) -> Tensor:
    """Contrastive loss of every anchor with a chosen set P(i) of positives among J candidates::

        l_i = -1/|P(i)| sum_{k in P(i)} log p_ik,  p = softmax of g_i / tau over i's candidates

    Args:
        g_NJ: cosine similarities of the anchors to J other items: views of the batch, a queue of past ones.
        positive_NJ: P(i), bool, all of them candidates: the text's other view and k items of its class.
        candidate_NJ: what is in the denominator, bool: all but the anchor itself.
        temperature: tau > 0.

    Returns:
        l_N, not reduced. An anchor without positives has exactly 0 and a zero gradient.
    """
    lse_N = _logsumexp(g_NJ, candidate_NJ, g_NJ[:, :0], temperature)
    return _mean_over_positives(g_NJ, positive_NJ, lse_N, temperature)


def targeted_contrastive(
    g_NJ: Tensor,
    positive_NJ: Tensor,
    candidate_NJ: Tensor,
    t_NC: Tensor,
    target_N: Tensor,
    temperature: float,
    weight: float,
    normalizer: Normalizer = "paper",
) -> Tensor:
    """KCL with all C targets in the denominator, and the target of the anchor's class as one more positive::

        paper:  l_i = -1/(k+1) sum_{k in P(i)} log p_ik - lambda log p_it
        code:   l_i = -1/(k+2) [sum_{k in P(i)} log p_ik + lambda log p_it]

    where ``k + 1 = |P(i)|`` counts the other view and the k items of the class.

    Args:
        g_NJ, positive_NJ, candidate_NJ, temperature: as in ``k_positive_contrastive``.
        t_NC: cosine similarities of the anchors to the targets.
        target_N: which target is that of the anchor's class, int64.
        weight: lambda.
        normalizer: see above.

    Returns:
        l_N, not reduced. An anchor without positives has the term of its target alone.
    """
    lse_N = _logsumexp(g_NJ, candidate_NJ, t_NC, temperature)
    class_N = _mean_over_positives(g_NJ, positive_NJ, lse_N, temperature)
    l_target_N = lse_N - t_NC.gather(1, target_N[:, None])[:, 0] / temperature
    if normalizer == "code":
        count_N = positive_NJ.sum(1)
        return (count_N * class_N + weight * l_target_N) / (count_N + 1)
    return class_N + weight * l_target_N


def _logsumexp(g_NJ: Tensor, candidate_NJ: Tensor, t_NC: Tensor, temperature: float) -> Tensor:
    """Log of the denominator; 0 for an anchor that has nothing to be compared with."""
    candidates = torch.cat([g_NJ.masked_fill(~candidate_NJ, -torch.inf), t_NC], dim=1) / temperature
    alone_N = ~candidate_NJ.any(1) & (t_NC.shape[1] == 0)
    return torch.logsumexp(candidates.masked_fill(alone_N[:, None], 0.0), dim=1).masked_fill(alone_N, 0.0)


def _mean_over_positives(g_NJ: Tensor, positive_NJ: Tensor, lse_N: Tensor, temperature: float) -> Tensor:
    """-1/|P(i)| sum_{k in P(i)} log p_ik = log-sum-exp - mean of the positives' similarities / tau."""
    count_N = positive_NJ.sum(1)
    attraction_N = (g_NJ * positive_NJ).sum(1) / temperature / count_N.clamp(min=1)
    return torch.where(count_N > 0, lse_N - attraction_N, 0.0)
