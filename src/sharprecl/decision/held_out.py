"""Scores of texts that a model has not learnt from, kept beside it so that it can be decided anew at any time."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sharprecl.files import atomic_path

FILE = "held_out.npz"

MOST_SCORES = 20_000_000
"""M C at most, 80 MB: of more texts a sample is kept, class by class."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """M texts that are as skewed as training, none of them a test text.

    Attributes:
        s_MC: their scores before any decision, float32.
        label_ids: their classes, [M].
        weight_M: their weights.
    """

    s_MC: NDArray[np.float32]
    label_ids: NDArray[np.int64]
    weight_M: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.label_ids)

    def save(self, folder: Path) -> None:
        """Write ``held_out.npz`` into a folder."""
        kept = self._sample() if self.s_MC.size > MOST_SCORES else self
        with atomic_path(folder / FILE) as temporary, temporary.open("wb") as stream:
            np.savez_compressed(stream, scores=kept.s_MC, label_ids=kept.label_ids, weights=kept.weight_M)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What ``save`` wrote; None where nothing lies."""
        if not (folder / FILE).is_file():
            return None
        with np.load(folder / FILE, allow_pickle=False) as saved:
            return cls(saved["scores"], saved["label_ids"], saved["weights"])

    def _sample(self) -> "HeldOut":
        """As many texts of every class, all of the rare ones."""
        C = self.s_MC.shape[1]
        texts_C = np.bincount(self.label_ids, minlength=C)
        room, most = MOST_SCORES // C, 0
        for number in np.sort(texts_C):
            if np.minimum(texts_C, number).sum() > room:
                break
            most = int(number)
        most = max(most, room // C)
        order = np.random.Generator(np.random.PCG64(0)).permutation(len(self))
        order = order[np.argsort(self.label_ids[order], kind="stable")]
        place = np.arange(len(order)) - np.repeat(np.cumsum(texts_C) - texts_C, texts_C)
        rows = np.sort(order[place < most])
        # Every kept text stands for those of its class that were not.
        share_C = texts_C / np.maximum(np.minimum(texts_C, most), 1)
        weight = self.weight_M[rows] * share_C[self.label_ids[rows]]
        return HeldOut(self.s_MC[rows], self.label_ids[rows], weight)
