"""Methods that leave the encoder as it is, as a task without steps: every text is read once, and the method fits."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from sharprecl.methods.base import Batch, Progress
from sharprecl.models.features import Features
from sharprecl.training.encoder_task import EncoderTask
from sharprecl.training.inference import predict


class FrozenTask(EncoderTask):
    """Shows the method the features of all training texts, and writes what it fits into the backbone.

    A run that was cut off starts anew, which gives the same: nothing is drawn but the backbone's fresh head.

    Attributes:
        training_loss: on the texts of the fit.
    """

    training_loss: float

    def parameter_groups(self) -> list[dict[str, Any]]:
        """The last layer, at rate 0: no step is ever taken."""
        return [{"params": list(self.backbone.classifier.parameters()), "lr": 0.0, "weight_decay": 0.0}]

    def batches(self, epoch: int) -> Sequence[Any]:
        del epoch
        return []

    def begin(self) -> None:
        self.tokens = self.places = int(self.train.views[0].lengths.sum())

    def train_mode(self, epoch: int) -> None:
        del epoch
        self.backbone.eval()
        self.method.eval()

    @torch.no_grad()
    def end_epoch(self, epoch: int) -> None:
        """Fit, finalize, and note the loss on the texts of the fit."""
        del epoch
        x_NH = torch.from_numpy(self._features(self.train.views[0])).to(self.device)
        y_N = torch.from_numpy(self.train.label_ids).to(self.device)
        self.method.on_features(x_NH, y_N, 0, 1)
        classifier = self.backbone.classifier
        self.method.finalize(classifier)
        features = Features(x_NH, classifier(x_NH), classifier.weight)
        self.training_loss = float(self.method(Batch(y_N, 1), features, Progress(0, 0, 0, 1))["total"])

    def validate(self) -> tuple[np.ndarray, np.ndarray] | None:
        """What the backbone answers with. Nothing is chosen by it, so it judges without bias."""
        if self.held_out is None:
            return None
        return predict(self.backbone, None, self.held_out.views[0], self.pad_id)[0], self.held_out.label_ids

    def facts(self) -> dict[str, Any]:
        """The loss on the texts of the fit; there is no schedule to tell of."""
        return {"training_loss": self.training_loss}
