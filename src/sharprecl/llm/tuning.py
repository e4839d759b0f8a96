"""Fine-tuning on the labels: the model learns to write the label after the prompt, and nothing of the prompt itself."""

import math
import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sharprecl.config import TrainingConfig
from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.data.batches import ShuffledBatches
from sharprecl.errors import SharpReCLError
from sharprecl.llm.scoring import PromptReader, common_start, padded, read_start
from sharprecl.training import hardware
from sharprecl.training.history import HistoryFile, Observer, Record, TrainingSpeed
from sharprecl.training.optimizer import learning_rate_factor, set_learning_rates
from sharprecl.training.trainer import TrainingResult

IGNORED = -100
"""The target of a token that the loss must not count."""


def label_token_loss(logits_BKV: Tensor, targets_BK: Tensor) -> Tensor:
    """Sum over all tokens that count of -log p(token).

    Args:
        logits_BKV: of a model, in front of each of K tokens.
        targets_BK: the tokens; ``IGNORED`` where one is none of a label's.
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
        prompts, answers: token ids of B texts.
        pad_id: any token; padding is masked.
        common: tokens with which all prompts begin; they are read once, with gradients.
    """
    rows = [[*prompt[common:], *answer] for prompt, answer in zip(prompts, answers, strict=True)]
    ids_BT, mask_BT = padded(rows, pad_id)
    # Padded on the left too, so the tokens of the labels stand where they stand among the ids.
    targets_BK, _ = padded(answers, IGNORED)
    reader = PromptReader(model, read_start(model, prompts[0][:common]), len(rows))
    logits_BKV = reader.read(ids_BT.to(model.device), mask_BT.to(model.device), keep=targets_BK.shape[1] + 1)
    return logits_BKV[:, :-1], targets_BK.to(model.device)


def fine_tune(
    model: Any,
    prompts: Sequence[list[int]],
    answers: Sequence[list[int]],
    pad_id: int,
    settings: LlmLoraConfig,
    seed: int,
    *,
    precision: Literal["bf16", "fp32"],
    observer: Observer,
    history: HistoryFile | None = None,
) -> TrainingResult:
    """Train whatever of a model wants gradients; the last step's weights stay.

    A step's loss is the mean over the label tokens of its whole batch, so it does not depend on the micro-batches. The
    beginning that all prompts share, most of every prompt where texts are short, is read once a micro-batch.

    Args:
        prompts: token ids of N prompts.
        answers: token ids of each text's label, its end token included.
        pad_id: any token; padding is masked.
        settings: epochs, batches and learning rate; without an epoch nothing is done.
        precision: of the forward pass.
        observer, history: get a record of every step.

    Raises:
        SharpReCLError: the loss is no longer finite.
    """
    hardware.reset_peak_memory(model.device)
    begin = time.monotonic()
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=settings.learning_rate, weight_decay=0.0)
    lengths = np.array([len(prompt) + len(answer) for prompt, answer in zip(prompts, answers, strict=True)])
    shuffled = ShuffledBatches(len(lengths), settings.batch_size, seed)
    batches = [(epoch, index) for epoch in range(settings.epochs) for index in shuffled.epoch(epoch)]
    course = TrainingConfig(warmup=settings.warmup, schedule="constant")
    # Where activations are computed anew in the backward pass, transformers keeps no keys and values.
    anew = any(getattr(module, "gradient_checkpointing", False) for module in model.modules())
    common = 0 if anew else common_start(prompts)

    def gradients(index: np.ndarray) -> float:
        """Add the gradients of a batch up; return its loss."""
        tokens, loss = sum(len(answers[row]) for row in index), 0.0
        # Micro-batches of about one length pad less; the step is the same.
        index = index[np.argsort(lengths[index], kind="stable")]
        for start in range(0, len(index), settings.micro_batch_size):
            rows = index[start : start + settings.micro_batch_size]
            chosen = [prompts[row] for row in rows], [answers[row] for row in rows]
            with torch.autocast(model.device.type, torch.bfloat16, enabled=precision == "bf16"):
                logits_BKV, targets_BK = answer_logits(model, *chosen, pad_id, common)
            part = label_token_loss(logits_BKV, targets_BK) / tokens
            part.backward()  # type: ignore[no-untyped-call]
            loss += float(part.detach())
        return loss

    try:
        model.train()
        texts = 0
        for step, (epoch, index) in enumerate(batches):
            rate = settings.learning_rate * learning_rate_factor(step, len(batches), course)
            loss = gradients(index)
            if not math.isfinite(loss):
                raise SharpReCLError(
                    f"the loss is no longer finite at step {step} ({loss}); "
                    f"lower method.learning_rate or set training.precision to fp32"
                )
            torch.nn.utils.clip_grad_norm_(weights, settings.max_grad_norm)
            set_learning_rates(optimizer, [rate], 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            texts += len(index)
            record: Record = {"kind": "step", "step": step + 1, "epoch": epoch + 1, "loss": {"total": loss}}
            record["learning_rate"] = rate
            if history:
                history.write(record)
            seconds = max(time.monotonic() - begin, 1e-9)
            left = seconds / (step + 1) * (len(batches) - step - 1)
            observer.recorded(record, TrainingSpeed(step + 1, len(batches), texts / seconds, left))
    finally:
        model.eval()
        if history:
            history.close()
        observer.closed()
    return TrainingResult(
        best_epoch=settings.epochs,
        epochs=settings.epochs,
        steps=len(batches),
        tokens=settings.epochs * int(lengths.sum()),
        seconds=time.monotonic() - begin,
        peak_memory_bytes=hardware.peak_memory_bytes(model.device),
        precision=precision,
        device=str(model.device),
    )
