"""Dice: fine-tuning with the self-adjusting dice loss in the place of cross-entropy (Li et al., ACL 2020).

1.  The softmax gives every text a probability p of each class. Cross-entropy counts every text alike, so the many easy
    texts of large classes decide; the dice coefficient 2 |A and B| / (|A| + |B|) looks at each class by itself.
2.  Texts that are sure already are weighed down: q = (1 - p)^alpha p stands in for p.
3.  The loss is one minus the smoothed overlap of q and the one-hot label, summed over the classes.
4.  The answer is the argmax of the logits.

Four forms: ``square`` squares the terms of the denominator, which is how the published scripts train; ``paper`` is the
printed formula; ``code`` is the published code without its flag ``--dice_square``, whose denominator runs over the
whole batch while its numerator is one text's; ``set_level`` takes the batch as one set of predictions.

Decided here: 1 - p is computed through its logarithm, for the power's gradient is infinite at p = 1. The loss is
bounded and its gradient vanishes on a text that is surely wrong (with alpha > 0 what is left of it even points the
wrong way, for q is 0 at p = 1 too); ``ce_weight`` adds cross-entropy, which pulls such texts back. The mining of hard
examples in the published code (``ohem``) is off in its scripts and broken for many classes, so it is left out.
"""

from typing import Self

import numpy as np
from torch import Tensor

from sharprecl.config.methods import DiceConfig
from sharprecl.errors import ConfigError
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.dice import dice, set_level_dice
from sharprecl.methods.base import Batch, LossTerms, Method, OpenedBackbone, Progress
from sharprecl.models.features import Features


class Dice(Method):
    """No side modules, no random numbers."""

    Config = DiceConfig

    def __init__(self, config: DiceConfig) -> None:
        super().__init__()
        self.config = config

    @classmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: DiceConfig, seed: int) -> Self:
        """Nothing to make.

        Raises:
            ConfigError: there are fewer than two classes.
        """
        del backbone, seed
        if len(class_counts) < 2:
            raise ConfigError("the dice loss needs two classes and the training data has only one; check the labels")
        return cls(config)

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: DiceConfig) -> None:
        """Not known: the dice loss does not ask for probabilities."""
        del class_counts, config

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` = ``dice`` + ce_weight ``classification``."""
        del progress
        overlap = self._dice(features.s_NC, batch.y_N)
        classification = reducers.mean(cross_entropy(features.s_NC, batch.y_N))
        total = overlap + self.config.ce_weight * classification
        return {"total": total, "dice": overlap, "classification": classification}

    def _dice(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        config = self.config
        if config.form == "set_level":
            return reducers.sum(set_level_dice(s_NC, y_N, config.alpha, config.smooth))
        return reducers.mean(dice(s_NC, y_N, config.alpha, config.smooth, config.form))
