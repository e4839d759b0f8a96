"""AdamW with one learning rate for the encoder and one for everything new, and the rate's course over the steps."""

from dataclasses import dataclass

import torch
from torch import nn

from sharprecl.config import TrainingConfig
from sharprecl.models.backbone import Backbone

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
) -> list[dict[str, object]]:
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


def set_learning_rates(optimizer: torch.optim.Optimizer, base: list[float], factor: float) -> None:
    """Set every group's rate to its base rate times the factor."""
    for group, rate in zip(optimizer.param_groups, base, strict=True):
        group["lr"] = rate * factor
