"""An encoder and a method as a task for the trainer: features of a batch's views, and the method's loss on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch

from sharprecl.config import RunConfig
from sharprecl.data.batches import Index, ShuffledBatches, drawn_batches
from sharprecl.data.packing import PackedRows, lay_out
from sharprecl.data.resampling import Resampling
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.methods.base import Batch, LossTerms, Method, Progress
from sharprecl.models.backbone import Backbone
from sharprecl.models.features import Features, gathered
from sharprecl.training.inference import predict
from sharprecl.training.optimizer import TrainingSchedule, parameter_groups
from sharprecl.training.start import ClassNames, start_at_means
from sharprecl.training.trainer import Task


@dataclass(frozen=True)
class LabelledTokens:
    """Tokenised texts with their label ids [N]; training texts have one or two views of equal length, and may have
    weights [N] above 0.
    """

    views: tuple[TokenizedTexts, ...]
    label_ids: np.ndarray
    weights: np.ndarray | None = None


@dataclass
class EncoderTask(Task):
    """Trains a backbone with a method on tokenised texts.

    Args:
        train: the training texts.
        held_out: labelled texts on which the best epoch is chosen; None keeps the last epoch.
        second_view: the share of a forward that the view from the upper layers costs; 0 where there is none.
        names: the classes' names, where the classifier starts from what they mean too.
    """

    config: RunConfig
    schedule: TrainingSchedule
    backbone: Backbone
    method: Method
    train: LabelledTokens
    held_out: LabelledTokens | None
    pad_id: int
    device: torch.device
    precision: Literal["bf16", "fp32"]
    second_view: float = 0.0
    names: ClassNames | None = None
    tokens: int = field(default=0, init=False)
    places: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.backbone.to(self.device)
        self.method.to(self.device)
        number, seed, weight_N = len(self.train.label_ids), self.config.seed, self.train.weights
        self.method.resampling = None if weight_N is None else Resampling(weight_N, seed)
        self._batches = ShuffledBatches(number, self.schedule.batch_size, seed, self.method.resampling)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Encoder and everything new, decayed or not."""
        return parameter_groups(self.backbone, self.method, self.config.training, self.schedule)

    def state_dict(self) -> dict[str, Any]:
        return {"backbone": self.backbone.state_dict(), "method": self.method.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.backbone.load_state_dict(state["backbone"])
        self.method.load_state_dict(state["method"])

    def begin(self) -> None:
        self._start_classifier()
        self._show_features(0)

    def begins_stage(self, epoch: int) -> bool:
        return self.method.begins_stage(epoch, self.schedule.epochs)

    def least_epochs(self) -> int:
        return self.method.least_epochs(self.schedule.epochs)

    def train_mode(self, epoch: int) -> None:
        """Dropout on, unless the published code's way is asked for."""
        legacy = self.config.training.legacy_eval_mode
        self.backbone.train(not legacy)
        # The published code leaves training mode at its first evaluation and never comes back.
        self.method.train(not legacy or epoch == 0)

    def batches(self, epoch: int) -> Sequence[tuple[Index, Index | None]]:
        """Row numbers of every batch, and of the further texts behind it where the method draws some."""
        drawn = self.method.draw(self.train.label_ids, epoch)
        if drawn is None:
            return [(index, None) for index in self._batches.epoch(epoch)]
        number = len(self._batches)
        rows = drawn_batches(drawn.rows, number)
        if drawn.extra is None:
            return [(index, None) for index in rows]
        return list(zip(rows, drawn_batches(drawn.extra, number), strict=True))

    def forward_backward(self, batch: tuple[Index, Index | None], progress: Progress) -> dict[str, float]:
        index, extra = batch
        parts = [(view, index) for view in self.train.views]
        if extra is not None:
            parts.append((self.train.views[0], extra))
        packed = lay_out(parts, self.pad_id, self.backbone.packs)
        views = 2 if self.second_view else len(self.train.views)
        with self._autocast():
            features = self._encode(packed, 0 if extra is None else len(extra))
        labels = Batch(self._labels(index), views, None if extra is None else self._labels(extra))
        terms: LossTerms = self.method(labels, features, progress)
        terms["total"].backward()  # type: ignore[no-untyped-call]
        # One transfer for all terms: each waits for the device.
        values = torch.stack([term.detach() for term in terms.values()]).tolist()
        return dict(zip(terms, values, strict=True))

    def end_epoch(self, epoch: int) -> None:
        self._show_features(epoch + 1)

    def validate(self) -> tuple[np.ndarray, np.ndarray] | None:
        """What the method answers with, on the texts that were held out."""
        if self.held_out is None:
            return None
        with self._autocast():
            scores_NC, _ = predict(self.backbone, self.method.eval(), self.held_out.views[0], self.pad_id)
        return scores_NC, self.held_out.label_ids

    def finish(self) -> None:
        """Write into the classifier what the method answers with."""
        self.method.finalize(self.backbone.classifier)
        self.backbone.eval()
        self.method.eval()

    def facts(self) -> dict[str, Any]:
        """What is worth knowing of the training, JSON-ready and equal for equal runs."""
        return {
            "plan": {**vars(self.schedule), "total_steps": self.schedule.total_steps},
            "padding_waste": 1.0 - self.tokens / max(1, self.places),
        }

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16")

    def _labels(self, index: Index) -> torch.Tensor:
        return torch.from_numpy(self.train.label_ids[index]).to(self.device)

    def _features(self, tokens: TokenizedTexts) -> np.ndarray:
        with self._autocast():
            return predict(self.backbone, None, tokens, self.pad_id, embed=True)[1]

    def _start_classifier(self) -> None:
        """Let the classifier's rows, which are the prototypes, begin where their classes are."""
        if self.config.prototypes.start == "random" or self.backbone.reading == "label_tokens":
            return
        x_NH, named_CH = self._features(self.train.views[0]), None
        if self.names is not None:
            named_CH = self._features(self.names.tokens)
            named_CH[~self.names.speaks_C] = np.nan
        weight_N = self.train.weights
        scaled_N = None if weight_N is None else weight_N / weight_N.mean()
        start_at_means(self.backbone.classifier, x_NH, self.train.label_ids, named_CH, scaled_N)

    def _show_features(self, epoch: int) -> None:
        """Let the method see the features of all training texts, where it wants to."""
        if self.method.wants_features:
            x_NH = torch.from_numpy(self._features(self.train.views[0])).to(self.device)
            y_N = torch.from_numpy(self.train.label_ids).to(self.device)
            self.method.on_features(x_NH, y_N, epoch, self.schedule.epochs)

    def _encode(self, parts: Sequence[PackedRows], extra: int) -> Features:
        """Features of a batch: the first views of its texts, the second ones if there are any, then the further texts.

        What is counted are tokens read by the whole encoder: a view from its upper layers counts by their share.
        """
        weight = 1 + self.second_view
        copies = 2 if self.second_view else 1
        encoded = []
        row_VN = np.empty((copies, sum(len(part.rows) for part in parts)), dtype=np.int64)
        start = 0
        for part in parts:
            size = len(part.rows)
            added = size * self.backbone.extra_tokens
            self.tokens += round(weight * (part.tokens + added))
            self.places += round(weight * (part.text_RT.numel() + added))
            inputs = part.input_ids.to(self.device), part.text_RT.to(self.device)
            encoded.append(self.backbone.forward_views(*inputs))
            row_VN[:, part.rows] = start + np.arange(copies * size).reshape(copies, size)
            start += copies * size
        views = row_VN.shape[1] - extra
        order_N = np.concatenate([row_VN[:, :views].ravel(), row_VN[0, views:]])
        return gathered(encoded, torch.from_numpy(order_N).to(self.device))
