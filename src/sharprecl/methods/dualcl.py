"""DualCL: dual contrastive learning, where every text brings its own classifier.

The method in four steps (Chen et al., arXiv 2201.08702):

1.  The names of all classes stand in front of every text: [CLS] L_1 ... L_C [SEP] text [SEP]. So each label is read in
    the light of the text: z = h([CLS]) is the text's vector, theta_c = h(L_c) the class's, for this text alone.
2.  Logits s_c = z . theta_c, and cross-entropy L_CE of them.
3.  theta* = theta_y. L_theta: anchors theta*, targets the z of the other texts; L_z: the other way round. Either draws
    together what is of one class, see ``losses/dual_contrastive.py``. An anchor without positives counts as 0.
4.  L = (1 - alpha) L_CE + alpha/2 (L_theta + L_z). The answer is the argmax of the logits; texts to be classified get
    the labels in front as well.

Mended and decided here: each label is one token of its own, which begins as the mean of the word pieces of its name
(the published code reads the first C places, which goes wrong with names of more than one piece), see
``models/label_tokens.py``. An anchor's own pair is left out of the denominator as in the paper; the published code
leaves exp(0) there (``own_pair``). All labels share the position behind [CLS]. In the paper it is [CLS]'s own; with
MiniLM that made every label a copy of [CLS], and nothing was learnt (``label_position``). The backbone's linear layer
is not used and not trained.
"""

from typing import Self

import numpy as np
import torch

from sharprecl.config.methods import DualCLConfig
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.dual_contrastive import dual_contrastive
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress
from sharprecl.models.backbone import Backbone
from sharprecl.models.features import Features


class DualCL(Method):
    """See the module's docstring. No side modules, no random numbers."""

    Config = DualCLConfig
    reading = "label_tokens"
    not_exportable_because = (
        "DualCL reads the labels' own tokens in front of every text and answers by their vectors, which no stock "
        "class does"
    )

    def __init__(self, config: DualCLConfig) -> None:
        super().__init__()
        self.config = config

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: DualCLConfig, seed: int) -> Self:
        del class_counts, seed
        if isinstance(backbone, Backbone):
            backbone.place_labels(0 if config.label_position == "first" else 1)
        return cls(config)

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = (1 - alpha) ``classification`` + alpha/2 (``contrastive_labels`` + ``contrastive_texts``)."""
        del progress
        config, y_N = self.config, batch.y_N
        assert features.t_NCH is not None, "DualCL needs a backbone with the reading 'label_tokens'"
        z_NH = features.x_NH
        theta_NH = features.t_NCH[torch.arange(len(y_N), device=y_N.device), y_N]
        classification = reducers.mean(cross_entropy(features.s_NC, y_N))
        by_labels, by_texts = (
            reducers.mean(dual_contrastive(anchors, targets, y_N, config.temperature, config.own_pair))
            for anchors, targets in ((theta_NH, z_NH), (z_NH, theta_NH))
        )
        total = (1 - config.alpha) * classification + config.alpha / 2 * (by_labels + by_texts)
        return {
            "total": total,
            "classification": classification,
            "contrastive_labels": by_labels,
            "contrastive_texts": by_texts,
        }
