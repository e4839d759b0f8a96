"""BCL: contrastive learning in which every class weighs the same, beside logit-adjusted cross-entropy.

The method in four steps (Zhu et al., CVPR 2022):

1.  Two heads project the features of two views and the classifier's weight rows onto one sphere: views z and class
    centres c. With the centres, every class occurs in every batch (class complement).
2.  Contrastive loss L_BCL: every view is an anchor; in its denominator the items of a class count as their average
    (class averaging), so that frequent classes do not push all others away.
3.  Classification loss L_CE: a cosine classifier, logits s cos(x, w_c) with s = 30, plus the log prior of the classes,
    on the text itself.
4.  L = L_CE + 0.35 L_BCL. Afterwards the heads are thrown away; the answer is the argmax of the cosines, without the
    prior, for which an ordinary linear layer is written.

Decided here: the original has three views of an image, two to contrast and one to classify; here the text itself
serves as the first contrasted view too, which saves a third of the cost. No BatchNorm in the heads: of two centres it
makes +-1 whatever they are. ``head_norm`` brings it back (for the centres only from eight classes on).
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor, nn

from sharprecl.config.methods import BCLConfig
from sharprecl.losses import reducers
from sharprecl.losses.balanced_contrastive import balanced_contrastive
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress, flattened_prior, seeded
from sharprecl.methods.cosine_classifier import CosineClassifier
from sharprecl.models.features import Features
from sharprecl.models.heads import ProjectionHead, prototype_head_norm


class BCL(Method):
    """See the module's docstring. ``build`` makes one; the constructor takes the finished parts."""

    Config = BCLConfig
    log_prior_C: Tensor

    def __init__(
        self, config: BCLConfig, feature_head: ProjectionHead, center_head: ProjectionHead, log_prior_C: Tensor
    ) -> None:
        super().__init__()
        self.config = config
        self.feature_head = feature_head
        self.center_head = center_head
        self.cosine = CosineClassifier(config.scale)
        self.register_buffer("log_prior_C", log_prior_C.to(torch.get_default_dtype()))

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: BCLConfig, seed: int) -> Self:
        """Make the heads and the class priors.

        Raises:
            ConfigError: a class has no training text.
        """
        width, dim = backbone.feature_dim, config.projection_dim
        with seeded(seed):
            feature_head = ProjectionHead(width, dim, config.head_norm)
            center_head = ProjectionHead(width, dim, prototype_head_norm(config.head_norm, len(class_counts)))
        return cls(config, feature_head, center_head, log_prior(torch.as_tensor(class_counts)))

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: BCLConfig) -> np.ndarray:
        """Uniform: the whole log prior is in the training alone."""
        del config
        return flattened_prior(class_counts, 1.0)

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = ``classification`` + weight ``contrastive``."""
        del progress
        classification = self._classification(batch.y_B, features)
        contrastive = self._contrastive(batch.y_N, features)
        total = classification + self.config.contrastive_weight * contrastive
        return {"total": total, "classification": classification, "contrastive": contrastive}

    def _classification(self, y_B: Tensor, features: Features) -> Tensor:
        s_BC = self.cosine.logits(features.x_NH[: len(y_B)], features.w_CH, training=True)
        return reducers.mean(compensated_cross_entropy(s_BC, y_B, self.log_prior_C))

    def _contrastive(self, y_N: Tensor, features: Features) -> Tensor:
        z_ND, c_CD = self.feature_head(features.x_NH), self.center_head(features.w_CH)
        y_M = torch.cat([y_N, torch.arange(len(c_CD), device=y_N.device)])
        l_N = balanced_contrastive(z_ND @ torch.cat([z_ND, c_CD]).T, y_M, self.config.temperature)
        return reducers.mean(l_N)

    def logits(self, features: Features) -> Tensor:
        """Cosine logits without the prior."""
        return self.cosine.logits(features.x_NH, features.w_CH, training=False)

    @torch.no_grad()
    def finalize(self, classifier: nn.Linear) -> None:
        self.cosine.finalize(classifier)
