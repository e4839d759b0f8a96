"""Balanced softmax: cross-entropy of logits that know the class prior (Ren et al., NeurIPS 2020).

1.  In training tau log(n_c / n) is added to the logit of every class. The prior then explains why large classes are
    frequent, and the bare logits need not.
2.  The loss is the mean cross-entropy; the answer is the argmax of the bare logits, fit for balanced classes.

This is SharpReCL's classification loss L_CLS on one view, and with any ``tau`` the logit-adjusted loss of Menon et al.,
ICLR 2021. What the contrastive part adds shows beside ``sharprecl`` without ``CL``, which classifies both views.
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor

from sharprecl.config.methods import BalancedSoftmaxConfig
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.methods.base import OpenedBackbone, flattened_prior
from sharprecl.methods.classification import LogitLoss


class BalancedSoftmax(LogitLoss):
    """No side modules, no random numbers. No ``official``: the source trains image networks with SGD."""

    Config = BalancedSoftmaxConfig
    log_prior_C: Tensor

    def __init__(self, tau: float, log_prior_C: Tensor) -> None:
        super().__init__()
        self.tau = tau
        self.register_buffer("log_prior_C", log_prior_C.to(torch.get_default_dtype()))

    @classmethod
    def build(
        cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: BalancedSoftmaxConfig, seed: int
    ) -> Self:
        """Work out the prior of the classes."""
        del backbone, seed
        return cls(config.tau, log_prior(torch.as_tensor(class_counts)))

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: BalancedSoftmaxConfig) -> np.ndarray:
        """P^(1 - tau)."""
        return flattened_prior(class_counts, config.tau)

    def per_text(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return compensated_cross_entropy(s_NC, y_N, self.log_prior_C, self.tau)
