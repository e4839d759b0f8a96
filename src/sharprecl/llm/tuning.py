"""Fine-tuning on the labels: the model learns to write the label after the prompt, and nothing of the prompt itself."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sharprecl.config import TrainingConfig
from sharprecl.data.batches import ShuffledBatches
from sharprecl.errors import SharpReCLError
from sharprecl.llm.prompts import IGNORED, label_mask
from sharprecl.llm.scoring import PromptReader, common_start, padded, read_start
from sharprecl.training import hardware
from sharprecl.training.history import HistoryFile, Observer, Record, TrainingSpeed
from sharprecl.training.optimizer import learning_rate_factor, set_learning_rates
from sharprecl.training.trainer import TrainingResult


@dataclass(frozen=True)
class TuningSettings:
    """How to optimise. A step sees ``batch_size`` texts, ``micro_batch_size`` at a time: memory, not the result."""

    epochs: int
    batch_size: int
    micro_batch_size: int
    learning_rate: float
    warmup: float
    max_grad_norm: float
    seed: int


def label_token_loss(logits_BKV: Tensor, targets_BK: Tensor) -> Tensor:
    """Sum over all tokens that count of -log p(token), for logits that stand one place before their targets.

    Args:
        logits_BKV: of a model, behind each of K tokens.
        targets_BK: the token that follows each; ``IGNORED`` where it is none of a label's.
    """
    return functional.cross_entropy(
        logits_BKV.float().flatten(0, 1), targets_BK.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def answer_logits(
    model: Any, prompts: Sequence[list[int]], answers: Sequence[list[int]], pad_id: int, common: int = 0
) -> tuple[Tensor, Tensor]:
    """Logits in front of the labels' tokens, and those tokens: the last K places of B prompts with their labels.

    K is the length of the longest label: over the whole prompt the logits would take more memory than the model.

    Args:
        model: in training mode or not.
        prompts, answers: token ids of B texts.
        pad_id: any token; padding is masked.
        common: tokens with which all prompts begin; they are read once, with gradients.
    """
    pairs = list(zip(prompts, answers, strict=True))
    ids_BT, mask_BT = padded([[*prompt[common:], *answer] for prompt, answer in pairs], pad_id)
    # Padded on the left too, so the tokens of the labels stand where they stand among the ids.
    targets_BT, _ = padded([label_mask(len(prompt) - common, answer) for prompt, answer in pairs], IGNORED)
    most = max(map(len, answers))
    reader = PromptReader(model, read_start(model, prompts[0][:common]), len(pairs))
    logits_BKV = reader.read(ids_BT.to(model.device), mask_BT.to(model.device), keep=most + 1)
    return logits_BKV[:, :-1], targets_BT[:, -most:].to(model.device)


@dataclass
class _Tuner:
    """The state of a fine-tuning."""

    model: Any
    prompts: Sequence[list[int]]
    answers: Sequence[list[int]]
    pad_id: int
    plan: TuningSettings
    precision: Literal["bf16", "fp32"]

    def __post_init__(self) -> None:
        self.weights = [weight for weight in self.model.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.AdamW(self.weights, lr=self.plan.learning_rate, weight_decay=0.0)
        self.lengths = np.array([len(p) + len(a) for p, a in zip(self.prompts, self.answers, strict=True)])
        self.batches = ShuffledBatches(len(self.lengths), self.plan.batch_size, self.plan.seed)
        self.total_steps = self.plan.epochs * len(self.batches)
        self.course = TrainingConfig(warmup=self.plan.warmup, schedule="constant")
        # Where activations are computed anew in the backward pass, transformers keeps no keys and values.
        anew = any(getattr(module, "gradient_checkpointing", False) for module in self.model.modules())
        self.common = 0 if anew else common_start(self.prompts)

    def step(self, index: np.ndarray, number: int) -> tuple[float, float]:
        """Make one step; return the loss and the learning rate."""
        rate = self.plan.learning_rate * learning_rate_factor(number, self.total_steps, self.course)
        tokens = sum(len(self.answers[row]) for row in index)
        value = 0.0
        # Micro-batches of about one length pad less; the step is the same.
        index = index[np.argsort(self.lengths[index], kind="stable")]
        for start in range(0, len(index), self.plan.micro_batch_size):
            rows = index[start : start + self.plan.micro_batch_size]
            chosen = [self.prompts[row] for row in rows], [self.answers[row] for row in rows]
            with torch.autocast(self.model.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
                logits_BKV, targets_BK = answer_logits(self.model, *chosen, self.pad_id, self.common)
            loss = label_token_loss(logits_BKV, targets_BK) / tokens
            loss.backward()  # type: ignore[no-untyped-call]
            value += float(loss.detach())
        if not math.isfinite(value):
            raise SharpReCLError(
                f"the loss is no longer finite at step {number} ({value}); "
                f"lower method.learning_rate or set training.precision to fp32"
            )
        torch.nn.utils.clip_grad_norm_(self.weights, self.plan.max_grad_norm)
        set_learning_rates(self.optimizer, [rate], 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return value, rate


def fine_tune(
    model: Any,
    prompts: Sequence[list[int]],
    answers: Sequence[list[int]],
    pad_id: int,
    plan: TuningSettings,
    *,
    precision: Literal["bf16", "fp32"],
    observer: Observer,
    history: HistoryFile | None = None,
) -> TrainingResult:
    """Train whatever of a model wants gradients; the last step's weights stay.

    A step's loss is the mean over the label tokens of its whole batch, so it does not depend on the micro-batches. The
    beginning that all prompts share, most of every prompt where texts are short, is read once a micro-batch.

    Args:
        model: a causal language model with adapters.
        prompts: token ids of N prompts.
        answers: token ids of each text's label, its end token included.
        pad_id: any token; padding is masked.
        plan: how to optimise. Without an epoch nothing is done.
        precision: of the forward pass.
        observer: is told of every step.
        history: takes the same records.

    Raises:
        SharpReCLError: the loss is no longer finite.
    """
    hardware.reset_peak_memory(model.device)
    begin = time.monotonic()
    step = texts = 0
    try:
        model.train()
        tuner = _Tuner(model, prompts, answers, pad_id, plan, precision)
        batches = [(epoch, index) for epoch in range(plan.epochs) for index in tuner.batches.epoch(epoch)]
        for epoch, index in batches:
            loss, rate = tuner.step(index, step)
            step, texts = step + 1, texts + len(index)
            record: Record = {"kind": "step", "step": step, "epoch": epoch + 1, "loss": {"total": loss}}
            record["learning_rate"] = rate
            if history:
                history.write(record)
            seconds = max(time.monotonic() - begin, 1e-9)
            left = seconds / step * (len(batches) - step)
            observer.recorded(record, TrainingSpeed(step, len(batches), texts / seconds, left))
    finally:
        model.eval()
        if history:
            history.close()
        observer.closed()
    return TrainingResult(
        best_epoch=plan.epochs,
        epochs=plan.epochs,
        steps=step,
        tokens=plan.epochs * sum(map(len, [*prompts, *answers])),
        seconds=time.monotonic() - begin,
        peak_memory_bytes=hardware.peak_memory_bytes(model.device),
        precision=precision,
        device=str(model.device),
    )
