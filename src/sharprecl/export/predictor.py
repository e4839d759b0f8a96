"""What answers for a trained classifier, whatever it is made of."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from sharprecl.export.card import Card


class Predictor(Protocol):
    """Gives scores of texts, and can be written to a folder."""

    @property
    def pooling(self) -> str:
        """How token vectors become one feature, for the card; ``none`` where there are no features."""
        ...

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], float32; the answer is a row's argmax.

        A row of NaN says that there was no usable answer for that text. Without ``embed``, and where a model has no
        features, H is 0.
        """
        ...

    def save(self, folder: Path, card: Card) -> Card:
        """Write everything that answering needs; return the card as written, ``not_stock_because`` filled in."""
        ...
