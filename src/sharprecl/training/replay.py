"""Contrast over more texts than fit into memory: features first, without a graph; then each forward again, with one.

Source: Gao et al., RepL4NLP 2021 (GradCache). The gradients are those of the whole batch: the loss is computed once, on
all features, and each forward is repeated from the random state that it began with, so dropout drops the same.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from sharprecl.data.packing import PackedRows
from sharprecl.models.features import Features


class Replay:
    """The forwards of one batch.

    Args:
        forward: gives the features of some texts.
        device: where it runs, and draws.
    """

    def __init__(self, forward: Callable[[PackedRows], Features], device: torch.device) -> None:
        self._forward, self._device = forward, device
        self._done: list[tuple[PackedRows, list[Tensor], Features]] = []

    def features(self, parts: Sequence[PackedRows]) -> list[Features]:
        """Features of each part that gather gradients, but hold no graph."""
        for part in parts:
            state = self._state()
            with torch.no_grad():
                found = self._forward(part)
            self._done.append((part, state, found.changed(lambda rows_M: rows_M.detach().requires_grad_())))
        return [features for _, _, features in self._done]

    def backward(self) -> None:
        """Repeat every forward, and send the gradients of its features through it."""
        behind = self._state()
        for part, state, cached in self._done:
            self._set(state)
            again = self._forward(part)
            outputs = [(new, old.grad) for new, old in _rows(again, cached) if old.grad is not None]
            if outputs:
                torch.autograd.backward([new for new, _ in outputs], [gradient for _, gradient in outputs])
        self._set(behind)

    def _state(self) -> list[Tensor]:
        cuda = [torch.cuda.get_rng_state(self._device)] if self._device.type == "cuda" else []
        return [torch.get_rng_state(), *cuda]

    def _set(self, state: list[Tensor]) -> None:
        torch.set_rng_state(state[0])
        if len(state) > 1:
            torch.cuda.set_rng_state(state[1], self._device)


def _rows(new: Features, old: Features) -> list[tuple[Tensor, Tensor]]:
    pairs = [(new.x_NH, old.x_NH), (new.s_NC, old.s_NC)]
    if new.t_NCH is not None and old.t_NCH is not None:
        pairs.append((new.t_NCH, old.t_NCH))
    return pairs
