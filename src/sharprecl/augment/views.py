"""Chooses where the second view of every training text comes from, and says why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sharprecl.augment.base import Augmenter, ProgressCallback
from sharprecl.augment.cache import cached
from sharprecl.augment.synonyms import SynonymAugmenter
from sharprecl.config import ViewName
from sharprecl.errors import AssetError, MissingExtraError

_LEAST_CHANGED = 0.5


@dataclass(frozen=True)
class Views:
    """The second views of a list of texts.

    Attributes:
        texts: one a text, in the same order.
        name: ``synonyms``, ``dropout`` or another augmenter's name.
        share_changed: share of the texts whose second view differs from the first, 0 to 1.
        note: a sentence for the user where something is not as they may expect; empty otherwise.
    """

    texts: list[str]
    name: str
    share_changed: float
    note: str = ""


def second_views(
    texts: Sequence[str],
    view: ViewName = "auto",
    protected: Iterable[str] = (),
    seed: int = 0,
    cache_folder: Path | None = None,
    augmenter: Augmenter | None = None,
    progress: ProgressCallback | None = None,
) -> Views:
    """Make the second view of every text.

    Args:
        texts: the first views.
        view: ``dropout`` gives the very same texts (the encoder's dropout makes the difference, as in SimCSE);
            ``synonyms`` replaces words; ``auto`` takes synonyms where they can be had and change at least half of the
            texts, otherwise dropout.
        protected: label names, whose words stay as they are.
        seed: seeds the choice of words.
        cache_folder: where results are kept; None computes them anew.
        augmenter: used in place of WordNet synonyms.
        progress: called with (texts done, texts in all) as the cache fills.

    Raises:
        MissingExtraError: ``synonyms`` was asked for and nltk or simplemma is not installed.
        AssetError: ``synonyms`` was asked for and WordNet cannot be had.
    """
    if view == "dropout":
        return Views(list(texts), "dropout", 0.0)
    chosen = SynonymAugmenter(protected=protected) if augmenter is None else augmenter
    try:
        if cache_folder is None:
            made = chosen.augment(texts, seed)
        else:
            made = cached(chosen, texts, seed, cache_folder, progress)
    except (MissingExtraError, AssetError) as error:
        if view != "auto":
            raise
        return Views(list(texts), "dropout", 0.0, f"The second view is dropout alone: {error}.")
    changed = sum(a != b for a, b in zip(texts, made, strict=True)) / max(1, len(texts))
    if changed >= _LEAST_CHANGED or not texts:
        return Views(made, chosen.name, changed)
    cause = f"{chosen.name} change only {changed:.0%} of the texts (are they English?)"
    if view == "auto":
        return Views(list(texts), "dropout", 0.0, f"The second view is dropout alone: {cause}.")
    return Views(made, chosen.name, changed, f"The second view is weak: {cause}; view 'dropout' costs less.")
