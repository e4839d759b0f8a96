"""Focal: fine-tuning with the focal loss in the place of cross-entropy (Lin et al., ICCV 2017).

1.  The cross-entropy of a text is multiplied by (1 - p)^gamma, where p is the probability of its label: what is learnt
    already hardly counts any more, and the training turns to what is still wrong.
2.  ``alpha`` weighs the classes besides: by rarity, or by numbers of your own.
3.  The loss is the mean over the batch; the answer is the argmax of the logits.

This is the softmax form for many classes, not the sigmoid of the paper's object detector. Decided here: 1 - p is
computed through its logarithm, for with gamma < 1 the power's gradient is infinite at p = 1; and ``inverse_frequency``
weights sum to C, so that balanced classes weigh 1.
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor

from sharprecl.config.methods import FocalConfig
from sharprecl.errors import ConfigError
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.focal import focal
from sharprecl.methods.base import OpenedBackbone
from sharprecl.methods.classification import LogitLoss


class Focal(LogitLoss):
    """No side modules, no random numbers; the weights of the classes are a buffer."""

    Config = FocalConfig
    alpha_C: Tensor

    def __init__(self, gamma: float, alpha_C: Tensor) -> None:
        super().__init__()
        self.gamma = gamma
        self.register_buffer("alpha_C", alpha_C.to(torch.get_default_dtype()))

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: FocalConfig, seed: int) -> Self:
        """Work out the weights of the classes.

        Raises:
            ConfigError: there are fewer than two classes, or not as many weights as classes.
        """
        del backbone, seed
        num_classes = len(class_counts)
        if num_classes < 2:
            raise ConfigError("the focal loss needs two classes and the training data has only one; check the labels")
        if config.alpha == "none":
            return cls(config.gamma, torch.ones(num_classes))
        if config.alpha == "inverse_frequency":
            return cls(config.gamma, classification_weights("inverse_frequency", torch.as_tensor(class_counts)))
        if len(config.alpha) != num_classes:
            raise ConfigError(
                f"method.alpha has {len(config.alpha)} numbers, but there are {num_classes} classes; give one for each "
                "label, in their sorted order, or 'inverse_frequency'"
            )
        return cls(config.gamma, torch.tensor(config.alpha))

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: FocalConfig) -> None:
        """Not known: what is learnt already hardly counts, so scores are no log-probabilities."""
        del class_counts, config

    def per_text(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        return self.alpha_C[y_N] * focal(s_NC, y_N, self.gamma)
