"""Other texts that mean the same: the second views that contrastive methods train on, and ``sharprecl augment``.

``make_augmenter`` gives an augmenter by name, or a chain of them: synonyms (WordNet), back translation, contextual (the
words of a masked language model), noise. ``second_views`` makes what a training needs; ``cached`` keeps them on disk.
PyTorch is loaded with the first text of an augmenter that runs a model.
"""

from sharprecl.augment.back_translation import BackTranslationAugmenter
from sharprecl.augment.base import Augmenter
from sharprecl.augment.cache import cached
from sharprecl.augment.contextual import ContextualAugmenter
from sharprecl.augment.noise import NoiseAugmenter
from sharprecl.augment.registry import make_augmenter
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.augment.views import Views, second_views

__all__ = [
    "Augmenter",
    "BackTranslationAugmenter",
    "ContextualAugmenter",
    "NoiseAugmenter",
    "SynonymAugmenter",
    "Views",
    "cached",
    "make_augmenter",
    "second_views",
]
