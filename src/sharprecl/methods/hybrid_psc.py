"""Hybrid-PSC: Hybrid-SC with one learnable prototype a class in place of the pairs of texts.

The method in four steps (Wang et al., CVPR 2021; no published code):

1.  Contrastive branch: as in ``hybrid_sc.py``, but each projected view is only compared with C prototypes, unit-length
    and learnt along: L_PSC = -log exp(z.p_y / tau) / sum_{c != y} exp(z.p_c / tau). A batch needs no two texts of one
    class, and the cost grows with C, not with the batch.
2.  Classifier branch, 3. curriculum and 4. answer are those of ``hybrid_sc.py``; so is the warning that validation
    scores say nothing early on.

Decided here: the own class is left out of the denominator as the paper writes it, so the loss can be negative;
``include_own`` puts it in. Both views are anchors, so that both hybrids see the same texts.
"""

from typing import Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.methods import HybridPSCConfig
from sharprecl.errors import ConfigError
from sharprecl.losses.prototypical import prototypical
from sharprecl.methods.base import OpenedBackbone, seeded
from sharprecl.methods.hybrid import Hybrid
from sharprecl.models.heads import ProjectionHead


class HybridPSC(Hybrid):
    """See the module's docstring."""

    Config = HybridPSCConfig
    config: HybridPSCConfig

    def __init__(self, config: HybridPSCConfig, head: ProjectionHead, prototypes_CD: Tensor, seed: int) -> None:
        super().__init__(config, head, seed)
        self.prototypes_CD = nn.Parameter(prototypes_CD)

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: HybridPSCConfig, seed: int) -> Self:
        """Make the head and the prototypes.

        Raises:
            ConfigError: there are fewer than two classes.
        """
        if len(class_counts) < 2:
            raise ConfigError("Hybrid-PSC contrasts classes and the training data has only one; check the label column")
        with seeded(seed):
            head = ProjectionHead(backbone.feature_dim, config.projection_dim)
            return cls(config, head, torch.randn(len(class_counts), config.projection_dim), seed)

    def contrast(self, z_ND: Tensor, y_N: Tensor) -> Tensor:
        g_NC = z_ND @ F.normalize(self.prototypes_CD, dim=1, eps=1e-6).T
        return prototypical(g_NC, y_N, self.config.temperature, self.config.include_own)
