"""The training loop: optimise, validate, keep the best, checkpoint, resume.

Every random draw is either a function of (seed, epoch), as the order of the texts, or comes from a generator whose
state is in the checkpoint (dropout, the method's own). So a run that is killed and resumed makes the very steps that
it would have made: to the bit on a CPU; some of a GPU's sums have no fixed order. Of accelerators, NVIDIA's alone
have their generator kept: on another, dropout goes on differently.
"""

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import torch

from sharprecl.config import RunConfig
from sharprecl.data.batches import Index, ShuffledBatches, drawn_batches
from sharprecl.data.packing import PackedRows, lay_out
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.errors import SharpReCLError
from sharprecl.methods.base import Batch, LossTerms, Method, Progress
from sharprecl.models.backbone import Backbone
from sharprecl.models.features import Features, gathered
from sharprecl.training import hardware
from sharprecl.training.average import RunningMean
from sharprecl.training.checkpoint import CheckpointFolder
from sharprecl.training.history import HistoryFile, Observer, Record, TrainingSpeed
from sharprecl.training.inference import predict
from sharprecl.training.optimizer import TrainingSchedule, learning_rate_factor, parameter_groups, set_learning_rates
from sharprecl.training.start import ClassNames, start_at_means
from sharprecl.training.validation import validation_figures


@dataclass(frozen=True)
class LabelledTokens:
    """Tokenised texts with their label ids [N]; training texts have one or two views of equal length."""

    views: tuple[TokenizedTexts, ...]
    label_ids: np.ndarray


