"""SharpReCL: supervised contrastive learning over texts, class prototypes and balanced synthetic samples.

The method in six steps (Simple-Sampling, Hard-mixup and Rebalanced Contrastive Learning, WWW 2026):

1.  Two views of every text give features x; the classifier's own weight rows w are the classes. Two heads
    project both onto one sphere: z = proj_f(x), p = proj_h(w). D-hat = {z, p}: every class occurs at least
    once in every batch.
2.  Each class, however rare, gets the same number of synthetic positives and negatives from D-hat: drawn as
    they are (simple sampling), or mixed from two of the items that its prototype gets most wrong
    (hard-mixup), more and more of the latter as training goes on.
3.  Contrastive loss L_CL: every item of D-hat is an anchor, compared with all others and with the synthetic
    samples of its class, and weighted alike or by the rarity of its class.
4.  Classification loss L_CLS: cross-entropy of the logits plus the log prior of the classes, or a part of it
    (logit compensation).
5.  The rebalanced set trains the classifier too, which the paper's does not: L_MIX is L_CLS of mixed features, one
    parent from the batch and one from its classes alike, each label by its share.
6.  L = L_CLS + L_MIX + mu L_CL. Afterwards heads and samples are thrown away; the answer is the argmax of the bare
    logits.
"""

import warnings
from typing import Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.errors import ConfigError
from sharprecl.losses import reducers
from sharprecl.losses.anchor_weights import anchor_weights
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.losses.mixed_cross_entropy import mixed_cross_entropy
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.methods.base import Batch, GeneratorState, LossTerms, Method, OpenedBackbone, Progress, seeded
from sharprecl.methods.linear_probe import LinearProbe
from sharprecl.models.features import Features
from sharprecl.models.heads import ProjectionHead, prototype_head_norm
from sharprecl.rebalance.mixtures import mixed_features, plan_mixtures
from sharprecl.rebalance.schedule import mixup_ratio
from sharprecl.rebalance.similarity import synthetic_similarity
from sharprecl.rebalance.synthetic import plan_synthetic

_PROBE_EPOCHS = 10


