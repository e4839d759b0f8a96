"""How probable each label is after a prompt, by a language model that reads everything once.

All prompts of a task begin alike (the instruction, the labels), so that beginning is read once for all; then the rest
of each prompt, once for all labels; then, one label after the other, its few tokens. What was read is kept as keys and
values of the attention layers. For six labels and short texts that is a tenth of reading every prompt with every label.

The last layer computes in float32, whatever the rest computes in: its products go through a softmax over the whole
vocabulary, and of a logit near 20 bfloat16 keeps steps of 1/8. Labels would tie that are not alike, and the loss would
move in jumps. The hidden states keep their rounding, which is small beside that.

Shapes: B prompts, T tokens, K of them kept, V words of the vocabulary, H hidden, C labels, N texts.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn import functional

from sharprecl.data.batches import inference_batches

# Enough to keep the cores busy. On a GPU the keys and values bound it: half a megabyte a token for 7 billion weights.
_TOKENS_A_BATCH = {"cpu": 4096}
_TOKENS_ON_A_GPU = 16384
_ROWS = 16384
"""Words of the vocabulary at a time: a whole last layer in float32 is 2 GB for 8 billion weights."""

Start = tuple[tuple[Tensor, Tensor], ...]
"""Keys and values of every layer, for one row."""


@torch.no_grad()
def label_scores(
    model: Any, prompts: Sequence[list[int]], label_ids: Sequence[list[int]], pad_id: int, *, mean: bool = False
) -> np.ndarray:
    """Log-probabilities of the labels, float32 [N, C]: log P(tokens of the label, end token included | prompt).

    Args:
        model: a causal language model in evaluation mode.
        prompts, label_ids: token ids of N prompts and C labels, none empty.
        pad_id: any token; padding is masked.
        mean: divide by the number of the label's tokens, so that long names are not at a disadvantage.
    """
    scores_NC = np.empty((len(prompts), len(label_ids)), dtype=np.float32)
    if not prompts:
        return scores_NC
    common, device = common_start(prompts), model.device
    start = read_start(model, prompts[0][:common])
    lengths = np.array([len(ids) for ids in prompts])
    for index in inference_batches(lengths, _TOKENS_A_BATCH.get(device.type, _TOKENS_ON_A_GPU)):
        ids_BT, mask_BT = padded([prompts[row][common:] for row in index], pad_id)
        reader = PromptReader(model, start, len(index))
        first_BV = reader.read(ids_BT.to(device), mask_BT.to(device))[:, -1].log_softmax(-1)
        for label, ids in enumerate(label_ids):
            scores_B = first_BV[:, ids[0]]
            if len(ids) > 1:
                ids_BL = torch.tensor(ids, device=device).expand(len(index), -1)
                logits_BLV = reader.read(ids_BL[:, :-1], keep=len(ids) - 1)
                reader.forget(len(ids) - 1)
                following_BL = logits_BLV.log_softmax(-1).gather(2, ids_BL[:, 1:, None]).squeeze(2)
                scores_B = scores_B + following_BL.sum(1)
            scores_NC[index, label] = (scores_B / (len(ids) if mean else 1)).cpu().numpy()
    return scores_NC


class PromptReader:
    """A model and what it has read so far: at first, in each of ``rows`` rows, what ``read_start`` read."""

    def __init__(self, model: Any, start: Start = (), rows: int = 1) -> None:
        from transformers import DynamicCache

        self._model = model
        self._cache = DynamicCache([(k.expand(rows, -1, -1, -1), v.expand(rows, -1, -1, -1)) for k, v in start])
        length = start[0][0].shape[2] if start else 0
        self._mask_BT = torch.ones(rows, length, dtype=torch.int64, device=model.device)

    def read(self, ids_BT: Tensor, mask_BT: Tensor | None = None, keep: int = 1) -> Tensor:
        """Read on; return the logits of the last ``keep`` tokens, float32 [B, keep, V]."""
        mask_BT = torch.ones_like(ids_BT) if mask_BT is None else mask_BT
        self._mask_BT = torch.cat([self._mask_BT, mask_BT], dim=1)
        with _precise_head(self._model):
            result = self._model(
                input_ids=ids_BT,
                attention_mask=self._mask_BT,
                position_ids=positions(self._mask_BT)[:, -ids_BT.shape[1] :],
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=keep,
            )
        logits_BKV: Tensor = result.logits.float()
        return logits_BKV

    def forget(self, tokens: int) -> None:
        """Undo the reading of the last tokens."""
        self._cache.crop(-tokens)
        self._mask_BT = self._mask_BT[:, :-tokens]

    def kept(self) -> Start:
        """Keys and values of every layer."""
        return tuple((layer[0], layer[1]) for layer in self._cache)


def read_start(model: Any, ids: Sequence[int]) -> Start:
    """Keys and values of a beginning, for a ``PromptReader``; nothing for no tokens."""
    if not ids:
        return ()
    reader = PromptReader(model)
    reader.read(torch.tensor([ids], device=model.device))
    return reader.kept()


def padded(rows: Sequence[list[int]], pad_id: int) -> tuple[Tensor, Tensor]:
    """Token ids and mask [B, T], padded on the left: all rows end together, where the next token is wanted."""
    width = max(map(len, rows))
    ids_BT = [[pad_id] * (width - len(ids)) + ids for ids in rows]
    mask_BT = [[0] * (width - len(ids)) + [1] * len(ids) for ids in rows]
    return torch.tensor(ids_BT, dtype=torch.int64), torch.tensor(mask_BT, dtype=torch.int64)


def positions(mask_BT: Tensor) -> Tensor:
    """Where each token stands in its text: padding does not count."""
    return (mask_BT.cumsum(1) - 1).clamp(min=0)


def common_start(prompts: Sequence[list[int]]) -> int:
    """Tokens with which all prompts begin; at least one token of every prompt is left over."""
    # Whatever lies between the smallest and the largest list begins as those two do.
    first, last = min(prompts), max(prompts)
    most = min(map(len, prompts)) - 1
    return next((place for place in range(most) if first[place] != last[place]), most) if len(prompts) > 1 else 0


@contextmanager
def _precise_head(model: Any) -> Iterator[None]:
    """Let a model's last layer compute in float32, where it is an ordinary one that is not trained."""
    head = model.get_output_embeddings()
    if type(head) is not nn.Linear or (torch.is_grad_enabled() and head.weight.requires_grad):
        yield
        return

    def anew(module: nn.Module, given: tuple[Tensor, ...], result: Tensor) -> Tensor:
        coarse = result.dtype != torch.float32
        return head_logits(given[0], head.weight, head.bias) if coarse else result

    hook = head.register_forward_hook(anew)
    try:
        yield
    finally:
        hook.remove()


def head_logits(hidden_BKH: Tensor, weight_VH: Tensor, bias_V: Tensor | None) -> Tensor:
    """float32 logits [B, K, V] of hidden states; differentiable for these, not for the weights."""
    with torch.autocast(hidden_BKH.device.type, enabled=False):
        logits_BKV: Tensor = _Head.apply(hidden_BKH.float(), weight_VH.detach())  # type: ignore[no-untyped-call]
        return logits_BKV if bias_V is None else logits_BKV + bias_V.float()


class _Head(torch.autograd.Function):
    """``functional.linear`` that never holds the whole matrix in float32, nor keeps it for the way back."""

    @staticmethod
    def forward(ctx: FunctionCtx, hidden_BKH: Tensor, weight_VH: Tensor) -> Tensor:
        ctx.save_for_backward(weight_VH)
        return torch.cat(
            [functional.linear(hidden_BKH, rows.float()) for rows in torch.split(weight_VH, _ROWS)], dim=-1
        )

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (weight_VH,) = ctx.saved_tensors
        parts = zip(torch.split(gradients[0], _ROWS, dim=-1), torch.split(weight_VH, _ROWS), strict=True)
        return torch.stack([part_BKV @ rows.float() for part_BKV, rows in parts]).sum(0), None
