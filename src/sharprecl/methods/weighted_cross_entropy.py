"""Class-weighted cross-entropy: the texts of rare classes count for more (Cui et al., CVPR 2019).

1.  A class of n texts holds an effective number E = (1 - beta^n) / (1 - beta) of different ones: the more there are,
    the less a further one adds. Its weight is proportional to 1 / E, or to 1 / n (``inverse_frequency``).
2.  The weights are scaled so that they sum to C.
3.  The loss is the mean over the batch of weight times cross-entropy; the answer is the argmax of the logits.

The mean is over the texts, as in the source, and not over their weights, as in ``torch.nn.CrossEntropyLoss``: a text's
share of the gradient does not depend on which others are in its batch.
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor

from sharprecl.config.methods import WeightedCrossEntropyConfig
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import OpenedBackbone, flattened_prior
from sharprecl.methods.classification import LogitLoss


class WeightedCrossEntropy(LogitLoss):
    """No side modules, no random numbers. No ``official``: the source trains image networks with SGD."""

    Config = WeightedCrossEntropyConfig
    weight_C: Tensor

    def __init__(self, weight_C: Tensor) -> None:
        super().__init__()
        self.register_buffer("weight_C", weight_C.to(torch.get_default_dtype()))

    @classmethod
    def build(
        cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: WeightedCrossEntropyConfig, seed: int
    ) -> Self:
        """Work out the weights of the classes."""
        del backbone, seed
        return cls(classification_weights(config.weights, torch.as_tensor(class_counts), config.beta))

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: WeightedCrossEntropyConfig) -> np.ndarray:
        """Shares times weights: a text of weight w counts as w texts."""
        weight_C = classification_weights(config.weights, torch.as_tensor(class_counts), config.beta).numpy()
        return flattened_prior(class_counts * weight_C, 0.0)

    def per_text(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return self.weight_C[y_N] * cross_entropy(s_NC, y_N)
