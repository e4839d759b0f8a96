"""The augmenters by name, and chains of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sharprecl.augment.back_translation import BackTranslationAugmenter
from sharprecl.augment.base import Augmenter
from sharprecl.augment.contextual import ContextualAugmenter
from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.config import AUGMENTERS, AugmentConfig, augmenter_names, refusals
from sharprecl.errors import ConfigError

_CLASSES: Mapping[str, Callable[..., Augmenter]] = {
    "synonyms": SynonymAugmenter,
    "back_translation": BackTranslationAugmenter,
    "contextual": ContextualAugmenter,
    "noise": NoiseAugmenter,
}


class Chain:
    """Several augmenters that act as one: each works on what the one before it made.

    Args:
        parts: the augmenters, first to last, at least one.
    """

    version = 1

    def __init__(self, parts: Sequence[Augmenter]) -> None:
        self.parts = tuple(parts)
        self.name = "+".join(part.name for part in parts)
        self.seeded = any(part.seeded for part in parts)

    def settings(self) -> dict[str, Any]:
        """The names, versions and settings of all parts, in order."""
        return {"parts": [[part.name, part.version, part.settings()] for part in self.parts]}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text, made by all parts in turn."""
        made = list(texts)
        for part in self.parts:
            made = part.augment(made, seed)
        return made


def make_augmenter(
    names: Sequence[str],
    protected: Iterable[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Augmenter:
    """Make an augmenter, or a chain. Nothing is imported, fetched or loaded before the first text.

    Args:
        names: of ``AUGMENTERS``, at least one; a name may itself be a chain such as ``synonyms+noise``.
        protected: label names, whose words all augmenters leave as they are.
        settings: one section a name, such as ``{"noise": {"swap": 0.2}}``; see ``config/augment.py``.

    Raises:
        ConfigError: an unknown name or setting, or no name at all.
    """
    every = [part for name in names for part in augmenter_names(name)]
    if not every:
        raise ConfigError(f"no augmenter was named; choose among {', '.join(AUGMENTERS)}")
    try:
        config = AugmentConfig.model_validate(settings or {})
    except ValidationError as error:
        raise ConfigError(refusals(error, "augment.")) from error
    protected = tuple(protected)
    parts = [_CLASSES[name](getattr(config, name), protected) for name in every]
    return parts[0] if len(parts) == 1 else Chain(parts)
