"""Poly1: cross-entropy whose first term counts more (Leng et al., ICLR 2022).

1.  Cross-entropy is the sum of (1 - p)^j / j over all j from 1, where p is the
    probability of the text's label.
2.  Poly1 adds epsilon to the factor of the first term: L = CE + epsilon (1 - p).
3.  The loss is the mean over the batch; the answer is the argmax of the logits.
"""

from typing import Self

import numpy as np
import torch
from pydantic import Field

from sharprecl.config import MethodConfig
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import OpenedBackbone
from sharprecl.methods.classification import LogitLoss


class Poly1Config(MethodConfig):
    """What ``--set method.NAME=VALUE`` takes; every setting needs a default."""

    epsilon: float = Field(1.0, ge=-1, description="added factor; 0 is cross-entropy")


class Poly1(LogitLoss):
    """Shapes the loss of each text; ``sharprecl.methods.base`` has what else there is."""

    Config = Poly1Config

    def __init__(self, epsilon: float) -> None:
        super().__init__()
        self.epsilon = epsilon

    @classmethod
    def build(
        cls,
        backbone: OpenedBackbone,
        class_counts: np.ndarray,
        config: Poly1Config,
        seed: int,
    ) -> Self:
        """Classifier [C, H] and training texts of each class [C] are known here."""
        del backbone, class_counts, seed
        return cls(config.epsilon)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: Poly1Config) -> None:
        """None: scores are no log-probabilities, so ``--prior`` cannot turn them.

        If classes are true with shares q, the loss is least at
        p_c = q_c / (a - epsilon q_c), and not at q_c. Leave this method out where
        the loss is a cross-entropy.
        """
        del class_counts, config

    def per_text(self, s_NC: torch.Tensor, y_N: torch.Tensor) -> torch.Tensor:
        """Logits [N, C] and label ids [N] to losses [N]."""
        ce_N = cross_entropy(s_NC, y_N)
        # expm1 loses no digits where p is almost 1.
        return ce_N - self.epsilon * torch.expm1(-ce_N)
