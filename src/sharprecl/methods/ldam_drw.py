"""LDAM-DRW: label-distribution-aware margins with deferred re-weighting (Cao et al., NeurIPS 2019).

1.  The classifier scores by the cosine alone: s_c = scale cos(x, w_c), so no class wins by the length of its row.
2.  Before the softmax the label's own cosine is lowered by a margin proportional to n_c^(-1/4): texts of rare classes
    must be told apart by more. The rarest class has ``max_margin``.
3.  For the first ``drw_start`` of the training all texts count alike, so that the features are learnt from all data;
    from then on those of rare classes count for more, by the effective number of texts (Cui et al., CVPR 2019).
4.  The margins are for training alone. The answer is the argmax of the cosines, which a linear layer without bias gives
    as well (``cosine_classifier.py``).

As in the source, a re-weighted batch is divided by the sum of its weights. Decided here: ``drw_start`` is a share of
all steps, which is the same share of the epochs but leaves a last part to be re-weighted however few epochs there are;
and patience is not lost before that part, for otherwise many trainings would never come to it.
"""

import math
from typing import Self

import numpy as np
import torch
from torch import Tensor

from sharprecl.config.methods import LdamDrwConfig
from sharprecl.losses.classification_weights import classification_weights
from sharprecl.losses.ldam import label_margins, margin_cross_entropy
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress
from sharprecl.methods.cosine_classifier import CosineClassifier
from sharprecl.models.features import Features


class LdamDrw(Method):
    """Keeps the usual length of a feature, for the end. No ``official``: the source trains image networks with SGD."""

    Config = LdamDrwConfig
    margin_C: Tensor
    weight_C: Tensor

    def __init__(self, config: LdamDrwConfig, margin_C: Tensor, weight_C: Tensor) -> None:
        super().__init__()
        self.config = config
        self.cosine = CosineClassifier(config.scale)
        self.register_buffer("margin_C", margin_C.to(torch.get_default_dtype()))
        self.register_buffer("weight_C", weight_C.to(torch.get_default_dtype()))

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: LdamDrwConfig, seed: int) -> Self:
        """Work out the margins and the weights of the classes."""
        del backbone, seed
        counts_C = torch.as_tensor(class_counts)
        weight_C = classification_weights("effective_number", counts_C, config.beta)
        return cls(config, label_margins(counts_C, config.max_margin), weight_C)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: LdamDrwConfig) -> None:
        """Not known: margins and late weights act as a prior that has no formula."""
        del class_counts, config

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        y_N = batch.y_N
        s_NC = self.cosine.logits(features.x_NH, features.w_CH, training=True)
        l_N = margin_cross_entropy(s_NC, y_N, self.config.scale * self.margin_C)
        reweighted = progress.step >= self.config.drw_start * progress.total_steps
        weight_N = self.weight_C[y_N] if reweighted else torch.ones_like(l_N)
        classification = (weight_N * l_N).sum() / weight_N.sum()
        return {"total": classification, "classification": classification}

    def least_epochs(self, total_epochs: int) -> int:
        """The epochs before re-weighting; none where it never begins."""
        return 0 if self.config.drw_start == 1 else math.ceil(self.config.drw_start * total_epochs)

    def logits(self, features: Features) -> Tensor:
        """Cosine logits without margins."""
        return self.cosine.logits(features.x_NH, features.w_CH, training=False)

    def finalize(self, classifier: torch.nn.Linear) -> None:
        """Fold the cosine into the linear layer."""
        self.cosine.finalize(classifier)
