"""The base of methods that only shape the loss of each text on its logits."""

from torch import Tensor

from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.methods.base import Batch, LossTerms, Method, Progress
from sharprecl.models.features import Features


class LogitLoss(Method):
    """The mean over the batch of ``per_text``, which is plain cross-entropy until a subclass says otherwise."""

    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``total`` alone: the loss classifies."""
        del progress
        classification = reducers.mean(self.per_text(features.s_NC, batch.y_N))
        return {"total": classification, "classification": classification}

    def per_text(self, s_NC: Tensor, y_N: Tensor) -> Tensor:
        """The loss of each text, l_N, from logits and label ids."""
        return cross_entropy(s_NC, y_N)
