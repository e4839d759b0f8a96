"""A fine-tuned language model that answers for a classifier, and its folder.

out/adapter/        the adapters as PEFT writes them, the tokenizer, and which model they belong to: it is fetched again
out/sharprecl.json  labels and settings
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sharprecl.data.batches import inference_batches
from sharprecl.export.card import ADAPTER, Card
from sharprecl.export.predictor import Predictor
from sharprecl.export.writing import write_weights
from sharprecl.llm import causal
from sharprecl.llm.base_model import BasePage
from sharprecl.llm.encoding import Encoder
from sharprecl.llm.prompts import answer_scores
from sharprecl.llm.scoring import label_scores, padded

NOT_EXPORTABLE = "a language model with adapters writes the label; it has no classifier head"


@dataclass
class LlmPredictor(Predictor):
    """A language model that answers with labels.

    Attributes:
        base: which model it is without the adapters.
        adapted: whether there are adapters to save.
        generate: whether it writes its answer, which is then read; otherwise every label is scored.
        mean: whether a label's score is that of its tokens' mean.
    """

    model: Any
    base: BasePage
    encoder: Encoder
    adapted: bool
    generate: bool
    mean: bool

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Log-probabilities of the labels [N, C]; where answers are generated, the answer gets 0 and the others -100,
        and a row of NaN says that the answer was no label. There are no features.
        """
        del embed
        prompts, _ = self.encoder.prompts(texts)
        pad_id = self.encoder.tokenizer.pad_token_id
        features = np.empty((len(texts), 0), dtype=np.float32)
        if not self.generate:
            return label_scores(self.model, prompts, self.encoder.label_ids, pad_id, mean=self.mean), features
        words = self.encoder.prompt.words
        return answer_scores(self._written(prompts, pad_id), words), features

    @torch.no_grad()
    def _written(self, prompts: list[list[int]], pad_id: int) -> list[str]:
        """What the model writes after each prompt, greedily."""
        answers = [""] * len(prompts)
        longest = max(map(len, self.encoder.label_ids))
        lengths = np.array([len(ids) + longest for ids in prompts])
        for index in inference_batches(lengths, max_tokens=4096):
            ids_BT, mask_BT = padded([prompts[row] for row in index], pad_id)
            written_BT = self.model.generate(
                input_ids=ids_BT.to(self.model.device),
                attention_mask=mask_BT.to(self.model.device),
                # A little more than the longest label: a longer answer is none, and must be seen to be longer.
                max_new_tokens=longest + 4,
                do_sample=False,
                pad_token_id=pad_id,
                eos_token_id=self.encoder.tokenizer.eos_token_id,
            )[:, ids_BT.shape[1] :]
            decoded = self.encoder.tokenizer.batch_decode(written_BT, skip_special_tokens=True)
            for row, answer in zip(index, decoded, strict=True):
                answers[row] = answer
        return answers

    def save(self, folder: Path, card: Card) -> Card:
        """Write the adapters and the tokenizer. Killed at any moment, it leaves the old classifier, the new one, or a
        folder that says it has none.

        Raises:
            ConfigError: the folder holds a model that no classifier of ours left there.
            CheckpointError: the disk is full or read-only.
        """
        card = dataclasses.replace(card, not_stock_because=NOT_EXPORTABLE)
        write_weights(folder, ADAPTER, card, self._fill, what="adapters", again="")
        return card

    def _fill(self, into: Path) -> None:
        into.mkdir()
        if self.adapted:
            causal.save_adapters(self.model, into)
        self.encoder.tokenizer.save_pretrained(into)
        self.base.write(into)
