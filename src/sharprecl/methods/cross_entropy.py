"""Plain cross-entropy: the reference that every other method must beat."""

from typing import Self

import numpy as np

from sharprecl.config import CrossEntropyConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress
from sharprecl.methods.precision import full_precision
from sharprecl.models.features import Features


class CrossEntropy(Method):
    """Mean cross-entropy of the logits. No side modules, no random numbers."""

    n_views = 1

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: CrossEntropyConfig, seed: int) -> Self:
        del backbone, class_counts, config, seed
        return cls()

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        del progress
        with full_precision(features) as precise:
            classification = reducers.mean(cross_entropy(precise.s_NC, batch.y_N))
        return {"total": classification, "classification": classification}
