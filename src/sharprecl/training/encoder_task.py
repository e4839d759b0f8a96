"""An encoder and a method as a task for the trainer: features of a batch's views, and the method's loss on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

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
from sharprecl.training.hardware import Precision, autocast
from sharprecl.training.inference import predict
from sharprecl.training.lower_states import LowerStates
from sharprecl.training.optimizer import TrainingSchedule, parameter_groups
from sharprecl.training.processes import ALONE, Processes
from sharprecl.training.replay import Replay
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
        processes: those that train this model together, each with a task of its own.
    """

    config: RunConfig
    schedule: TrainingSchedule
    backbone: Backbone
    method: Method
    train: LabelledTokens
    held_out: LabelledTokens | None
    pad_id: int
    device: torch.device
    precision: Precision
    second_view: float = 0.0
    names: ClassNames | None = None
    processes: Processes = ALONE
    tokens: int = field(default=0, init=False)
    places: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.backbone.to(self.device)
        self.backbone.bf16 = self.precision == "bf16"
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
        micro_batch, extras = self.config.training.micro_batch, 0 if extra is None else len(extra)
        lengths = np.concatenate([texts.lengths[rows] for texts, rows in parts])
        chosen = None if self.processes.alone else self.processes.own(lengths)
        packed = lay_out(parts, self.pad_id, self.backbone.packs, chosen, micro_batch)
        self._count(packed)
        self.processes.draw(self.config.seed, progress.step)
        replay = None if micro_batch is None else Replay(self._forward, self.device)
        with self._autocast():
            encoded = [self._forward(part) for part in packed] if replay is None else replay.features(packed)
        features = self._whole(encoded, packed, len(lengths), extras)
        views = 2 if self.second_view else len(self.train.views)
        labels = Batch(self._labels(index), views, None if extra is None else self._labels(extra))
        terms: LossTerms = self.method(labels, features, progress)
        if terms["total"].requires_grad:
            terms["total"].backward()  # type: ignore[no-untyped-call]
        if replay is not None:
            replay.backward()
        if not self.processes.first:
            # What is no text's has its whole gradient in every process, and counts once.
            self.method.zero_grad(set_to_none=True)
        self.processes.add_gradients([*self.backbone.parameters(), *self.method.parameters()])
        # One transfer for all terms: each waits for the device.
        values = torch.stack([term.detach() for term in terms.values()]).tolist()
        return dict(zip(terms, values, strict=True))

    def end_epoch(self, epoch: int) -> None:
        self._show_features(epoch + 1)

    def validate(self) -> tuple[np.ndarray, np.ndarray] | None:
        """What the method answers with, on the texts that were held out."""
        if self.held_out is None:
            return None
        scores_NC, _ = self._predicted(self.method.eval(), self.held_out.views[0])
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
        return autocast(self.device, self.precision)

    def _labels(self, index: Index) -> torch.Tensor:
        return torch.from_numpy(self.train.label_ids[index]).to(self.device)

    def _features(self, tokens: TokenizedTexts) -> np.ndarray:
        return self._predicted(None, tokens, embed=True)[1]

    def _predicted(
        self, method: Method | None, tokens: TokenizedTexts, *, embed: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores and features, each process reading its share of the texts."""
        own = self.processes.own(tokens.lengths)
        mine = tokens if self.processes.alone else tokens.select(own)
        known = self._lower if tokens is self.train.views[0] else None
        with self._autocast():
            lower = None if known is None else known.of_texts
            found = predict(self.backbone, method, mine, self.pad_id, embed=embed, lower=lower)
        if self.processes.alone:
            return found
        whole = [np.zeros((len(tokens), array.shape[1]), dtype=array.dtype) for array in found]
        for array, part in zip(whole, found, strict=True):
            array[own] = part
        scores_NC, features_NH = map(self.processes.added, whole)
        return scores_NC, features_NH

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

    @cached_property
    def _lower(self) -> LowerStates | None:
        """Of one process alone: of several, each would read all texts. Without steps nothing reads them twice."""
        if not self.processes.alone or self.backbone.reading == "label_tokens" or not self.schedule.total_steps:
            return None
        with self._autocast():
            return LowerStates.of(self.backbone, self.train.views, self.pad_id)

    def _forward(self, part: PackedRows) -> Features:
        with self._autocast():
            lower = None if self._lower is None else self._lower.at(part)
            return self.backbone.forward_views(part.input_ids.to(self.device), part.text_RT.to(self.device), lower)

    def _count(self, packed: Sequence[PackedRows]) -> None:
        """Count tokens read by the whole encoder: a view from its upper layers counts by their share."""
        read = np.zeros(2, dtype=np.int64)
        for part in packed:
            read += np.array([part.tokens, part.text_RT.numel()]) + len(part.rows) * self.backbone.extra_tokens
        tokens, places = self.processes.added(read) * (1 + self.second_view)
        self.tokens += round(tokens)
        self.places += round(places)

    def _whole(self, encoded: Sequence[Features], packed: Sequence[PackedRows], rows: int, extras: int) -> Features:
        """All processes' features of a batch: the first views of its texts, the second ones if there are any, then
        the further texts.
        """
        copies, views = 2 if self.second_view else 1, rows - extras
        # Where each encoded row belongs; of further texts only the first view is used.
        places = [
            np.where(part.rows < views, copy * views + part.rows, part.rows + (copies - 1) * views if copy == 0 else -1)
            for part in packed
            for copy in range(copies)
        ]
        place_M = np.concatenate([np.empty(0, dtype=np.int64), *places])
        order_M = np.argsort(place_M, kind="stable")[(place_M < 0).sum() :]
        own = gathered(encoded or [self.backbone.no_features()], torch.from_numpy(order_M).to(self.device))
        if self.processes.alone:
            return own
        there = torch.from_numpy(place_M[order_M]).to(self.device)
        whole = own.changed(lambda rows_M: self.processes.gathered(rows_M, there, copies * views + extras))
        return whole if self.processes.first else whole.without_layer_gradients()
