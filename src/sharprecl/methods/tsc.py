"""TSC: contrastive learning towards fixed, evenly spread targets, one a class, so that rare classes get their room.

The method in six steps (Li et al., CVPR 2022):

1.  Before training: C targets t, spread evenly over the sphere of the projections (``targets.py``).
2.  Two views of every text give projections z. Each is an anchor; its positives are the text's other view and k items
    of its class (or all), from the batch and, if there is one, from a queue of past projections.
3.  First half of the epochs: k-positive contrastive loss (KCL), without targets.
4.  Second half, with the optimiser's moments forgotten: the targets join the denominators. Every step they are handed
    out to the classes anew, each class's centroid (a running mean of its projections) as near to its target as the sum
    over all classes allows; each anchor is pulled to the target of its class with weight lambda.
5.  Second stage: a linear classifier on the frozen features, class-balanced. It is trained anew after every epoch, so
    that every epoch can be validated; the encoder never feels it.
6.  The answer is that classifier's argmax. Head, queue and targets are thrown away.

Mended: empty places of the queue are left out, where the published code starts with random vectors as negatives.
Decided here: no momentum encoder, views of the batch serve as keys; the supplement's normaliser is the default.
"""

from typing import Self

import numpy as np
import torch
from torch import Tensor, nn

from sharprecl.config.methods import TSCConfig
from sharprecl.losses import reducers
from sharprecl.losses.contrastive import contrastive
from sharprecl.losses.targeted_contrastive import targeted_contrastive
from sharprecl.methods.base import (
    Batch,
    GeneratorState,
    LossTerms,
    Method,
    OpenedBackbone,
    Progress,
    flattened_prior,
    seeded,
)
from sharprecl.methods.linear_probe import LinearProbe
from sharprecl.methods.targets import assign_targets, spread_targets
from sharprecl.models.features import Features
from sharprecl.models.heads import ProjectionHead

_EMPTY = -1
_CENTROID_MOMENTUM = 0.9


