"""The training texts that a model finds most alike: cosine between features, in memory, never on a disk."""

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.tables import TextTable

_TEXTS_AT_ONCE = 16
"""Requests wait behind so many."""

Embed = Callable[[Any, Sequence[str]], Awaitable[NDArray[np.float32]]]
"""A model and N texts to their features [N, H]."""


class Neighbour(NamedTuple):
    """A training text, its label and how alike it is, -1 to 1."""

    text: str
    label: str
    similarity: float


class Neighbours:
    """Finds the training texts nearest to a text. Their features are made while the server answers.

    Args:
        table: training texts; of equal ones with one label, one is kept.
        embed: makes features.

    Attributes:
        progress: how much of the training texts has its features, 0 to 1.
    """

    def __init__(self, table: TextTable, embed: Embed) -> None:
        rows = dict.fromkeys(zip(table.texts, table.label_ids.tolist(), strict=True))
        self._texts = [text for text, _ in rows]
        self._labels = [table.label_names[label] for _, label in rows]
        self._embed = embed
        # The features of a model must not keep it in memory when another one has taken over.
        self._model: Callable[[], Any] = lambda: None
        self._making: asyncio.Task[NDArray[np.float32]] | None = None
        self.progress = 0.0

    def follow(self, model: Any) -> "asyncio.Task[NDArray[np.float32]]":
        """Make the unit features [N, H] for a model, once, in a task."""
        if self._making is None or self._model() is not model:
            self.close()
            self._model, self.progress = weakref.ref(model), 0.0
            self._making = asyncio.create_task(self._make(model))
        return self._making

    async def _make(self, model: Any) -> NDArray[np.float32]:
        parts = []
        for place in range(0, len(self._texts), _TEXTS_AT_ONCE):
            parts.append(_unit(await self._embed(model, self._texts[place : place + _TEXTS_AT_ONCE])))
            self.progress = min(1.0, (place + _TEXTS_AT_ONCE) / len(self._texts))
        return np.concatenate(parts)

    async def nearest(self, model: Any, text: str, number: int = 5) -> list[Neighbour] | None:
        """The nearest training texts, nearest first; None while the features for this model are being made.

        Raises:
            Exception: whatever went wrong with the features; the next call tries again.
        """
        making = self.follow(model)
        if not making.done():
            return None
        if making.cancelled() or making.exception():
            self._making = None
        unit_NH = making.result()
        cosine_N = unit_NH @ _unit(await self._embed(model, [text]))[0]
        best = np.argsort(-cosine_N, kind="stable")[:number]
        return [Neighbour(self._texts[row], self._labels[row], float(cosine_N[row])) for row in best]

    def close(self) -> None:
        """Make no more features."""
        if self._making is not None:
            self._making.cancel()


def _unit(x_NH: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; a row of zeros stays one."""
    length_N = np.linalg.norm(x_NH, axis=1, keepdims=True)
    unit_NH: NDArray[np.float32] = x_NH / np.maximum(length_N, np.finfo(np.float32).tiny)
    return unit_NH
