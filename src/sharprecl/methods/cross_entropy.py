"""Plain cross-entropy: a linear layer on a pretrained encoder, the reference that every other method must beat.

The rows "BERT" and "RoBERTa" of the paper: the encoder decides which. Devlin et al., NAACL 2019; Liu et al., 2019.
"""

from typing import Literal, Self

import numpy as np

from sharprecl.config import MethodConfig
from sharprecl.methods.base import OpenedBackbone
from sharprecl.methods.classification import LogitLoss


class CrossEntropyConfig(MethodConfig):
    """Plain cross-entropy has no settings."""

    name: Literal["cross_entropy"] = "cross_entropy"


class CrossEntropy(LogitLoss):
    """Mean cross-entropy of the logits. No side modules, no random numbers."""

    Config = CrossEntropyConfig
    # Devlin et al., appendix A.3: batch 16 or 32, 2e-5 to 5e-5, 2 to 4 epochs; their code decays by 0.01. RoBERTa's
    # own recipe has 10 epochs, decay 0.1, warm-up 0.06 and rates of 1e-5 to 3e-5; give those with --set.
    official = {
        "training": {
            "max_epochs": 4,
            "batch_size": 32,
            "learning_rate": 5e-5,
            "head_learning_rate": 5e-5,
            "weight_decay": 0.01,
            "patience": None,
        }
    }

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: CrossEntropyConfig, seed: int) -> Self:
        del backbone, class_counts, config, seed
        return cls()
