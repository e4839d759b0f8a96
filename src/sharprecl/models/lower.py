"""The frozen lower layers of an encoder: run alone, or left out where what they give is known."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from torch import Tensor, nn


class LowerLayers:
    """Layers without dropout and gradients, whose hidden states never change.

    Args:
        lower: the frozen layers, lowest first, at least one.
        upper: the layers above them.
    """

    def __init__(self, lower: Sequence[nn.Module], upper: Sequence[nn.Module]) -> None:
        self._lower, self._upper = lower, upper
        self._others: int | None = None
        """Where layers give a tuple: how much else stands in it."""

    def __len__(self) -> int:
        return len(self._lower)

    def replaced(self, h_RTH: Tensor) -> AbstractContextManager[None]:
        """Within, a forward goes on from these hidden states [R, T, H] instead of running the lower layers."""
        return self._passing(self._lower, h_RTH)

    @contextmanager
    def alone(self) -> Iterator[list[Tensor]]:
        """Within, a forward runs these layers only, and adds what they give, [N, T, H], to the list."""
        given: list[Tensor] = []

        def keep(module: nn.Module, inputs: Any, output: Any) -> None:
            del module, inputs
            self._others = len(output) - 1 if isinstance(output, tuple) else None
            given.append(output if self._others is None else output[0])

        hook = self._lower[-1].register_forward_hook(keep)
        try:
            with self._passing(self._upper):
                yield given
        finally:
            hook.remove()

    @contextmanager
    def _passing(self, layers: Sequence[nn.Module], instead: Tensor | None = None) -> Iterator[None]:
        """Within, layers give back their input, or what is given instead."""

        def forward(hidden_states: Tensor, *args: Any, **kwargs: Any) -> Any:
            del args, kwargs
            states = hidden_states if instead is None else instead
            return states if self._others is None else (states, *[None] * self._others)

        for layer in layers:
            layer.forward = forward
        try:
            yield
        finally:
            for layer in layers:
                del layer.forward
