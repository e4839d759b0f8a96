"""Answers of a fine-tuned language model, and its folder."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sharprecl.config.language_models import LlmLoraConfig
from sharprecl.data.batches import inference_batches
from sharprecl.export.card import ADAPTER, Card
from sharprecl.export.predictor import Predictor
from sharprecl.export.writing import write_weights
from sharprecl.files import write_json
from sharprecl.llm import causal
from sharprecl.llm.base_model import FILE, BasePage
from sharprecl.llm.encoding import Encoder
from sharprecl.llm.prompts import answer_scores
from sharprecl.llm.scoring import label_scores, padded


@dataclass
class LlmPredictor(Predictor):
    """A language model that answers with labels; ``base`` is which one it is without the adapters."""

    model: Any
    base: BasePage
    encoder: Encoder
    settings: LlmLoraConfig

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Log-probabilities of the labels [N, C]; where answers are generated, the answer gets 0 and the others -100,
        and a row of NaN says that the answer was no label. There are no features.
        """
        del embed
        prompts, _ = self.encoder.prompts(texts)
        if self.settings.inference == "generate":
            scores_NC = answer_scores(self._written(prompts), self.encoder.prompt.words)
        else:
            pad_id, mean = self.encoder.tokenizer.pad_token_id, self.settings.scoring == "mean"
            scores_NC = label_scores(self.model, prompts, self.encoder.label_ids, pad_id, mean=mean)
        return scores_NC, np.empty((len(texts), 0), dtype=np.float32)

    @torch.no_grad()
    def _written(self, prompts: list[list[int]]) -> list[str]:
        """What the model writes after each prompt, greedily."""
        tokenizer, answers = self.encoder.tokenizer, [""] * len(prompts)
        longest = max(map(len, self.encoder.label_ids))
        for index in inference_batches(np.array([len(ids) + longest for ids in prompts]), max_tokens=4096):
            ids_BT, mask_BT = padded([prompts[row] for row in index], tokenizer.pad_token_id)
            written_BT = self.model.generate(
                input_ids=ids_BT.to(self.model.device),
                attention_mask=mask_BT.to(self.model.device),
                # A little more than the longest label: a longer answer is none, and must be seen to be longer.
                max_new_tokens=longest + 4,
                do_sample=False,
                pad_token_id=tokenizer.pad_token_id,
                eos_token_id=tokenizer.eos_token_id,
            )[:, ids_BT.shape[1] :]
            for row, answer in zip(index, tokenizer.batch_decode(written_BT, skip_special_tokens=True), strict=True):
                answers[row] = answer
        return answers

    def save(self, folder: Path, card: Card) -> Card:
        """Write the adapters as PEFT does, the tokenizer, and which model they belong to: it is fetched again. Killed
        at any moment, it leaves the old classifier, the new one, or a folder that says it has none.

        Raises:
            ConfigError: the folder holds a model that no classifier of ours left there.
            CheckpointError: the disk is full or read-only.
        """
        because = "a language model with adapters writes the label; it has no classifier head"
        card = dataclasses.replace(card, not_stock_because=because)
        write_weights(folder, ADAPTER, card, self._fill, what="adapters", again="")
        return card

    def _fill(self, into: Path) -> None:
        into.mkdir()
        if self.settings.epochs:
            causal.save_adapters(self.model, into)
        self.encoder.tokenizer.save_pretrained(into)
        write_json(into / FILE, self.base.model_dump())
