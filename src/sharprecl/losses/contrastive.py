"""The one contrastive kernel: an anchor's positives against all its candidates. Every named loss is a few lines on it.

Source: Khosla et al., NeurIPS 2020, L_out.
"""

import torch
from torch import Tensor


def contrastive(
    g_NJ: Tensor,
    positive_NJ: Tensor,
    candidate_NJ: Tensor,
    temperature: float,
    *,
    log_size_NJ: Tensor | None = None,
    t_NS: Tensor | None = None,
    n_pos: int = 0,
) -> Tensor:
    """Contrastive loss of every anchor, with P(i) its positives::

        l_i = -1/|P(i)| sum_{k in P(i)} log p_ik
        log p_ik = g_ik / tau - log sum_{j in candidates} exp(g_ij / tau) / size_ij

    Args:
        g_NJ: cosine similarities of N anchors to J items.
        positive_NJ: P(i), bool.
        candidate_NJ: what is in the denominator, bool: all but the anchor itself.
        temperature: tau > 0.
        log_size_NJ: logarithm of how many items share a candidate's weight; None weighs each 1.
        t_NS: cosine similarities to S further candidates of each anchor's own.
        n_pos: the first ``n_pos`` of these are positives too.

    Returns:
        l_N, not reduced. An anchor without positives has exactly 0 and a zero gradient.
    """
    lse_N = log_denominator(g_NJ, candidate_NJ, temperature, log_size_NJ=log_size_NJ, t_NS=t_NS)
    return mean_over_positives(lse_N, g_NJ, positive_NJ, temperature, t_NS=t_NS, n_pos=n_pos)


def mean_over_positives(
    lse_N: Tensor,
    g_NJ: Tensor,
    positive_NJ: Tensor,
    temperature: float,
    *,
    t_NS: Tensor | None = None,
    n_pos: int = 0,
) -> Tensor:
    """``contrastive`` from its denominator: its logarithm, less the mean similarity of the positives."""
    count_N = positive_NJ.sum(1) + n_pos
    near_N = (g_NJ * positive_NJ).sum(1)
    if t_NS is not None:
        near_N = near_N + t_NS[:, :n_pos].sum(1)
    return torch.where(count_N > 0, lse_N - near_N / temperature / count_N.clamp(min=1), 0.0)


def log_denominator(
    g_NJ: Tensor,
    candidate_NJ: Tensor,
    temperature: float,
    *,
    log_size_NJ: Tensor | None = None,
    t_NS: Tensor | None = None,
) -> Tensor:
    """Logarithm of the denominator of ``contrastive``; 0, with a zero gradient, for an anchor without a candidate.

    It is a log-sum-exp: no exponential is ever taken apart from its logarithm, so a small temperature cannot overflow.
    """
    s_NJ = g_NJ / temperature
    if log_size_NJ is not None:
        s_NJ = s_NJ - log_size_NJ
    s_NJ = s_NJ.masked_fill(~candidate_NJ, -torch.inf)
    if t_NS is not None and t_NS.shape[1]:
        return torch.logsumexp(torch.cat([s_NJ, t_NS / temperature], dim=1), dim=1)
    alone_N = ~candidate_NJ.any(1)
    return torch.logsumexp(s_NJ.masked_fill(alone_N[:, None], 0.0), dim=1).masked_fill(alone_N, 0.0)


def same_class(y_N: Tensor, y_J: Tensor) -> tuple[Tensor, Tensor]:
    """Positives and candidates [N, J] where the N anchors are the first of the J items: the others of the class, and
    all others.

    Args:
        y_N, y_J: label ids, int64.
    """
    others_NJ = ~torch.eye(len(y_N), len(y_J), dtype=torch.bool, device=y_J.device)
    return (y_N[:, None] == y_J) & others_NJ, others_NJ
