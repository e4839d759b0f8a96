"""A masked language model that says how likely every whole word of its vocabulary is at every mask of a text."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import torch
from transformers import AutoModelForMaskedLM

from sharprecl.augment.pretrained import batches, load_pretrained
from sharprecl.errors import AssetError

_MOST_TOKENS = 512
_WORD = re.compile(r"[^\W\d_]{2,}")  # nor "##ing", as WordPiece (BERT) spells the end of a word
_WORD_STARTS = ("\u0120", "\u2581")  # byte-level BPE (RoBERTa), SentencePiece


class MaskedLanguageModel:
    """Any fill-mask model of transformers.

    Args:
        source: a local folder or a Hugging Face id.

    Attributes:
        mask: what stands for the mask in a text.
        words: the vocabulary; "" where an entry is no whole word (pieces of words, punctuation, numbers, single
            letters, special tokens).

    Raises:
        AssetError: it cannot be loaded, has no mask token, or no whole words.
    """

    def __init__(self, source: str) -> None:
        self._tokenizer, self._model = load_pretrained(AutoModelForMaskedLM, source, "fill-mask model")
        if self._tokenizer.mask_token is None or self._tokenizer.pad_token is None:
            raise AssetError(f"the tokenizer of {source!r} has no mask or no padding token; name a fill-mask model")
        config = self._model.config
        self.mask = cast(str, self._tokenizer.mask_token)
        self.words = _whole_words(self._tokenizer, config.vocab_size)
        if not any(self.words):
            raise AssetError(f"the vocabulary of {source!r} holds no whole words; name another fill-mask model")
        positions = getattr(config, "max_position_embeddings", None) or _MOST_TOKENS
        self._most = min(_MOST_TOKENS, positions - 2)  # RoBERTa counts positions from 2

    def scores(self, texts: Sequence[str]) -> Iterator[tuple[int, np.ndarray]]:
        """Logits at the masks of every text, [masks of the text, vocabulary]; masks beyond the model's reach have none.

        Args:
            texts: with ``mask`` in them.

        Yields:
            (index of the text, its logits), batch by batch, long texts first.
        """
        encoded = self._tokenizer(list(texts), truncation=True, max_length=self._most)["input_ids"]
        for rows in batches([len(ids) for ids in encoded], self._most):
            yield from zip(rows, self._forward([encoded[row] for row in rows]), strict=True)

    @torch.inference_mode()
    def _forward(self, rows: list[list[int]]) -> list[np.ndarray]:
        batch = self._tokenizer.pad({"input_ids": rows}, return_tensors="pt").to(self._model.device)
        masked_NT = batch["input_ids"] == self._tokenizer.mask_token_id
        if not masked_NT.any():
            return [np.empty((0, len(self.words)), np.float32) for _ in rows]

        def only_masks(_module: Any, _inputs: Any, output: Any) -> Any:
            # The head gives a score for every word of the vocabulary: at all positions they would fill the memory.
            output["last_hidden_state"] = output["last_hidden_state"][masked_NT][None]
            return output

        handle = self._model.base_model.register_forward_hook(only_masks)
        try:
            logits_MV = self._model(**batch).logits[0].float().cpu().numpy()
        finally:
            handle.remove()
        return np.split(logits_MV, np.cumsum(masked_NT.sum(dim=1).tolist())[:-1])


def _whole_words(tokenizer: Any, size: int) -> list[str]:
    """The words by token id; where the vocabulary marks how words begin, only what has the mark is one."""
    special = set(tokenizer.all_special_ids)
    tokens = {index: token for token, index in tokenizer.get_vocab().items() if index < size and index not in special}
    start = next((mark for mark in _WORD_STARTS if any(token.startswith(mark) for token in tokens.values())), "")
    words = [""] * size
    for index, token in tokens.items():
        if token.startswith(start):
            word = tokenizer.convert_tokens_to_string([token]).strip()
            words[index] = word if _WORD.fullmatch(word) else ""
    return words
