"""Back translation by any pair of Marian models of transformers (or other sequence-to-sequence translators)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSeq2SeqLM, LogitsProcessor, LogitsProcessorList

from sharprecl.assets import local_or_hub
from sharprecl.augment.base import text_generator
from sharprecl.augment.draws import SAME, gumbel
from sharprecl.augment.pretrained import batches, identity, load_pretrained
from sharprecl.quiet import quiet

_MOST_TOKENS = 170  # of a passage; 40 words have about 60


class MarianEngine:
    """Translates with two models.

    Args:
        forward: a local folder or a Hugging Face id.
        back: the model of the way back.
        temperature: 0 takes the likeliest token; above 0 each token is drawn.
    """

    def __init__(self, forward: str, back: str, temperature: float = 0.0) -> None:
        known = ("Helsinki-NLP/opus-mt-en-fr", "Helsinki-NLP/opus-mt-fr-en")
        self.sources = [local_or_hub(name, "translation model", known) for name in (forward, back)]
        self.temperature = temperature

    def settings(self) -> dict[str, Any]:
        """Everything beside text and seed that decides the result."""
        forward, back = map(identity, self.sources)
        return {"name": "marian", "forward": forward, "back": back, "temperature": self.temperature}

    def reads(self, text: str) -> bool:
        """Always: which language the models read is for their user to know."""
        return True

    def round_trip(self, passages: Sequence[str], seed: int) -> list[str]:
        """Each passage there and back; "" where it is too long for the models."""
        made = list(passages)
        for direction in self._directions:
            some = [passage for passage in dict.fromkeys(made) if passage]
            answers = dict(zip(some, direction.translate(some, seed, self.temperature), strict=True))
            made = [answers.get(passage, "") for passage in made]
        return made

    @cached_property
    def _directions(self) -> list["_Direction"]:
        return [_Direction(source) for source in self.sources]


class _Direction:
    def __init__(self, source: str) -> None:
        self.tokenizer, self.model = load_pretrained(AutoModelForSeq2SeqLM, source, "translation model")
        # An answer may be twice as long and a little more, and must still have positions.
        positions = getattr(self.model.config, "max_position_embeddings", None) or 3 * _MOST_TOKENS
        self.most = min(_MOST_TOKENS, (positions - 10) // 2)

    def translate(self, passages: Sequence[str], seed: int, temperature: float) -> list[str]:
        encoded = self.tokenizer(list(passages))["input_ids"] if passages else []
        answers = [""] * len(passages)
        for rows in batches([len(ids) for ids in encoded], self.most):
            made, margins = self._generate(rows, passages, encoded, seed, temperature)
            for row, answer, margin in zip(rows, made, margins, strict=True):
                if len(rows) > 1 and margin < SAME / min(1.0, temperature or 1.0):
                    # A close decision is made again with the passage alone: see draws.py.
                    [answer], _ = self._generate([row], passages, encoded, seed, temperature)
                answers[row] = answer
        return answers

    @torch.inference_mode()
    def _generate(
        self, rows: Sequence[int], passages: Sequence[str], encoded: list[list[int]], seed: int, temperature: float
    ) -> tuple[list[str], list[float]]:
        batch = self.tokenizer.pad({"input_ids": [encoded[row] for row in rows]}, return_tensors="pt").to(
            self.model.device
        )
        # Its own limit for each: a shared one would let a short passage ramble as long as its longest neighbour may.
        limits = [2 * len(encoded[row]) + 8 for row in rows]
        generators = [text_generator(passages[row], seed) for row in rows]
        choose = _Choose(self.tokenizer.eos_token_id, limits, generators, temperature)
        with quiet():
            tokens = self.model.generate(
                **batch,
                max_new_tokens=max(limits),
                num_beams=1,
                do_sample=False,
                logits_processor=LogitsProcessorList([choose]),
            )
        return self.tokenizer.batch_decode(tokens, skip_special_tokens=True), choose.margins


class _Choose(LogitsProcessor):  # type: ignore[misc]
    """Makes greedy decoding draw, ends each row at its own limit, and keeps the smallest margin of its decisions.

    The best of scores / temperature + Gumbel noise is a draw by the softmax at that temperature.
    """

    def __init__(self, end: int, limits: list[int], generators: list[np.random.Generator], temperature: float) -> None:
        self.end, self.limits, self.generators, self.temperature = end, limits, generators, temperature
        self.margins = [float("inf")] * len(limits)

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        scores = scores.float()
        if self.temperature:
            uniform = np.stack([rng.random(scores.shape[1], dtype=np.float32) for rng in self.generators])
            scores = scores / self.temperature + torch.from_numpy(gumbel(uniform)).to(scores.device)
        made = input_ids.shape[1] - 1
        for row, limit in enumerate(self.limits):
            if made >= limit - 1:
                scores[row] = -torch.inf
                scores[row, self.end] = 0.0
        best = scores.topk(2, dim=1).values
        running = ~(input_ids[:, 1:] == self.end).any(dim=1)
        for row, margin in enumerate((best[:, 0] - best[:, 1]).tolist()):
            if running[row]:
                self.margins[row] = min(self.margins[row], margin)
        return scores
