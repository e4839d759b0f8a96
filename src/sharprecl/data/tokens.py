"""Texts tokenised once and kept flat: 4 bytes a token, no Python object a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sharprecl.errors import ConfigError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TEXTS_A_CHUNK = 1024


@dataclass(frozen=True, eq=False)
class TokenizedTexts:
    """Token ids of N texts, one after the other.

    Attributes:
        ids: all token ids, special tokens included, shape [number of tokens], int32.
        offsets: text i is ``ids[offsets[i]:offsets[i + 1]]``, shape [N + 1], int64.
        truncated: how many texts lost tokens to ``max_length``.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    truncated: int = 0

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text, shape [N]."""
        return np.diff(self.offsets)

    def select(self, rows: NDArray[np.int64]) -> "TokenizedTexts":
        """Some of the texts, in this order."""
        lengths = self.lengths[rows]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][rows] - offsets[:-1], lengths)
        return TokenizedTexts(self.ids[places], offsets)


def tokenize(texts: Sequence[str], tokenizer: "PreTrainedTokenizerBase", max_length: int) -> TokenizedTexts:
    """Tokenise with special tokens and truncation, without padding.

    Args:
        texts: N texts.
        tokenizer: a fast Hugging Face tokenizer (the slow ones do not tell which texts they cut).
        max_length: most tokens a text, special tokens included.

    Raises:
        ConfigError: the tokenizer is a slow one, or ``max_length`` leaves no room beside the special tokens.
    """
    if not tokenizer.is_fast:
        raise ConfigError(
            f"{type(tokenizer).__name__} is a slow tokenizer, which cannot say what it truncates; choose an encoder "
            "whose folder holds tokenizer.json"
        )
    special = tokenizer.num_special_tokens_to_add()
    if max_length <= special:
        raise ConfigError(
            f"max_length is {max_length}, but the tokenizer adds {special} special tokens to every text; "
            f"set it to {special + 1} at least (64 suits titles, 256 suits paragraphs)"
        )
    chunks: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    truncated = 0
    for start in range(0, len(texts), _TEXTS_A_CHUNK):
        encoded = tokenizer(
            list(texts[start : start + _TEXTS_A_CHUNK]),
            add_special_tokens=True,
            truncation=True,
            max_length=max_length,
            padding=False,
            return_attention_mask=False,
            return_token_type_ids=False,
        )
        rows = encoded["input_ids"]
        lengths += map(len, rows)
        chunks.append(np.fromiter((token for row in rows for token in row), dtype=np.int32))
        truncated += sum(bool(encoding.overflowing) for encoding in encoded.encodings)
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return TokenizedTexts(np.concatenate([np.empty(0, np.int32), *chunks]), offsets, truncated)
