"""What Hybrid-SC and Hybrid-PSC share: two branches, each with its own sampling, and the curriculum between them.

Source: Wang et al., CVPR 2021, "Contrastive learning based hybrid networks for long-tailed image classification".
"""

from abc import abstractmethod
from typing import Literal

import numpy as np
from torch import Tensor

from sharprecl.config.methods import HybridConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import Batch, EpochDraw, LossTerms, Method, Progress, flattened_prior
from sharprecl.models.features import Features
from sharprecl.models.heads import ProjectionHead
from sharprecl.rebalance.class_balanced import class_balanced_rows

Curriculum = Literal["quadratic", "linear"]


def contrastive_share(done: float, curriculum: Curriculum) -> float:
    """alpha = 1 - done^2 (the paper's), or 1 - done."""
    return 1.0 - (done**2 if curriculum == "quadratic" else done)


class Hybrid(Method):
    """Base of both hybrids: ``contrast`` is what they differ in."""

    def __init__(self, config: HybridConfig, head: ProjectionHead, seed: int) -> None:
        super().__init__()
        self.config = config
        self.head = head
        self.seed = seed

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: HybridConfig) -> np.ndarray:
        """Uniform, as the draws that the classifier learns from."""
        del config
        return flattened_prior(class_counts, 1.0)

    def draw(self, label_ids: np.ndarray, epoch: int) -> EpochDraw:
        """Half of the texts in two views, and as many class-balanced ones in a single view as there are texts.

        That is as many rows as two views of every text. Even epochs take one half and the odd epoch behind each takes
        the other, so that two epochs show the contrastive branch every text once.
        """
        order_N = np.random.default_rng([self.seed, 0, epoch // 2]).permutation(len(label_ids))
        order_N = self.epoch_rows(len(label_ids), epoch // 2)[order_N]
        # Of a single text the second half is empty.
        half = np.array_split(order_N, 2)[epoch % 2] if len(order_N) > 1 else order_N
        rng = np.random.default_rng([self.seed, 1, epoch])
        return EpochDraw(half, class_balanced_rows(label_ids, len(label_ids), rng, self.weight_N))

    def least_epochs(self, total_epochs: int) -> int:
        """All: the classifier only learns in earnest when alpha has fallen."""
        return total_epochs

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = alpha ``contrastive`` + (1 - alpha) ``classification``."""
        assert batch.y_E is not None
        views = len(batch.y_N)
        contrastive = reducers.mean(self.contrast(self.head(features.x_NH[:views]), batch.y_N))
        classification = reducers.mean(cross_entropy(features.s_NC[views:], batch.y_E))
        alpha = contrastive_share(_done(progress), self.config.curriculum)
        total = alpha * contrastive + (1 - alpha) * classification
        return {"total": total, "classification": classification, "contrastive": contrastive}

    @abstractmethod
    def contrast(self, z_ND: Tensor, y_N: Tensor) -> Tensor:
        """Contrastive loss l_N of the views' unit-length projections."""


def _done(progress: Progress) -> float:
    """0 in the first epoch, 1 in the last, so that short trainings too end with the classifier alone (with e / E, E = 3
    would end at alpha = 0.56); a training of one epoch stands half way, where both branches learn.
    """
    return progress.epoch / (progress.total_epochs - 1) if progress.total_epochs > 1 else 0.5