class SharpReCL(Method):
    """See the module's docstring. ``build`` makes one; the constructor takes the finished parts."""

    Config = SharpReCLConfig
    log_prior_C: Tensor
    weight_C: Tensor
    separate_CH: nn.Parameter | None

    def __init__(
        self,
        config: SharpReCLConfig,
        feature_head: ProjectionHead,
        prototype_head: ProjectionHead,
        log_prior_C: Tensor,
        weight_C: Tensor,
        draw_seed: int,
        separate_CH: nn.Parameter | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        self.feature_head = feature_head
        self.prototype_head = prototype_head
        self.register_parameter("separate_CH", separate_CH)
        self.register_buffer("log_prior_C", log_prior_C.to(torch.get_default_dtype()))
        self.register_buffer("weight_C", weight_C.to(torch.get_default_dtype()))
        self.draws = GeneratorState(draw_seed)
        self.mixing = GeneratorState(draw_seed + 1)
        # Without a classification loss, a classifier is fitted to the frozen features after every epoch.
        self.wants_features = not config.classification
        shape = len(log_prior_C), feature_head.hidden.in_features
        self.probe = LinearProbe(*shape, _PROBE_EPOCHS, draw_seed) if self.wants_features else None

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: SharpReCLConfig, seed: int) -> Self:
        """Make the heads, the class priors and weights, and the generator of the synthetic samples.

        Raises:
            ConfigError: there are fewer than two classes, or a class has no training text.
        """
        counts_C = torch.as_tensor(class_counts)
        num_classes = len(counts_C)
        if num_classes < 2:
            raise ConfigError("SharpReCL contrasts classes and the training data has only one; check the label column")
        if config.n_pos == 0 and config.n_neg == 0:
            warnings.warn(
                "n_pos and n_neg are both 0: neither simple sampling nor hard-mixup takes place, as in the "
                "published command line; the method of the paper has 10 and 500",
                stacklevel=2,
            )
        with seeded(seed):
            width, dim = backbone.feature_dim, config.projection_dim
            feature_head = ProjectionHead(width, dim, config.head_norm)
            prototype_head = ProjectionHead(width, dim, prototype_head_norm(config.head_norm, num_classes))
            draw_seed = int(torch.randint(2**62, ()))
            separate = nn.Parameter(nn.Linear(width, num_classes).weight) if config.prototypes == "separate" else None
        return cls(
            config,
            feature_head,
            prototype_head,
            log_prior(counts_C, config.prior_smoothing),
            anchor_weights(config.anchor_weight, counts_C, config.effective_number_beta),
            draw_seed,
            separate,
        )

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = ``classification`` + its weight times ``mixtures`` + mu times ``contrastive``."""
        terms: LossTerms = {}
        total = features.s_NC.new_zeros(())
        if self.config.classification:
            terms["classification"] = self._classification(batch, features.s_NC)
            total = terms["classification"]
            if self.config.mixtures > 0:
                terms["mixtures"] = self._mixtures(batch, features)
                total = total + self.config.mixtures * terms["mixtures"]
        if self.config.mu > 0:
            terms["contrastive"] = self._contrastive(batch, features.x_NH, features.w_CH, progress)
            total = total + self.config.mu * terms["contrastive"]
        return {"total": total, **terms}

    def on_features(self, x_NH: Tensor, y_N: Tensor, epoch: int, total_epochs: int) -> None:
        """Fit the classifier that the ablation of the classification loss answers with."""
        del total_epochs
        assert self.probe is not None
        self.probe.fit(x_NH, y_N, epoch, self.weight_N)

    def logits(self, features: Features) -> Tensor:
        """The bare logits, without the prior."""
        if self.probe is None:
            return features.s_NC
        scores: Tensor = self.probe(features.x_NH)
        return scores

    def finalize(self, classifier: nn.Linear) -> None:
        if self.probe is not None:
            self.probe.finalize(classifier)

    def _classification(self, batch: Batch, s_NC: Tensor) -> Tensor:
        y_N = batch.y_N
        if self.config.classify_views == "first":
            s_NC, y_N = s_NC[: len(batch.y_B)], batch.y_B
        config = self.config
        l_N = compensated_cross_entropy(s_NC, y_N, self.log_prior_C, config.compensation, config.normalize_logits)
        return reducers.mean(l_N)

    def _mixtures(self, batch: Batch, features: Features) -> Tensor:
        """L_MIX, compensated as L_CLS is, although the mixtures' labels are less skewed than the training texts'."""
        config, y_N, g_CN = self.config, batch.y_N, None
        if config.mixture_partners != "balanced":
            with torch.no_grad():
                g_CN = self.prototype_head(features.w_CH) @ self.feature_head(features.x_NH).T
        draws, alpha, partners = self.mixing.generator, config.mixup_alpha, config.mixture_partners
        plan = plan_mixtures(y_N, len(self.log_prior_C), alpha, draws, partners, g_CN, config.top_k)
        s_SC = F.linear(mixed_features(features.x_NH, plan), features.w_CH, features.b_C)
        first_S, second_S = y_N[plan.i_S], y_N[plan.j_S]
        l_S = mixed_cross_entropy(s_SC, first_S, second_S, plan.a_S, self.log_prior_C, config.compensation)
        return reducers.mean(l_S)

    def _contrastive(self, batch: Batch, x_NH: Tensor, w_CH: Tensor, progress: Progress) -> Tensor:
        config, num_classes = self.config, len(w_CH)
        raw_CH = w_CH if self.separate_CH is None else self.separate_CH
        x_MD = torch.cat([self.feature_head(x_NH), self.prototype_head(raw_CH)])
        y_M = torch.cat([batch.y_N, torch.arange(num_classes, device=batch.y_B.device)])
        g_MM = x_MD @ x_MD.T
        plan = plan_synthetic(
            g_MM,
            y_M,
            num_classes,
            config.n_pos,
            config.n_neg,
            config.top_k,
            mixup_ratio(self._done(progress), config.ratio_start, config.ratio_end),
            config.mixup_alpha,
            self.draws.generator,
        )
        t_MS = synthetic_similarity(g_MM, plan, y_M)
        l_M = prototype_contrastive(g_MM, t_MS, y_M, config.n_pos, config.temperature, config.positives)
        return reducers.mean(self.weight_C[y_M] * l_M)

    def _done(self, progress: Progress) -> float:
        if self.config.ratio_by == "iteration":
            return progress.step / progress.total_steps
        return progress.epoch / progress.total_epochs