@dataclass
class LoopState:
    """Where a run stands. ``batch`` counts within ``epoch``; both count from 0."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    best_macro_f1: float = -1.0
    best_accuracy: float = -1.0
    best_epoch: int = -1
    stale_epochs: int = 0
    finished: bool = False
    seconds: float = 0.0
    tokens: int = 0
    places: int = 0

    @property
    def padding_waste(self) -> float:
        """Share of padding in what the model was given so far."""
        return 1.0 - self.tokens / max(1, self.places)


@dataclass(frozen=True)
class TrainingResult:
    """How a training went. ``best_epoch`` counts from 1; ``tokens`` were read by the model in training, all views and
    epochs, padding not counted.
    """

    best_epoch: int
    epochs: int
    steps: int
    tokens: int
    seconds: float
    peak_memory_bytes: int
    precision: str
    device: str


@dataclass
class Trainer:
    """Trains a backbone with a method on tokenised texts.

    Args:
        selection: labelled texts on which the best epoch is chosen; None keeps the last epoch.
        second_view: the share of a forward that the view from the upper layers costs; 0 where there is none.
        names: the classes' names, where the classifier starts from what they mean too.
        checkpoints, history: None keeps nothing on disk.
    """

    config: RunConfig
    plan: TrainingSchedule
    backbone: Backbone
    method: Method
    batches: ShuffledBatches
    train: LabelledTokens
    selection: LabelledTokens | None
    pad_id: int
    device: torch.device
    precision: Literal["bf16", "fp32"]
    observer: Observer
    second_view: float = 0.0
    names: ClassNames | None = None
    checkpoints: CheckpointFolder | None = None
    history: HistoryFile | None = None
    state: LoopState = field(default_factory=LoopState)

    def run(self, resume: bool = False) -> TrainingResult:
        """Train to the end and leave the best weights in the backbone and the method."""
        hardware.reset_peak_memory(self.device)
        try:
            with hardware.accelerator(self.device, self.precision) as self._accelerator:
                self._set_up()
                self._begin(resume)
                with hardware.enough_memory("make training.batch_size or encoder.max_length smaller"):
                    while not self.state.finished:
                        self._epoch()
                self._checkpoint()
        finally:
            # All that matters was synced with the last checkpoint; a full disk must not hide the error before it.
            with suppress(OSError):
                if self.history:
                    self.history.close()
            self.observer.closed()
        if self._best is not None:
            self.backbone.load_state_dict(self._best["backbone"])
            self.method.load_state_dict(self._best["method"])
        elif self._average is not None:
            self._average.write()
        self.method.finalize(self.backbone.classifier)
        self.backbone.eval()
        self.method.eval()
        return TrainingResult(
            best_epoch=self.state.best_epoch + 1,
            epochs=self.state.epoch,
            steps=self.state.step,
            tokens=self.state.tokens,
            seconds=self._seconds(),
            peak_memory_bytes=hardware.peak_memory_bytes(self.device),
            precision=self.precision,
            device=str(self.device),
        )

    def _set_up(self) -> None:
        training = self.config.training
        self.backbone.to(self.device)
        self.method.to(self.device)
        groups = parameter_groups(self.backbone, self.method, training, self.plan)
        self._base_rates = [float(group["lr"]) for group in groups]  # type: ignore[arg-type]
        self._optimizer = torch.optim.AdamW(groups, fused=True)
        self._parameters = [p for group in self._optimizer.param_groups for p in group["params"]]
        self._average = RunningMean(self._parameters) if training.average > 0 else None
        self._best: dict[str, Any] | None = None
        self._best_is_new = False

    def _begin(self, resume: bool) -> None:
        restored = self.checkpoints.latest() if resume and self.checkpoints else None
        if restored is not None:
            self._restore(restored)
        else:
            if self.checkpoints:
                self.checkpoints.start_anew()
            if self.history:
                self.history.rewind(0)
            self._start_classifier()
            self._show_features(0)
        self._last_checkpoint = self._pace_start = time.monotonic()
        self._pace_step = self.state.step

    def _seconds(self) -> float:
        """Training time so far, that of earlier parts of a resumed run included."""
        return self.state.seconds + time.monotonic() - self._pace_start

    def _epoch(self) -> None:
        state = self.state
        self._set_training_mode()
        if state.batch == 0 and self.method.begins_stage(state.epoch, self.plan.epochs):
            self._optimizer.state.clear()
        batches = self._batches_of(state.epoch)
        while state.batch < len(batches):
            self._step(*batches[state.batch])
            state.step += 1
            state.batch += 1
            self._checkpoint_if_due()
        self._show_features(state.epoch + 1)
        self._select()
        state.epoch += 1
        state.batch = 0
        patience = self.config.training.patience
        out_of_patience = patience is not None and self.selection is not None and state.stale_epochs >= patience
        if out_of_patience and state.epoch < self.plan.epochs:
            self.observer.said(f"stopped early: validation has not improved for {state.stale_epochs} epochs")
        state.finished = out_of_patience or state.epoch >= self.plan.epochs

    def _set_training_mode(self) -> None:
        legacy = self.config.training.legacy_eval_mode
        self.backbone.train(not legacy)
        # The published code leaves training mode at its first evaluation and never comes back.
        self.method.train(not legacy or self.state.epoch == 0)

    def _batches_of(self, epoch: int) -> Sequence[tuple[Index, Index | None]]:
        """Row numbers of every batch of an epoch, and of the further texts behind it where the method draws some."""
        drawn = self.method.draw(self.train.label_ids, epoch)
        if drawn is None:
            return [(index, None) for index in self.batches.epoch(epoch)]
        number = len(self.batches)
        rows = drawn_batches(drawn.rows, number)
        if drawn.extra is None:
            return [(index, None) for index in rows]
        return list(zip(rows, drawn_batches(drawn.extra, number), strict=True))

    def _start_classifier(self) -> None:
        """Let the classifier's rows, which are the prototypes, begin where their classes are."""
        start = self.config.prototypes.start
        if start == "random" or self.backbone.reading == "label_tokens":
            return
        with self._accelerator.autocast():
            _, x_NH = predict(self.backbone, None, self.train.views[0], self.pad_id, embed=True)
            named_CH = None
            if self.names is not None:
                _, named_CH = predict(self.backbone, None, self.names.tokens, self.pad_id, embed=True)
                named_CH[~self.names.speaks_C] = np.nan
        start_at_means(self.backbone.classifier, x_NH, self.train.label_ids, named_CH)

    def _show_features(self, epoch: int) -> None:
        """Let the method see the features of all training texts, where it wants to."""
        if not self.method.wants_features:
            return
        with self._accelerator.autocast():
            _, x_NH = predict(self.backbone, None, self.train.views[0], self.pad_id, embed=True)
        y_N = torch.from_numpy(self.train.label_ids)
        total = self.plan.epochs
        self.method.on_features(torch.from_numpy(x_NH).to(self.device), y_N.to(self.device), epoch, total)

    def _encode(self, sheets: Sequence[PackedRows], extra: int) -> Features:
        """Features of a batch: the first views of its texts, the second ones if there are any, then the further texts.

        What is counted are tokens read by the whole encoder: a view from its upper layers counts by their share.
        """
        state, device = self.state, self.device
        weight = 1 + self.second_view
        copies = 2 if self.second_view else 1
        parts = []
        row_VN = np.empty((copies, sum(len(sheet.rows) for sheet in sheets)), dtype=np.int64)
        start = 0
        for sheet in sheets:
            size = len(sheet.rows)
            added = size * self.backbone.extra_tokens
            state.tokens += round(weight * (sheet.tokens + added))
            state.places += round(weight * (sheet.text_RT.numel() + added))
            parts.append(self.backbone.forward_views(sheet.input_ids.to(device), sheet.text_RT.to(device)))
            row_VN[:, sheet.rows] = start + np.arange(copies * size).reshape(copies, size)
            start += copies * size
        views = row_VN.shape[1] - extra
        order_N = np.concatenate([row_VN[:, :views].ravel(), row_VN[0, views:]])
        return gathered(parts, torch.from_numpy(order_N).to(device))

    def _labels(self, index: Index) -> torch.Tensor:
        return torch.from_numpy(self.train.label_ids[index]).to(self.device)

    def _step(self, index: Index, extra: Index | None) -> None:
        state, training = self.state, self.config.training
        parts = [(view, index) for view in self.train.views]
        if extra is not None:
            parts.append((self.train.views[0], extra))
        sheets = lay_out(parts, self.pad_id, self.backbone.packs)
        views = 2 if self.second_view else len(self.train.views)
        batch = Batch(self._labels(index), views, None if extra is None else self._labels(extra))
        factor = learning_rate_factor(state.step, self.plan.total_steps, training)
        set_learning_rates(self._optimizer, self._base_rates, factor)
        with self._accelerator.autocast():
            features = self._encode(sheets, 0 if extra is None else len(extra))
        progress = Progress(state.step, self.plan.total_steps, state.epoch, self.plan.epochs)
        terms: LossTerms = self.method(batch, features, progress)
        values = {name: float(term.detach()) for name, term in terms.items()}
        if not math.isfinite(values["total"]):
            raise SharpReCLError(
                f"the loss is no longer finite at step {state.step} ({values}); lower training.learning_rate"
                + (", raise method.temperature" if "temperature" in type(self.config.method).model_fields else "")
                + (" or set training.precision to fp32" if self.precision != "fp32" else "")
            )
        self._accelerator.backward(terms["total"])
        if training.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self._parameters, training.clip_norm)
        self._optimizer.step()
        if self._average is not None and state.step >= self.plan.total_steps * (1 - training.average):
            self._average.update()
        self._optimizer.zero_grad(set_to_none=True)
        rate = self.plan.learning_rate * factor
        self._record(
            {
                "kind": "step",
                "step": state.step + 1,
                "epoch": state.epoch + 1,
                "loss": values,
                "learning_rate": rate,
            }
        )

    def _select(self) -> None:
        state = self.state
        if self.selection is None:
            state.best_epoch = state.epoch
            return
        with self._accelerator.autocast():
            scores_NC, _ = predict(self.backbone, self.method.eval(), self.selection.views[0], self.pad_id)
        figures = validation_figures(scores_NC, self.selection.label_ids)
        score, right = figures["macro_f1"], figures["accuracy"]
        # Ties are broken by the answers too. The loss would not do: bare logits of a method that compensates for the
        # prior are meant for another one than the validation texts have.
        better = (score, right) > (state.best_macro_f1, state.best_accuracy)
        if better:
            state.best_macro_f1, state.best_accuracy, state.best_epoch = score, right, state.epoch
            state.stale_epochs = 0
            self._best = {"backbone": _clone(self.backbone), "method": _clone(self.method)}
            self._best_is_new = True
        elif state.epoch >= self.method.least_epochs(self.plan.epochs):
            state.stale_epochs += 1
        self._record(
            {
                "kind": "validation",
                "epoch": state.epoch + 1,
                "step": state.step,
                **figures,
                "best": better,
            }
        )

    def _record(self, record: Record) -> None:
        if self.history:
            self.history.write(record)
        done = record["step"] - self._pace_step
        seconds = time.monotonic() - self._pace_start
        pace = TrainingSpeed(
            step=record["step"],
            total_steps=self.plan.total_steps,
            texts_per_second=done * self.plan.batch_size / max(seconds, 1e-9),
            seconds_left=seconds / max(done, 1) * (self.plan.total_steps - record["step"]),
        )
        self.observer.recorded(record, pace)

    def _checkpoint_if_due(self) -> None:
        if time.monotonic() - self._last_checkpoint >= self.config.training.checkpoint_seconds:
            self._checkpoint()

    def _checkpoint(self) -> None:
        if self.checkpoints is None:
            return
        cuda = [torch.cuda.get_rng_state(self.device)] if self.device.type == "cuda" else []
        offset = self.checkpoints.guarded(self.history.offset) if self.history else 0
        self.checkpoints.save(
            self.state.step,
            {
                "backbone": self.backbone.state_dict(),
                "method": self.method.state_dict(),
                "optimizer": self._optimizer.state_dict(),
                "average": self._average.state_dict() if self._average else None,
                "random": {"cpu": torch.get_rng_state(), "cuda": cuda},
                "state": {**asdict(self.state), "seconds": self._seconds()},
                "history_offset": offset,
            },
            best=self._best,
            best_is_new=self._best_is_new,
        )
        self._best_is_new = False
        self._last_checkpoint = time.monotonic()

    def _restore(self, payload: dict[str, Any]) -> None:
        self.backbone.load_state_dict(payload["backbone"])
        self.method.load_state_dict(payload["method"])
        self._optimizer.load_state_dict(payload["optimizer"])
        if self._average is not None:
            self._average.load_state_dict(payload["average"])
        torch.set_rng_state(payload["random"]["cpu"])
        if payload["random"]["cuda"]:
            torch.cuda.set_rng_state(payload["random"]["cuda"][0], self.device)
        self.state = LoopState(**payload["state"])
        self._best = payload["best"]
        if self.history:
            self.history.rewind(payload["history_offset"])
        self.observer.said(f"resumed at step {self.state.step} of {self.plan.total_steps}")


def _clone(module: torch.nn.Module) -> dict[str, Any]:
    return {name: tensor.detach().to("cpu", copy=True) for name, tensor in module.state_dict().items()}
