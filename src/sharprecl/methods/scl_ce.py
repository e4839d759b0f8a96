"""SCLCE: supervised contrastive learning beside cross-entropy in fine-tuning (Gunel et al., ICLR 2021).

1.  The features of a text are made unit-length. There is no projection head and no second view.
2.  Contrastive loss L_SCL: every text is an anchor; the texts of its class in the batch are its positives, and all
    others its negatives. An anchor whose class stands alone in the batch has no positive and counts 0.
3.  L = (1 - lambda) L_CE + lambda L_SCL; the answer is the argmax of the logits.

The paper writes L_SCL as a sum over the batch, whose weight beside the mean cross-entropy grows with the batch size;
the default here is the mean over the batch (``reduce``). ``mean_of_valid`` leaves anchors without positives out of the
count: small batches with many classes then keep the size of the loss.
"""

from typing import Self

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from sharprecl.config.methods import SupervisedContrastiveConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.supervised_contrastive import has_positive, supervised_contrastive
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress
from sharprecl.models.features import Features


class SupervisedContrastive(Method):
    """No side modules, no random numbers."""

    Config = SupervisedContrastiveConfig

    def __init__(self, config: SupervisedContrastiveConfig) -> None:
        super().__init__()
        self.config = config

    @classmethod
    def build(
        cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: SupervisedContrastiveConfig, seed: int
    ) -> Self:
        del backbone, class_counts, seed
        return cls(config)

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = (1 - lambda) ``classification`` + lambda ``contrastive``."""
        del progress
        weight = self.config.weight
        classification = reducers.mean(cross_entropy(features.s_NC, batch.y_N))
        contrastive = self._contrastive(batch.y_N, features.x_NH)
        total = (1 - weight) * classification + weight * contrastive
        return {"total": total, "classification": classification, "contrastive": contrastive}

    def _contrastive(self, y_N: Tensor, x_NH: Tensor) -> Tensor:
        z_NH = F.normalize(x_NH, dim=1, eps=1e-6)
        l_N = supervised_contrastive(z_NH @ z_NH.T, y_N, self.config.temperature)
        if self.config.reduce == "mean_of_valid":
            return reducers.mean_of_valid(l_N, has_positive(y_N))
        return reducers.sum(l_N) if self.config.reduce == "sum" else reducers.mean(l_N)
