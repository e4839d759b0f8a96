"""Logit compensation: add log P(class) to the logits in training, answer with the bare logits.

Source: SharpReCL (WWW 2026), the classification loss L_CLS; Menon et al., ICLR 2021, for ``tau``.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.sharprecl import Smoothing
from sharprecl.losses.class_counts import positive_counts
from sharprecl.losses.cross_entropy import cross_entropy


def log_prior(counts_C: Tensor, smoothing: Smoothing = "none") -> Tensor:
    """Logarithm of each class's share of the training texts, float64.

    Args:
        counts_C: training texts of each class.
        smoothing: ``none`` is log(n_c / n); ``epsilon`` is log(n_c / n + 1e-9), the published code;
            ``laplace`` is log((n_c + 1) / (n + C)). The last two are finite for a class without texts.

    Raises:
        ConfigError: ``none`` with a class that has no text.
    """
    if smoothing == "none":
        n_C = positive_counts(counts_C)
        return torch.log(n_C / n_C.sum())
    n_C = counts_C.to(torch.float64)
    if smoothing == "epsilon":
        return torch.log(n_C / n_C.sum() + 1e-9)
    return torch.log((n_C + 1) / (n_C.sum() + len(n_C)))


def compensated_cross_entropy(
    s_NC: Tensor, y_N: Tensor, log_prior_C: Tensor, tau: float = 1.0, normalize_logits: bool = False
) -> Tensor:
    """Cross-entropy of ``s_NC + tau * log_prior_C``.

    Args:
        s_NC: logits.
        y_N: label ids, int64.
        log_prior_C: from ``log_prior``.
        tau: strength of the compensation; 0 is plain cross-entropy.
        normalize_logits: make each row of logits unit-length first, as the published code does. The prior
            then dominates and the loss cannot reach 0.

    Returns:
        l_N, not reduced.
    """
    if normalize_logits:
        s_NC = F.normalize(s_NC, dim=1)
    return cross_entropy(s_NC + tau * log_prior_C.to(s_NC.dtype), y_N)
