"""Augmented texts kept by content: a second run costs nothing, a killed run goes on where it was."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from sharprecl.augment.base import Augmenter, ProgressCallback
from sharprecl.augment.store import TextStore
from sharprecl.files import sha256_json
from sharprecl.version import __version__

_TEXTS_A_COMMIT = 512


def cached(
    augmenter: Augmenter,
    texts: Sequence[str],
    seed: int,
    folder: Path,
    progress: ProgressCallback | None = None,
) -> list[str]:
    """``augmenter.augment(texts, seed)``, but every text that ``folder`` already knows comes from there.

    Args:
        augmenter: asked only for texts that are missing or damaged in the cache, each distinct text once.
        texts: any number of texts; the result has the same order.
        seed: part of the key, as are this package's version and the augmenter's name, version and settings.
        folder: holds the cache; processes may share it. Where it cannot be written, a warning says so and all
            texts are computed.
        progress: called after every batch with (distinct texts done, distinct texts in all).
    """
    # The package's version too: a release that changes a rule must not be served the old rule's texts.
    identity = sha256_json([__version__, augmenter.name, augmenter.version, augmenter.settings(), seed])
    keys = {text: _key(identity, text) for text in dict.fromkeys(texts)}
    with TextStore(folder) as store:
        known = store.get(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        if progress is not None:
            progress(len(keys) - len(missing), len(keys))
        for start in range(0, len(missing), _TEXTS_A_COMMIT):
            batch = missing[start : start + _TEXTS_A_COMMIT]
            made = dict(zip((keys[text] for text in batch), augmenter.augment(batch, seed), strict=True))
            store.put(made)
            known.update(made)
            if progress is not None:
                progress(len(keys) - len(missing) + start + len(batch), len(keys))
    return [known[keys[text]] for text in texts]


def _key(identity: str, text: str) -> bytes:
    return hashlib.sha256(f"{identity}\0{text}".encode("utf-8", "surrogatepass")).digest()
