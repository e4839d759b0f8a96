"""The last layer of a language model in float32, whatever the rest computes in.

Its products go through a softmax over the whole vocabulary. Of a logit near 20, bfloat16 keeps steps of 1/8: labels tie
that are not alike, and the loss moves in jumps. The hidden states keep their rounding, which is small beside that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx, once_differentiable
from torch.nn import functional

_ROWS = 16384
"""Words of the vocabulary at a time: a whole layer in float32 is 2 GB for 8 billion weights."""


@contextmanager
def precise_head(model: Any) -> Iterator[None]:
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