class TSC(Method):
    """See the module's docstring. ``build`` makes one; the constructor takes the finished parts."""

    Config = TSCConfig
    wants_features = True
    targets_CD: Tensor
    centroids_CD: Tensor
    target_C: Tensor
    queue_QD: Tensor
    queue_y_Q: Tensor

    def __init__(
        self, config: TSCConfig, head: ProjectionHead, targets_CD: Tensor, feature_dim: int, seed: int
    ) -> None:
        super().__init__()
        self.config = config
        self.seed = seed
        self.head = head
        self.draws = GeneratorState(seed)
        size, classes, dim = config.queue_size, *targets_CD.shape
        self.register_buffer("targets_CD", targets_CD.to(torch.get_default_dtype()))
        self.register_buffer("centroids_CD", torch.zeros(classes, dim))
        self.register_buffer("target_C", torch.arange(classes))
        self.register_buffer("queue_QD", torch.zeros(size, dim))
        self.register_buffer("queue_y_Q", torch.full((size,), _EMPTY))
        self.probe = LinearProbe(classes, feature_dim, config.head_epochs, seed)

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: TSCConfig, seed: int) -> Self:
        with seeded(seed):
            head = ProjectionHead(backbone.feature_dim, config.projection_dim)
            draw_seed = int(torch.randint(2**62, ()))
        targets_CD = spread_targets(len(class_counts), config.projection_dim, seed)
        return cls(config, head, targets_CD, backbone.feature_dim, draw_seed)

    def begins_stage(self, epoch: int, total_epochs: int) -> bool:
        return epoch > 0 and _targeted(epoch, total_epochs) and not _targeted(epoch - 1, total_epochs)

    def least_epochs(self, total_epochs: int) -> int:
        return next(epoch for epoch in range(total_epochs) if _targeted(epoch, total_epochs))

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = ``contrastive``: KCL or TSC, whichever it is time for."""
        config, y_N = self.config, batch.y_N
        z_ND = self.head(features.x_NH)
        g_NJ = z_ND @ torch.cat([z_ND, self.queue_QD]).T
        y_J = torch.cat([y_N, self.queue_y_Q])
        itself_NJ = torch.eye(len(y_N), len(y_J), dtype=torch.bool, device=y_N.device)
        candidate_NJ = (y_J != _EMPTY) & ~itself_NJ
        positive_NJ = self._positives(y_N, y_J, itself_NJ)
        self._follow(z_ND.detach(), y_N)
        if _targeted(progress.epoch, progress.total_epochs):
            self.target_C = assign_targets(self.centroids_CD, self.targets_CD)
            t_NC = z_ND @ self.targets_CD.T
            l_N = targeted_contrastive(
                g_NJ, positive_NJ, candidate_NJ, t_NC, self.target_C[y_N],
                config.temperature, config.target_weight, config.normalizer,
            )  # fmt: skip
        else:
            l_N = contrastive(g_NJ, positive_NJ, candidate_NJ, config.temperature)
        total = reducers.mean(l_N)
        return {"total": total, "contrastive": total}

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: TSCConfig) -> np.ndarray:
        """Uniform, as the draws that the second stage learns from."""
        del config
        return flattened_prior(class_counts, 1.0)

    def _positives(self, y_N: Tensor, y_J: Tensor, itself_NJ: Tensor) -> Tensor:
        same_NJ = (y_N[:, None] == y_J[None, :]) & ~itself_NJ
        k = self.config.sampled_positives
        if k is None:
            return same_NJ
        twin_NJ = itself_NJ.roll(len(y_N) // 2, dims=0)  # the other view of the same text
        others_NJ = same_NJ & ~twin_NJ
        u_NJ = torch.rand(others_NJ.shape, generator=self.draws.generator).to(y_N.device)
        drawn_NK = u_NJ.masked_fill(~others_NJ, -1.0).topk(min(k, len(y_J)), dim=1).indices
        return twin_NJ | (others_NJ & torch.zeros_like(others_NJ).scatter(1, drawn_NK, True))

    @torch.no_grad()
    def _follow(self, z_ND: Tensor, y_N: Tensor) -> None:
        """Move the centroids of the classes at hand, and put the second views into the queue, as MoCo does its keys."""
        # A product, since index_add sums in no fixed order on a GPU.
        member_NC = nn.functional.one_hot(y_N, len(self.centroids_CD)).to(self.centroids_CD.dtype)
        mean_CD = nn.functional.normalize(member_NC.T @ z_ND.to(member_NC.dtype), dim=1)
        moved_CD = _CENTROID_MOMENTUM * self.centroids_CD + (1 - _CENTROID_MOMENTUM) * mean_CD
        unit_CD = nn.functional.normalize(moved_CD, dim=1)
        # New tensors, not the old ones overwritten: the backward pass is still to come, and it needs the old queue.
        self.centroids_CD = torch.where(member_NC.any(0)[:, None], unit_CD, self.centroids_CD)
        half, size = len(y_N) // 2, len(self.queue_y_Q)
        self.queue_QD = torch.cat([z_ND[half:].to(self.queue_QD.dtype), self.queue_QD])[:size]
        self.queue_y_Q = torch.cat([y_N[half:], self.queue_y_Q])[:size]

    def on_features(self, x_NH: Tensor, y_N: Tensor, epoch: int, total_epochs: int) -> None:
        """Train the second stage's classifier anew, on these features."""
        del total_epochs
        self.probe.fit(x_NH, y_N, epoch, self.weight_N)

    def logits(self, features: Features) -> Tensor:
        """Scores of the second stage's classifier."""
        scores: Tensor = self.probe(features.x_NH)
        return scores

    def finalize(self, classifier: nn.Linear) -> None:
        self.probe.finalize(classifier)


def _targeted(epoch: int, total_epochs: int) -> bool:
    """KCL in the first half of the epochs, the targets in the second; a single epoch has them at once."""
    return total_epochs == 1 or 2 * epoch >= total_epochs
