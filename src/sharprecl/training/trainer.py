"""The trainer: batches, forward and backward, optimiser step, records, selection, checkpoints, resume.

What is trained is a ``Task``: an encoder with a method, or the adapters of a language model. Every random draw is a
function of (seed, epoch), as the order of the texts, or comes from a generator whose state is in the checkpoint
(dropout, the method's own). So a run that is killed and resumed makes the very steps that it would have made: to the
bit on a CPU; some of a GPU's sums have no fixed order. Of accelerators, NVIDIA's alone have their generator kept: on
another, dropout goes on differently, and so it does with another number of processes.

Each of several processes has a trainer. They take equal steps; only the first one's keeps files and tells of them.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np
import torch

from sharprecl.config import TrainingConfig
from sharprecl.data.messages import plural
from sharprecl.errors import DivergedError
from sharprecl.methods.base import Progress
from sharprecl.training import hardware
from sharprecl.training.checkpoint import CheckpointFolder
from sharprecl.training.history import Callback, HistoryFile, Record, TrainingSpeed
from sharprecl.training.optimizer import ScheduledAdamW, TrainingSchedule
from sharprecl.training.processes import ALONE, Processes
from sharprecl.training.selection import Selection


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
    processes: int = 1


class Task(ABC):
    """What is trained: weights, the batches of an epoch, and the gradients of one of them.

    Attributes:
        device: where the weights are.
        precision: ``bf16`` or ``fp32``, of the forward pass.
        tokens: read by the model in training so far.
        places: the same with padding.
        fused: whether the optimiser's step is one kernel.
    """

    device: torch.device
    precision: str
    tokens: int = 0
    places: int = 0
    fused: ClassVar[bool] = True

    @abstractmethod
    def parameter_groups(self) -> list[dict[str, Any]]:
        """All that the optimiser changes, with ``lr`` and ``weight_decay``; the first group's rate is shown."""

    @abstractmethod
    def batches(self, epoch: int) -> Sequence[Any]:
        """The batches of an epoch, which counts from 0."""

    @abstractmethod
    def forward_backward(self, batch: Any, progress: Progress) -> dict[str, float]:
        """Add a batch's gradients to the parameters'; give the loss terms, ``total`` among them."""

    @abstractmethod
    def train_mode(self, epoch: int) -> None:
        """Switch to training, dropout and all."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """The weights, by module: what a checkpoint keeps, and the best epoch's copy."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Take the weights back."""

    def begin(self) -> None:  # noqa: B027
        """Before the first step of a training that is not resumed."""

    def begins_stage(self, epoch: int) -> bool:
        """Whether the optimiser forgets its moments before this epoch."""
        del epoch
        return False

    def end_epoch(self, epoch: int) -> None:  # noqa: B027
        """After the last step of an epoch, before it is validated."""

    def validate(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Scores and label ids of held-out texts; None where the last epoch is kept."""
        return None

    def least_epochs(self) -> int:
        """Epochs that patience must not cut off."""
        return 0

    @abstractmethod
    def finish(self) -> None:
        """After the training, with the chosen weights in place."""


@dataclass
class TrainerState:
    """Where a run stands. ``batch`` counts within ``epoch``; both count from 0."""

    step: int = 0
    epoch: int = 0
    batch: int = 0
    finished: bool = False
    seconds: float = 0.0


@dataclass
class Trainer:
    """Trains a task by a schedule.

    Args:
        schedule: how many steps at which rates.
        training: warm-up, clipping, averaging, patience.
        callback: is told of every step and validation.
        advice: what to make smaller where the memory does not suffice.
        lower: what to lower where the loss is no longer finite.
        checkpoints, history: None keeps nothing on disk.
        processes: those that take the steps together.
    """

    task: Task
    schedule: TrainingSchedule
    training: TrainingConfig
    callback: Callback
    advice: str = "make training.batch_size or encoder.max_length smaller"
    lower: str = "training.learning_rate"
    checkpoints: CheckpointFolder | None = None
    history: HistoryFile | None = None
    processes: Processes = ALONE
    state: TrainerState = field(default_factory=TrainerState)

    def run(self, resume: bool = False) -> TrainingResult:
        """Train to the end and leave the chosen weights in the task."""
        task = self.task
        hardware.reset_peak_memory(task.device)
        self.selection = Selection(self.training.patience, task.least_epochs())
        try:
            self.optimizer = ScheduledAdamW(
                task.parameter_groups(), self.schedule.total_steps, self.training, task.fused
            )
            with hardware.enough_memory(self.advice):
                self._begin(resume)
                while not self.state.finished:
                    self._epoch()
            self._checkpoint()
        finally:
            # All that matters was synced with the last checkpoint; a full disk must not hide the error before it.
            with suppress(OSError):
                if self.history:
                    self.history.close()
            self.callback.on_end()
        if self.selection.best is not None:
            task.load_state_dict(self.selection.best)
        else:
            self.optimizer.write_average()
        task.finish()
        return TrainingResult(
            best_epoch=self.selection.epoch + 1,
            epochs=self.state.epoch,
            steps=self.state.step,
            tokens=task.tokens,
            seconds=self._seconds(),
            peak_memory_bytes=hardware.peak_memory_bytes(task.device),
            precision=task.precision,
            device=str(task.device),
            processes=self.processes.size,
        )

    def _begin(self, resume: bool) -> None:
        restored = self.processes.share(self.checkpoints.latest() if resume and self.checkpoints else None)
        if restored is not None:
            self._restore(restored)
        else:
            if self.checkpoints:
                self.checkpoints.start_anew()
            if self.history:
                self.history.rewind(0)
            self.task.begin()
            if not self.processes.alone:
                self.task.load_state_dict(self.processes.share(self.task.state_dict()))
        self._last_checkpoint = self._clock_start = time.monotonic()
        self._first_step = self.state.step

    def _seconds(self) -> float:
        """Training time so far, that of earlier parts of a resumed run included."""
        return self.state.seconds + time.monotonic() - self._clock_start

    def _epoch(self) -> None:
        state, task = self.state, self.task
        task.train_mode(state.epoch)
        if state.batch == 0 and task.begins_stage(state.epoch):
            self.optimizer.forget()
        batches = task.batches(state.epoch)
        while state.batch < len(batches):
            self._step(batches[state.batch])
            state.step += 1
            state.batch += 1
            self._checkpoint_if_due()
        task.end_epoch(state.epoch)
        self._validate()
        state.epoch += 1
        state.batch = 0
        state.finished = state.epoch >= self.schedule.epochs
        if not state.finished and self.selection.out_of_patience:
            self.callback.on_message(
                f"stopped early: validation has not improved for {self.selection.stale_epochs} epochs"
            )
            state.finished = True

    def _step(self, batch: Any) -> None:
        state, schedule = self.state, self.schedule
        progress = Progress(state.step, schedule.total_steps, state.epoch, schedule.epochs)
        terms = self.task.forward_backward(batch, progress)
        # Equal in all processes; the first one ends the others.
        if not math.isfinite(terms["total"]) and self.processes.first:
            raise DivergedError(
                f"the loss is no longer finite at step {state.step} ({terms}); lower {self.lower}"
                + (" or set training.precision to fp32" if self.task.precision != "fp32" else "")
            )
        factor = self.optimizer.step(state.step)
        self._record(
            {
                "kind": "step",
                "step": state.step + 1,
                "epoch": state.epoch + 1,
                "loss": terms,
                "learning_rate": schedule.learning_rate * factor,
            }
        )

    def _validate(self) -> None:
        state, held_out = self.state, self.task.validate()
        if held_out is None:
            self.selection.epoch = state.epoch
            return
        figures, better = self.selection.judge(*held_out, state.epoch, self.task.state_dict)
        self._record({"kind": "validation", "epoch": state.epoch + 1, "step": state.step, **figures, "best": better})

    def _record(self, record: Record) -> None:
        if self.history:
            self.history.write(record)
        done, total = record["step"] - self._first_step, self.schedule.total_steps
        seconds = time.monotonic() - self._clock_start
        speed = TrainingSpeed(
            step=record["step"],
            total_steps=total,
            texts_per_second=done * self.schedule.batch_size / max(seconds, 1e-9),
            seconds_left=seconds / max(done, 1) * (total - record["step"]),
        )
        self.callback.on_record(record, speed)

    def _checkpoint_if_due(self) -> None:
        if time.monotonic() - self._last_checkpoint >= self.training.checkpoint_seconds:
            self._checkpoint()

    def _checkpoint(self) -> None:
        if self.checkpoints is None:
            return
        task, device = self.task, self.task.device
        self.checkpoints.save(
            self.state.step,
            {
                "task": task.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "selection": self.selection.state_dict(),
                "random": {
                    "cpu": torch.get_rng_state(),
                    "cuda": [torch.cuda.get_rng_state(device)] if device.type == "cuda" else [],
                },
                "state": {**asdict(self.state), "seconds": self._seconds()},
                "read": [task.tokens, task.places],
                "processes": self.processes.size,
                "history_offset": self.checkpoints.guarded(self.history.offset) if self.history else 0,
            },
            best=self.selection.best,
            best_is_new=self.selection.best_is_new,
        )
        self.selection.best_is_new = False
        self._last_checkpoint = time.monotonic()

    def _restore(self, payload: dict[str, Any]) -> None:
        task = self.task
        task.load_state_dict(payload["task"])
        self.optimizer.load_state_dict(payload["optimizer"])
        self.selection.load_state_dict(payload["selection"], payload["best"])
        torch.set_rng_state(payload["random"]["cpu"])
        if payload["random"]["cuda"]:
            torch.cuda.set_rng_state(payload["random"]["cuda"][0], task.device)
        self.state = TrainerState(**payload["state"])
        task.tokens, task.places = payload["read"]
        if self.history:
            self.history.rewind(payload["history_offset"])
        self.callback.on_message(f"resumed at step {self.state.step} of {self.schedule.total_steps}")
        if (before := payload.get("processes", 1)) != self.processes.size:
            self.callback.on_message(
                f"note: begun with {plural(before, 'process', 'processes')}, resumed with {self.processes.size}: the "
                f"texts of every step stay, but dropout is drawn differently"
            )
