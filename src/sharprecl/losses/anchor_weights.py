"""Weights of the anchors of each class in the contrastive loss: delta_CL of the paper, and its readings.

Sources: SharpReCL (WWW 2026), Eq. CL; Cui et al., CVPR 2019, for the effective number of samples.
"""

from typing import Literal

import torch
from torch import Tensor

from sharprecl.config.sharprecl import AnchorWeight
from sharprecl.losses.class_counts import positive_counts
from sharprecl.losses.logit_compensation import log_prior

WeightKind = AnchorWeight | Literal["log_prior"]


def anchor_weights(kind: WeightKind, counts_C: Tensor, beta: float = 0.9999) -> Tensor:
    """Weight of every class's anchors, float64.

    Args:
        kind: ``none``: 1.
            ``effective_number``: mean(E) / E_c with E_c = (1 - beta^n_c) / (1 - beta): the published code's
            intent.
            ``code_scalar``: that weight of class 0, for every class: what the published code computes.
            ``neg_log_prior``: -log P_c > 0, larger for rarer classes: the paper's weight, its sign mended.
            ``log_prior``: log P_c < 0, the paper's weight as printed. Never train with it: the loss is
            negative, and minimising it drives texts of one class apart. The configuration refuses it; it
            is here to be tested.
        counts_C: training texts of each class, all at least 1.
        beta: of the effective number.

    Raises:
        ConfigError: a class has no text and ``kind`` needs one.
    """
    if kind == "none":
        return torch.ones(len(counts_C), dtype=torch.float64, device=counts_C.device)
    if kind in ("log_prior", "neg_log_prior"):
        log_prior_C = log_prior(counts_C)
        return log_prior_C if kind == "log_prior" else -log_prior_C
    # The factor 1 / (1 - beta) cancels in the ratio.
    effective_C = 1 - beta ** positive_counts(counts_C)
    w_C = effective_C.mean() / effective_C
    return w_C if kind == "effective_number" else w_C[:1].expand_as(w_C).clone()
