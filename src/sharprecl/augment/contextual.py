"""Second views by a masked language model: words put in (the paper) or in the place of others (its published code).

Nlpaug's ContextualWordEmbsAug is what the published code calls (rate 0.2, n = 100). As there, the new word is drawn
among the n likeliest by their probability. Unlike there, all masks of a text are filled in one pass, and only whole
content words count: no pieces of words, punctuation, numbers, function words (an inserted "not" would turn a text
round), label words, nor the word that stood there or beside. Numbers and label words stay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sharprecl.assets import local_or_hub
from sharprecl.augment.base import text_generator
from sharprecl.augment.draws import draw_among_best
from sharprecl.augment.pretrained import identity
from sharprecl.augment.words import NEVER_PUT_IN, carries_meaning, gaps, label_words, put_in, wanted, words_of
from sharprecl.config import ContextualConfig
from sharprecl.data.checks import is_unicode

if TYPE_CHECKING:
    from sharprecl.augment.masked_lm import MaskedLanguageModel

_KNOWN = ("roberta-base", "bert-base-uncased")
_WORDS_READ = 192  # about what the 256 tokens hold that an encoder reads by default; more would only cost time


@dataclass(frozen=True)
class _Plan:
    """What to ask the model about one text.

    Attributes:
        text: the part that is read and changed.
        rest: what follows it.
        spans: (start, end) of what each mask takes the place of, in order; start = end puts a word in.
        avoid: words in lower case that may not come to each mask.
        seed: of the draws of words.
    """

    text: str
    rest: str
    spans: list[tuple[int, int]]
    avoid: list[set[str]]
    seed: int

    def with_words(self, words: Sequence[str]) -> str:
        """The read part with a word for each of the first spans; "" leaves a span as it is."""
        pairs = [(span, word) for span, word in zip(self.spans, words, strict=False) if word]
        new = [(start, word) for (start, end), word in pairs if start == end]
        text = put_in(self.text, [start for start, _ in new], [word for _, word in new])
        for (start, end), word in reversed(pairs):
            if start < end:
                text = text[:start] + word + text[end:]
        return text


class ContextualAugmenter:
    """Lets a masked language model change texts.

    A model knows the language that it was trained on; for others name a multilingual one.

    Args:
        config: which model, what it does, and how much.
        protected: label names (or any words): their words, also with -s, are neither replaced nor put in.
    """

    name = "contextual"
    version = 1
    seeded = True

    def __init__(self, config: ContextualConfig | None = None, protected: Iterable[str] = ()) -> None:
        self.config = ContextualConfig() if config is None else config
        self.protected = label_words(protected)

    def settings(self) -> dict[str, Any]:
        """Everything beside text and seed that decides the result."""
        return {**self.config.model_dump(), "model": identity(self._source), "protected": sorted(self.protected)}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text; a text in which nothing may change comes back as it is.

        Raises:
            AssetError: the model cannot be had.
        """
        made = list(texts)
        plans = [(row, plan) for row, text in enumerate(texts) if (plan := self._plan(text, seed)) is not None]
        if not plans:
            return made
        masked = [plan.with_words([self._model.mask] * len(plan.spans)) for _, plan in plans]
        for which, scores_MV in self._model.scores(masked):
            row, plan = plans[which]
            filled = self._fill(plan, scores_MV, accept_close=False)
            if filled is None:  # a close decision is made again with the text alone: see draws.py
                filled = self._fill(plan, next(self._model.scores([masked[which]]))[1], accept_close=True)
            made[row] = f"{filled}{plan.rest}"
        return made

    def _plan(self, text: str, seed: int) -> _Plan | None:
        words = words_of(text)[:_WORDS_READ]
        if self.config.action == "insertion":
            spans = [(place, place) for place in gaps(text, words)]
        else:
            shouted = text.isupper()
            spans = [word.span() for word in words if carries_meaning(word[0], shouted, self.protected)]
        if not spans or not is_unicode(text) or self._model.mask in text:
            return None
        rng = text_generator(text, seed)
        chosen = sorted(rng.permutation(len(spans))[: wanted(self.config.share, len(words), len(spans))].tolist())
        spans = [spans[k] for k in chosen]
        near = [{w[0].lower() for w in words if w.end() >= start - 1 and w.start() <= end + 1} for start, end in spans]
        cut = words[-1].end()
        return _Plan(text[:cut], text[cut:], spans, near, int(rng.integers(2**63)))

    def _fill(self, plan: _Plan, scores_MV: np.ndarray, accept_close: bool) -> str | None:
        """The text with a drawn word at every mask; None where rounding could have decided, unless that is accepted."""
        rng = np.random.default_rng(plan.seed)
        words = []
        for (start, end), avoid, scores_V in zip(plan.spans, plan.avoid, scores_MV, strict=False):
            allowed_V = self._allowed.copy()
            for word in avoid:
                allowed_V[self._ids.get(word, [])] = False
            uniform_V = rng.random(len(allowed_V), dtype=np.float32)
            best, sure = draw_among_best(np.where(allowed_V, scores_V, -np.inf), uniform_V, self.config.top_n)
            if not (sure or accept_close):
                return None
            words.append("" if best is None else _in_case(self._model.words[best], plan.text[start:end], plan.text))
        return plan.with_words(words)

    @cached_property
    def _source(self) -> str:
        return local_or_hub(self.config.model, "fill-mask model", _KNOWN)

    @cached_property
    def _model(self) -> "MaskedLanguageModel":
        from sharprecl.augment.masked_lm import MaskedLanguageModel  # brings PyTorch

        return MaskedLanguageModel(self._source)

    @cached_property
    def _ids(self) -> dict[str, list[int]]:
        """The entries of the vocabulary that spell a word, in any case."""
        ids: dict[str, list[int]] = {}
        for index, word in enumerate(self._model.words):
            ids.setdefault(word.lower(), []).append(index)
        return ids

    @cached_property
    def _allowed(self) -> np.ndarray:
        """Which entries of the vocabulary may be put into any text at all, [V]."""
        allowed_V = np.array([bool(word) for word in self._model.words])
        for word in (*NEVER_PUT_IN, *self.protected):
            allowed_V[self._ids.get(word, [])] = False
        return allowed_V


def _in_case(word: str, old: str, text: str) -> str:
    """A word of the model in the case of the word that it replaces, or of the text."""
    if text.isupper():
        return word.upper()
    if old.istitle():
        return word[0].upper() + word[1:]
    return word.lower() if text.islower() else word
