"""Cross-entropy of mixed texts: both labels count, each by its share.

Source: Zhang et al., ICLR 2018 (mixup); with logit compensation as in ``logit_compensation``.
"""

from torch import Tensor

from sharprecl.losses.logit_compensation import compensated_cross_entropy


def mixed_cross_entropy(
    s_SC: Tensor, first_S: Tensor, second_S: Tensor, a_S: Tensor, log_prior_C: Tensor, tau: float = 1.0
) -> Tensor:
    """``a l(s, y) + (1 - a) l(s, y')``, l the cross-entropy of ``s + tau log_prior_C``.

    Args:
        s_SC: logits of the mixtures.
        first_S, second_S: label ids y and y' of their parents, int64.
        a_S: the first parents' shares, in [0, 1].
        log_prior_C: logarithm of how often each class stands among the labels.
        tau: strength of the compensation.

    Returns:
        l_S, not reduced.
    """
    a_S = a_S.to(s_SC.dtype)
    l_first_S = compensated_cross_entropy(s_SC, first_S, log_prior_C, tau)
    return a_S * l_first_S + (1 - a_S) * compensated_cross_entropy(s_SC, second_S, log_prior_C, tau)
