"""Post-hoc logit adjustment: plain cross-entropy, and answers that discount the class prior (Menon et al., ICLR 2021).

1.  The training is that of plain cross-entropy, whose logits tend to the log-probabilities of the classes in the
    training data.
2.  The answer is the argmax of s_c - tau log(n_c / n): with tau = 1 the most likely class if all were equally frequent.
3.  At the end the discount goes into the bias of the classifier, so the saved model answers so by itself; its
    probabilities are then those of balanced classes.

The epoch is chosen by the adjusted answers. A classifier without bias has no place for the discount (GPT-2's and
LLaMA's have none); ``build`` refuses it before any time is spent.
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor, nn

from sharprecl.config.methods import LogitAdjustmentConfig
from sharprecl.errors import ConfigError
from sharprecl.losses.logit_compensation import log_prior
from sharprecl.methods.base import OpenedBackbone, flattened_prior
from sharprecl.methods.classification import LogitLoss
from sharprecl.models.features import Features


class LogitAdjustment(LogitLoss):
    """No side modules, no random numbers. No ``official``: the source trains image networks with SGD."""

    Config = LogitAdjustmentConfig
    discount_C: Tensor

    def __init__(self, discount_C: Tensor) -> None:
        super().__init__()
        self.register_buffer("discount_C", discount_C.to(torch.get_default_dtype()))

    @classmethod
    def build(
        cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: LogitAdjustmentConfig, seed: int
    ) -> Self:
        """Work out the discounts.

        Raises:
            ConfigError: the backbone's classifier has no bias.
        """
        del seed
        classifier = getattr(backbone, "classifier", None)
        if classifier is not None:
            _bias_of(classifier)
        return cls(config.tau * log_prior(torch.as_tensor(class_counts)))

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: LogitAdjustmentConfig) -> np.ndarray:
        """P^(1 - tau)."""
        return flattened_prior(class_counts, config.tau)

    def logits(self, features: Features) -> Tensor:
        """Logits less the discounts."""
        return features.s_NC - self.discount_C

    @torch.no_grad()
    def finalize(self, classifier: nn.Linear) -> None:
        """Take the discounts off the bias."""
        _bias_of(classifier).sub_(self.discount_C)


def _bias_of(classifier: nn.Linear) -> Tensor:
    if classifier.bias is None:
        raise ConfigError(
            "logit adjustment keeps its answer in the bias of the classifier, and this encoder's has none; choose "
            "balanced_softmax, which does the same in training, or another encoder"
        )
    return classifier.bias
