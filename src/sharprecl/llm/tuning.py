"""Fine-tuning on the labels: the model learns to write the label after the prompt, and nothing of the prompt itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from sharprecl.config import TrainingConfig
from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.data.batches import ShuffledBatches
from sharprecl.data.resampling import Resampling
from sharprecl.llm.scoring import PromptReader, common_start, padded, read_start
from sharprecl.methods.base import Progress
from sharprecl.training.optimizer import TrainingSchedule
from sharprecl.training.trainer import Task

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


@dataclass
class AdapterTask(Task):
    """Trains whatever of a causal language model wants gradients, on the labels of N texts.

    A step's loss is the mean over the label tokens of its whole batch, so it does not depend on the micro-batches. The
    beginning that all prompts share, most of every prompt where texts are short, is read once a micro-batch.

    Args:
        prompts: token ids of N prompts.
        answers: token ids of each text's label, its end token included.
        pad_id: any token; padding is masked.
        settings: batches and learning rate.
        precision: of the forward pass.
        weights: of the texts, [N]; None: all alike.
    """

    fused = False

    model: Any
    prompts: Sequence[list[int]]
    answers: Sequence[list[int]]
    pad_id: int
    settings: LlmLoraConfig
    seed: int
    precision: Literal["bf16", "fp32"]
    weights: np.ndarray | None = None
    tokens: int = field(default=0, init=False)
    places: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.device = self.model.device
        self._weights = {name: weight for name, weight in self.model.named_parameters() if weight.requires_grad}
        pairs = zip(self.prompts, self.answers, strict=True)
        self._lengths = np.array([len(prompt) + len(answer) for prompt, answer in pairs])
        resampling = None if self.weights is None else Resampling(self.weights, self.seed)
        self._batches = ShuffledBatches(len(self._lengths), self.settings.batch_size, self.seed, resampling)
        # Where activations are computed anew in the backward pass, transformers keeps no keys and values.
        anew = any(getattr(module, "gradient_checkpointing", False) for module in self.model.modules())
        self._common = 0 if anew else common_start(self.prompts)

    @property
    def schedule(self) -> TrainingSchedule:
        """Steps and rates."""
        chosen, rate = self.settings, self.settings.learning_rate
        return TrainingSchedule(chosen.batch_size, rate, rate, len(self._batches), chosen.epochs)

    @property
    def training(self) -> TrainingConfig:
        """A constant rate after the warm-up."""
        chosen = self.settings
        return TrainingConfig(warmup=chosen.warmup, schedule="constant", clip_norm=chosen.max_grad_norm)

    def parameter_groups(self) -> list[dict[str, Any]]:
        rate = self.settings.learning_rate
        return [{"params": list(self._weights.values()), "lr": rate, "weight_decay": 0.0}]

    def batches(self, epoch: int) -> Sequence[np.ndarray]:
        return self._batches.epoch(epoch)

    def forward_backward(self, batch: np.ndarray, progress: Progress) -> dict[str, float]:
        del progress
        tokens, loss = sum(len(self.answers[row]) for row in batch), 0.0
        self.tokens += int(self._lengths[batch].sum())
        # Micro-batches of about one length pad less; the step is the same.
        batch = batch[np.argsort(self._lengths[batch], kind="stable")]
        for start in range(0, len(batch), self.settings.micro_batch_size):
            rows = batch[start : start + self.settings.micro_batch_size]
            chosen = [self.prompts[row] for row in rows], [self.answers[row] for row in rows]
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == "bf16"):
                logits_BKV, targets_BK = answer_logits(self.model, *chosen, self.pad_id, self._common)
            part = label_token_loss(logits_BKV, targets_BK) / tokens
            part.backward()  # type: ignore[no-untyped-call]
            loss += float(part.detach())
        return {"total": loss}

    def train_mode(self, epoch: int) -> None:
        del epoch
        self.model.train()

    def finish(self) -> None:
        self.model.eval()

    def state_dict(self) -> dict[str, Any]:
        """The trained weights; the others never change."""
        return {name: weight.detach() for name, weight in self._weights.items()}

    @torch.no_grad()
    def load_state_dict(self, state: dict[str, Any]) -> None:
        for name, weight in self._weights.items():
            weight.copy_(state[name])
