"""Plain cross-entropy: a linear layer on a pretrained encoder, the reference that every other method must beat.

The rows "BERT" and "RoBERTa" of the paper: the encoder decides which. Devlin et al., NAACL 2019; Liu et al., 2019.
"""

from typing import Self

import numpy as np

from sharprecl.config.methods import CrossEntropyConfig
from sharprecl.methods.base import OpenedBackbone
from sharprecl.methods.classification import LogitLoss


class CrossEntropy(LogitLoss):
    """Mean cross-entropy of the logits. No side modules, no random numbers."""

    Config = CrossEntropyConfig

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: CrossEntropyConfig, seed: int) -> Self:
        del backbone, class_counts, config, seed
        return cls()
