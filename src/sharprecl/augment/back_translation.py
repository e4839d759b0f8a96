"""Second views by translation into another language and back.

The method is that of Sennrich et al., Improving Neural Machine Translation Models with Monolingual Data, ACL 2016, and
of Xie et al., Unsupervised Data Augmentation, NeurIPS 2020. Translators are trained on single sentences, so texts go in
passages: given 300 words at once the offline engine answers with commas, and takes the square of the time. A passage
that comes back without one of its numbers or label words, with a new one, or much longer or shorter, stays as it was;
so does whatever the engine cannot read.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

from sharprecl.augment.words import label_words, words_of
from sharprecl.config import BackTranslationConfig
from sharprecl.data.checks import is_unicode

_LONGEST = 40  # words
_MOST_CHARACTERS = 600  # a passage of 40 words that has more is no sentence
_SENTENCE_END = re.compile(r"(?<=[.?!])(?=\s+[\"'(\u201c\u2018]?[A-Z\d])|(?=\s*\n)")
_BEFORE_MARK = re.compile(r"(?<=\w)\s+(?=[,.;:?!](?:\s|$))")
_BEFORE_CLITIC = re.compile(r"\s*'\s+(?=(?:s|t|m|d|re|ve|ll)\b)")
_MARK = re.compile(r"(?<=\w)(?=[,.;:?!](?:\s|$))")


class TranslationEngine(Protocol):
    """Translates there and back."""

    def settings(self) -> dict[str, Any]:
        """What decides the answers, JSON-ready."""

    def reads(self, text: str) -> bool:
        """Whether a text is in the language that the engine starts from, as far as it can tell."""

    def round_trip(self, passages: Sequence[str], seed: int) -> list[str]:
        """Each passage there and back; an answer depends on its passage and the seed only."""


class BackTranslationAugmenter:
    """Translates texts there and back.

    Args:
        config: which engine, and its models.
        protected: label names (or any words): a passage that loses or gains one of their words stays as it was.
        engine: used in place of the one that ``config`` names.
    """

    name = "back_translation"
    version = 2

    def __init__(
        self,
        config: BackTranslationConfig | None = None,
        protected: Iterable[str] = (),
        engine: TranslationEngine | None = None,
    ) -> None:
        self.config = BackTranslationConfig() if config is None else config
        self.protected = label_words(protected)
        self.seeded = self.config.temperature > 0  # else the likeliest words are taken, whatever the seed
        self._given_engine = engine

    def settings(self) -> dict[str, Any]:
        """Everything beside text and seed that decides the result."""
        return {"protected": sorted(self.protected), "engine": self._engine.settings()}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text; what cannot be translated comes back as it is.

        Raises:
            MissingExtraError: the engine's package is not installed.
            AssetError: its models cannot be had.
        """
        plans = {text: passages(text) for text in dict.fromkeys(texts) if self._engine.reads(text)}
        asked = {_for_engine(piece.strip(), text) for text, pieces in plans.items() for piece in pieces}
        ordered = sorted(filter(can_be_translated, asked))
        answers = dict(zip(ordered, self._engine.round_trip(ordered, seed), strict=True))
        return [
            "".join(self._answer(piece, text, answers) for piece in plans[text]) if text in plans else text
            for text in texts
        ]

    def _answer(self, piece: str, text: str, answers: Mapping[str, str]) -> str:
        """A piece of a text after its journey, in the case and the spacing of its text."""
        passage = piece.strip()
        made = answers.get(_for_engine(passage, text), "").strip()
        if not still_says(passage, made, self.protected):
            return piece
        if text.isupper():
            made = made.upper()
        elif text.islower():
            made = made.lower()
        elif passage[0].isupper():
            made = made[0].upper() + made[1:]
        return piece.replace(passage, space_out(made) if is_spaced(text) else made, 1)

    @cached_property
    def _engine(self) -> TranslationEngine:
        if self._given_engine is not None:
            return self._given_engine
        if self.config.engine == "offline":
            from sharprecl.augment.offline_engine import OfflineEngine

            return OfflineEngine()
        from sharprecl.augment.marian_engine import MarianEngine  # brings PyTorch

        return MarianEngine(self.config.forward, self.config.back, self.config.temperature)


def passages(text: str) -> list[str]:
    """The text in pieces of one sentence or at most 40 words each, with the white space around them."""
    pieces: list[str] = []
    for sentence in _SENTENCE_END.split(text):
        words = words_of(sentence)
        cuts = [0, *(words[k].start() for k in range(_LONGEST, len(words), _LONGEST)), len(sentence)]
        pieces += [sentence[a:b] for a, b in pairwise(cuts)]
    return pieces


def can_be_translated(passage: str) -> bool:
    """Whether it is worth a translator's time: some letters, and not too much of anything."""
    has_letters = any(character.isalpha() for character in passage)
    return has_letters and len(passage) <= _MOST_CHARACTERS and is_unicode(passage)


def still_says(passage: str, made: str, protected: frozenset[str]) -> bool:
    """Whether a passage came back whole: about as long, its numbers and label words, no other ones."""
    before, after = (re.findall(r"[^\W\d_]+|\d+", text.lower()) for text in (passage, made))
    if not len(before) / 3 <= len(after) <= 2 * len(before) + 3 or not after:
        return False
    if Counter(re.findall(r"\d+", passage)) != Counter(re.findall(r"\d+", made)):
        return False
    # With or without -s is the same label word.
    had, kept = ({word.rstrip("s") for word in words} for words in (before, after))
    lost = any(word in protected and word.rstrip("s") not in kept for word in before)
    return not lost and not any(word in protected and word.rstrip("s") not in had for word in after)


def is_spaced(text: str) -> bool:
    """Whether punctuation stands alone, as in ``who killed gandhi ?``, which some data sets have throughout."""
    return _BEFORE_MARK.search(text) is not None


def close_up(text: str) -> str:
    """Pull punctuation and clitics to the words before them, as a translator is used to see them."""
    return _BEFORE_CLITIC.sub("'", _BEFORE_MARK.sub("", text))


def space_out(text: str) -> str:
    """Put a space before punctuation that follows a word."""
    return _MARK.sub(" ", text)


def _for_engine(passage: str, text: str) -> str:
    """No engine reads CAPITALS well, nor punctuation that stands alone."""
    return close_up(passage.lower() if text.isupper() else passage)
