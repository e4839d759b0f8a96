"""A second view at a fraction of its price: the lower layers run once, the upper ones twice with fresh dropout.

The two copies of a text differ by the dropout of the upper layers alone. Source of dropout as augmentation: Gao et al.,
EMNLP 2021 (SimCSE).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from sharprecl.models import stock

UPPER = 6
"""The upper sixth of the layers, at least one, runs twice."""


class UpperRepeat:
    """Runs a model's upper layers twice on every row, inside ``twice``.

    Args:
        model: a transformers model.

    Raises:
        ConfigError: its layers are not a plain list.
    """

    def __init__(self, model: Any) -> None:
        layers = stock.layers(model)
        self.first = len(layers) - max(1, len(layers) // UPPER)
        self.price = (len(layers) - self.first) / len(layers)
        """Share of a forward that the second view costs."""
        self._rows: int | None = None
        for number in range(self.first, len(layers)):
            layers[number].register_forward_pre_hook(self._double, with_kwargs=True)

    @contextmanager
    def twice(self, rows: int) -> Iterator[None]:
        """Within, a forward over ``rows`` rows gives 2 * rows: all first views, then all second ones."""
        self._rows = rows
        try:
            yield
        finally:
            self._rows = None

    def _double(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        del module
        return None if self._rows is None else (self._doubled(args), self._doubled(kwargs))

    def _doubled(self, value: Any) -> Any:
        """The first of the repeated layers gets states of ``rows`` rows, the others only masks and positions."""
        if isinstance(value, torch.Tensor):
            return torch.cat([value, value]) if value.ndim > 1 and len(value) == self._rows else value
        if isinstance(value, tuple):
            return tuple(self._doubled(item) for item in value)
        if isinstance(value, dict):
            return {name: self._doubled(item) for name, item in value.items()}
        return value
