"""Class-balanced sampling: cross-entropy on draws in which every class is equally likely (Kang et al., ICLR 2020).

1.  An epoch has as many texts as the training data, drawn with replacement: first a class, all alike, then one of its
    texts. A text of class c is drawn n / (C n_c) times an epoch in the mean.
2.  The loss is plain cross-entropy; the answer is the argmax of the logits.

The texts of a rare class come up many times an epoch and are learnt by heart; most of a large class's are not seen in
every epoch.
"""

from typing import Self

import numpy as np

from sharprecl.config.methods import ClassBalancedSamplingConfig
from sharprecl.methods.base import EpochDraw, OpenedBackbone, flattened_prior
from sharprecl.methods.classification import LogitLoss
from sharprecl.rebalance.class_balanced import class_balanced_rows

_STREAM = 1  # of the draws, behind (seed, epoch)


class ClassBalancedSampling(LogitLoss):
    """No side modules; the draws are a function of (seed, epoch). No ``official``: the source trains image networks."""

    Config = ClassBalancedSamplingConfig

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed

    @classmethod
    def build(
        cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: ClassBalancedSamplingConfig, seed: int
    ) -> Self:
        del backbone, class_counts, config
        return cls(seed)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: ClassBalancedSamplingConfig) -> np.ndarray:
        """Uniform, as the draws."""
        del config
        return flattened_prior(class_counts, 1.0)

    def draw(self, label_ids: np.ndarray, epoch: int) -> EpochDraw:
        """As many rows as there are texts, every class equally likely."""
        rng = np.random.Generator(np.random.PCG64([self.seed, epoch, _STREAM]))
        return EpochDraw(class_balanced_rows(label_ids, len(label_ids), rng, self.weight_N))
