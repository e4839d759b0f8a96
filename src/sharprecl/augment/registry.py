"""The augmenters by name, and chains of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from sharprecl.augment.back_translation import BackTranslationAugmenter
from sharprecl.augment.base import Augmenter
from sharprecl.augment.chain import Chain
from sharprecl.augment.contextual import ContextualAugmenter
from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.config import AUGMENTERS, AugmentConfig, augmenter_names, refusals
from sharprecl.errors import ConfigError

_MAKERS: Mapping[str, Callable[[AugmentConfig, Iterable[str]], Augmenter]] = {
    "synonyms": lambda config, protected: SynonymAugmenter(config.synonyms.share, protected),
    "back_translation": lambda config, protected: BackTranslationAugmenter(config.back_translation, protected),
    "contextual": lambda config, protected: ContextualAugmenter(config.contextual, protected),
    "noise": lambda config, protected: NoiseAugmenter(config.noise, protected),
}

__all__ = ["AUGMENTERS", "make_augmenter"]


def make_augmenter(
    names: Sequence[str],
    protected: Iterable[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Augmenter:
    """Make an augmenter, or a chain in which each works on what the one before it made.

    Nothing is imported, fetched or loaded before the first text.

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
    parts = [_MAKERS[name](config, protected) for name in every]
    return parts[0] if len(parts) == 1 else Chain(parts)
