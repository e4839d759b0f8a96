"""Chooses where the second view of every training text comes from, and says why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sharprecl.augment.base import Augmenter, ProgressCallback
from sharprecl.augment.cache import cached
from sharprecl.augment.registry import make_augmenter
from sharprecl.errors import AssetError, MissingExtraError

_LEAST_CHANGED = 0.5


@dataclass(frozen=True)
class Views:
    """The second views of a list of texts.

    Attributes:
        texts: one a text, in the same order.
        name: ``dropout``, an augmenter's name, or a chain such as ``synonyms+noise``.
        share_changed: share of the texts whose second view differs from the first, 0 to 1.
        note: a sentence for the user where something is not as they may expect; empty otherwise.
    """

    texts: list[str]
    name: str
    share_changed: float
    note: str = ""


def second_views(
    texts: Sequence[str],
    view: str = "auto",
    protected: Iterable[str] = (),
    seed: int = 0,
    cache_folder: Path | None = None,
    augmenter: Augmenter | None = None,
    progress: ProgressCallback | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Views:
    """Make the second view of every text.

    Args:
        texts: the first views.
        view: ``dropout`` gives the very same texts (the encoder's dropout makes the difference, as in SimCSE); the
            name of an augmenter, or a chain such as ``synonyms+noise``, makes other texts; ``auto`` takes synonyms
            where they can be had and change at least half of the texts, otherwise dropout.
        protected: label names, whose words stay as they are.
        seed: seeds whatever is drawn.
        cache_folder: where results are kept; None computes them anew.
        augmenter: used in place of the one that ``view`` names.
        progress: called with (texts done, texts in all) as the cache fills.
        settings: of the augmenters, one section a name.

    Raises:
        ConfigError: there is no such view or setting.
        MissingExtraError, AssetError: what the view needs is not installed or cannot be had; ``auto`` takes dropout.
    """
    dropout = Views(list(texts), "dropout", 0.0)
    if view == "dropout":
        return dropout
    wanted = "synonyms" if view == "auto" else view
    chosen = make_augmenter([wanted], protected, settings) if augmenter is None else augmenter
    try:
        if cache_folder is None:
            made = chosen.augment(texts, seed)
        else:
            made = cached(chosen, texts, seed, cache_folder, progress)
    except (MissingExtraError, AssetError) as error:
        if view != "auto":
            raise
        return replace(dropout, note=f"The second view is dropout alone: {error}.")
    changed = sum(a != b for a, b in zip(texts, made, strict=True)) / max(1, len(texts))
    if changed >= _LEAST_CHANGED or not texts:
        return Views(made, chosen.name, changed)
    english = " (are they English?)" if {"synonyms", "back_translation"} & {*chosen.name.split("+")} else ""
    cause = f"{chosen.name} changed only {changed:.0%} of the texts{english}"
    if view == "auto":
        return replace(dropout, note=f"The second view is dropout alone: {cause}.")
    return Views(made, chosen.name, changed, f"The second view is weak: {cause}; view 'dropout' costs less.")
