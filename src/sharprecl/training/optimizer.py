"""AdamW with one learning rate for the encoder and one for everything new, and its schedule over the steps."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from sharprecl.config import TrainingConfig
from sharprecl.models.backbone import Backbone
from sharprecl.training.average import RunningMean

_EPOCHS, _FEWEST_STEPS = 4, 120


@dataclass(frozen=True)
class TrainingSchedule:
    """What ``auto`` means for this data and this encoder, and how many steps that gives."""

    batch_size: int
    learning_rate: float
    head_learning_rate: float
    steps_per_epoch: int
    epochs: int

    @property
    def total_steps(self) -> int:
        """Steps of the whole training, if nothing stops it early."""
        return self.steps_per_epoch * self.epochs


def resolve_batch_size(config: TrainingConfig, num_texts: int) -> int:
    """The batch size; ``auto`` is the power of two in 16..128 that leaves at least 32 steps an epoch."""
    if config.batch_size != "auto":
        return config.batch_size
    batch_size = 16
    while batch_size < 128 and num_texts >= 32 * 2 * batch_size:
        batch_size *= 2
    return batch_size


def resolve_schedule(
    config: TrainingConfig, batch_size: int, steps_per_epoch: int, hidden_size: int
) -> TrainingSchedule:
    """Fill in the learning rates that were left to us, and count the steps."""
    rate = config.learning_rate
    if rate == "auto":
        rate = 2e-4 if hidden_size <= 512 else 5e-5 if hidden_size <= 768 else 2e-5
    head_rate = 1e-3 if config.head_learning_rate == "auto" else config.head_learning_rate
    enough = max(_EPOCHS, -(-_FEWEST_STEPS // max(steps_per_epoch, 1)))
    epochs = enough if config.max_epochs == "auto" else config.max_epochs
    return TrainingSchedule(batch_size, rate, head_rate, steps_per_epoch, epochs)


def parameter_groups(
    backbone: Backbone, method: nn.Module, config: TrainingConfig, plan: TrainingSchedule
) -> list[dict[str, Any]]:
    """Split all parameters by (encoder or new) and (decayed or not); biases and normalisations are not decayed."""
    encoder = {id(parameter) for parameter in backbone.model.base_model.parameters()}
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for parameter in [*backbone.parameters(), *method.parameters()]:
        if parameter.requires_grad:
            decayed = config.decay_all or parameter.ndim > 1
            groups.setdefault((id(parameter) in encoder, decayed), []).append(parameter)
    return [
        {
            "params": parameters,
            "lr": plan.learning_rate if is_encoder else plan.head_learning_rate,
            "weight_decay": config.weight_decay if decayed else 0.0,
        }
        for (is_encoder, decayed), parameters in sorted(groups.items(), key=lambda item: item[0])
    ]


def learning_rate_factor(step: int, total_steps: int, config: TrainingConfig) -> float:
    """Factor on every learning rate at a step: a linear rise, then a linear fall to zero or a constant 1."""
    warmup = round(config.warmup * total_steps)
    if step < warmup:
        return (step + 1) / (warmup + 1)
    if config.schedule == "constant":
        return 1.0
    return (total_steps - step) / max(total_steps - warmup, 1)


class ScheduledAdamW:
    """AdamW whose rates follow the schedule; clips gradients, and averages the last steps' weights if asked to.

    Args:
        groups: parameters with ``lr``, the rate where the factor is 1, and ``weight_decay``.
        total_steps: of the whole training.
        training: warm-up, schedule, clipping, share of the steps to average.
        fused: whether a step is one kernel: faster with many parameters, and rounded otherwise.
    """

    def __init__(self, groups: list[dict[str, Any]], total_steps: int, training: TrainingConfig, fused: bool) -> None:
        self._rates = [float(group["lr"]) for group in groups]
        self._total_steps, self._training = total_steps, training
        self._adamw = torch.optim.AdamW(groups, fused=fused)
        self._parameters = [p for group in self._adamw.param_groups for p in group["params"]]
        self._average = RunningMean(self._parameters) if training.average > 0 else None

    def step(self, step: int) -> float:
        """Change the parameters by their gradients, which are then gone; give the factor on the rates."""
        factor = learning_rate_factor(step, self._total_steps, self._training)
        for group, rate in zip(self._adamw.param_groups, self._rates, strict=True):
            group["lr"] = rate * factor
        if self._training.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(self._parameters, self._training.clip_norm)
        self._adamw.step()
        if self._average is not None and step >= self._total_steps * (1 - self._training.average):
            self._average.update()
        self._adamw.zero_grad(set_to_none=True)
        return factor

    def forget(self) -> None:
        """Forget the moments."""
        self._adamw.state.clear()

    def write_average(self) -> None:
        """Put the mean of the last steps' weights in place of the last step's, where it was kept."""
        if self._average is not None:
            self._average.write()

    def state_dict(self) -> dict[str, Any]:
        """All that a checkpoint needs."""
        return {"adamw": self._adamw.state_dict(), "average": self._average.state_dict() if self._average else None}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self._adamw.load_state_dict(state["adamw"])
        if self._average is not None:
            self._average.load_state_dict(state["average"])
