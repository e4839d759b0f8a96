"""Which texts a step sees, and which ones a prediction reads together."""

import numpy as np
import torch
from numpy.typing import NDArray

from sharprecl.data.resampling import Resampling
from sharprecl.data.tokens import TokenizedTexts
from sharprecl.errors import ConfigError

Index = NDArray[np.int64]


class ShuffledBatches:
    """Cuts every epoch into batches at random; a function of (seed, epoch) and of nothing else.

    Args:
        num_texts: N.
        batch_size: most texts a batch; all batches of an epoch are of about one size.
        seed: seeds all epochs.
        resampling: draws the texts of an epoch by their weights; None takes each once.

    Raises:
        ConfigError: the batch size is not positive.
    """

    def __init__(self, num_texts: int, batch_size: int, seed: int, resampling: Resampling | None = None) -> None:
        if batch_size < 1:
            raise ConfigError(f"the batch size must be at least 1, but it is {batch_size}")
        self._num_texts = num_texts
        self._number = -(-num_texts // batch_size)
        self._seed = seed
        self._resampling = resampling

    def __len__(self) -> int:
        """Batches an epoch."""
        return self._number

    def epoch(self, epoch: int) -> list[Index]:
        """The batches of one epoch, each an array of row numbers; without weights every text stands in exactly one."""
        rng = np.random.Generator(np.random.PCG64([self._seed, epoch]))
        rows = rng.permutation(self._num_texts)
        if self._resampling is not None:
            rows = self._resampling.rows(epoch)[rows]
        return np.array_split(rows, self._number) if self._number else []


def drawn_batches(rows: Index, number: int) -> list[Index]:
    """Cut rows that a method's own sampler drew into ``number`` batches of about one size, none of them empty.

    Args:
        rows: row numbers in the order in which they were drawn.
        number: of batches.

    Raises:
        ConfigError: nothing was drawn.
    """
    if len(rows) == 0:
        raise ConfigError("the method's sampler drew no text at all; this is a mistake of the method's `draw`")
    return np.array_split(np.resize(rows, max(len(rows), number)), number)


def collate(tokens: TokenizedTexts, index: Index, pad_id: int) -> dict[str, torch.Tensor]:
    """Pad some texts to the right, into one batch.

    Args:
        tokens: N tokenised texts.
        index: row numbers of the batch's B texts.
        pad_id: the tokenizer's padding token.

    Returns:
        ``input_ids`` and ``attention_mask``, both [B, T] int64.
    """
    start_B, length_B = tokens.offsets[:-1][index], tokens.lengths[index]
    width = max(1, int(length_B.max(initial=0)))
    mask_BT = np.arange(width) < length_B[:, None]
    ids_BT = np.full(mask_BT.shape, pad_id, dtype=np.int64)
    # Row by row, a mask's true places are the text's tokens in order.
    ids_BT[mask_BT] = tokens.ids[(start_B[:, None] + np.arange(width))[mask_BT]]
    return {"input_ids": torch.from_numpy(ids_BT), "attention_mask": torch.from_numpy(mask_BT.astype(np.int64))}


def inference_batches(lengths: NDArray[np.integer], max_tokens: int) -> list[Index]:
    """Batches for prediction, longest texts first: if the memory does not suffice, the first batch says so.

    Args:
        lengths: tokens of each text, shape [N].
        max_tokens: most tokens a batch, padding included; a longer text stands alone.
    """
    if max_tokens < 1:
        raise ConfigError(f"max_tokens must be at least 1, but it is {max_tokens}")
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    batches = []
    start = 0
    while start < len(order):
        size = max(1, max_tokens // max(1, int(lengths[order[start]])))
        batches.append(order[start : start + size])
        start += size
    return batches
