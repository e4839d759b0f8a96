"""Hybrid-SC: supervised contrastive learning of the features gives way to cross-entropy of the classifier.

The method in four steps (Wang et al., CVPR 2021; no published code):

1.  Contrastive branch: texts as they come (half of them an epoch, see ``hybrid.py``), two views each, one hidden
    layer's projection z onto a sphere, supervised contrastive loss over all views.
2.  Classifier branch: other texts of the same step, drawn class-balanced, one view each, cross-entropy of the linear
    classifier.
3.  L = alpha L_SC + (1 - alpha) L_CE with alpha = 1 - (e / (E - 1))^2: the first epoch e = 0 trains features only,
    the last one the classifier only. So all E epochs are meant to be run: validation scores say nothing while alpha
    is about 1, where the classifier has hardly been trained.
4.  The head is thrown away; the answer is the argmax of the logits.

Decided here: the mean over anchors where the paper writes a sum, which would tie the weight of L_SC to the batch size.
"""

from typing import Self

import numpy as np
from torch import Tensor

from sharprecl.config.methods import HybridSCConfig
from sharprecl.losses.supervised_contrastive import supervised_contrastive
from sharprecl.methods.base import OpenedBackbone, seeded
from sharprecl.methods.hybrid import Hybrid
from sharprecl.models.heads import ProjectionHead


class HybridSC(Hybrid):
    """See the module's docstring."""

    Config = HybridSCConfig

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: HybridSCConfig, seed: int) -> Self:
        del class_counts
        with seeded(seed):
            return cls(config, ProjectionHead(backbone.feature_dim, config.projection_dim), seed)

    def contrast(self, z_ND: Tensor, y_N: Tensor) -> Tensor:
        return supervised_contrastive(z_ND @ z_ND.T, y_N, self.config.temperature)
