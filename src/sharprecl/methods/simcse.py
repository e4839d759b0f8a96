"""SimCSE: unsupervised contrastive learning of two dropout passes, beside cross-entropy (Gao et al., EMNLP 2021).

1.  Every text goes through the encoder twice. Only the dropout masks differ, and with them the features x and x'.
2.  In training a small head looks at them: z = tanh(W x + b). The classifier sees x itself, in training and after.
3.  Contrastive loss L_UCL: among all second passes of the batch, z must find its own text's z' by the cosine at a low
    temperature. Labels play no part, so two texts of one class repel each other as well.
4.  L = (1 - lambda) L_CE + lambda L_UCL. The head is thrown away; the answer is the argmax of the logits.

SimCSE was made for sentence vectors. The sum with cross-entropy is how SharpReCL's paper compares it ("a linear
combination, as in SCLCE"), but it gives no lambda: 0.1 is our choice, and a grid of 0.1 to 0.9 is worth a search. The
cross-entropy is that of the first pass (``ce_views``). Dropout makes the views: under ``legacy_eval_mode`` both passes
are equal and L_UCL has little left to teach.
"""

from typing import Self

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.methods import SimCSEConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.info_nce import info_nce
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress, seeded
from sharprecl.models.features import Features


class SimCSE(Method):
    """See the module's docstring."""

    Config = SimCSEConfig

    def __init__(self, config: SimCSEConfig, head: nn.Module) -> None:
        super().__init__()
        self.config = config
        self.head = head

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: SimCSEConfig, seed: int) -> Self:
        """Make the head."""
        del class_counts
        with seeded(seed):
            width = backbone.feature_dim
            return cls(config, nn.Sequential(nn.Linear(width, width), nn.Tanh()))

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = (1 - lambda) ``classification`` + lambda ``contrastive``."""
        del progress
        weight = self.config.weight
        classification = self._classification(batch, features.s_NC)
        contrastive = self._contrastive(features.x_NH)
        total = (1 - weight) * classification + weight * contrastive
        return {"total": total, "classification": classification, "contrastive": contrastive}

    def _classification(self, batch: Batch, s_NC: Tensor) -> Tensor:
        y_N = batch.y_N
        if self.config.ce_views == "first":
            s_NC, y_N = s_NC[: len(batch.y_B)], batch.y_B
        return reducers.mean(cross_entropy(s_NC, y_N))

    def _contrastive(self, x_NH: Tensor) -> Tensor:
        z_NH = F.normalize(self.head(x_NH), dim=1, eps=1e-6)
        first_BH, second_BH = z_NH.chunk(2)
        return reducers.mean(info_nce(first_BH @ second_BH.T, self.config.temperature, self.config.symmetric))
