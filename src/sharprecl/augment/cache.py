"""Augmented texts kept by content: a second run costs nothing, a killed run goes on where it was."""

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

from sharprecl.augment.base import Augmenter, ProgressCallback
from sharprecl.augment.store import TextStore
from sharprecl.files import sha256_json
from sharprecl.version import __version__

# A commit a second: a kill loses a second's work, whether a text takes a microsecond or the whole second. The first
# batch may pay for loading a model, which says nothing about the next: so a batch grows or shrinks by a factor at most.
_SECONDS_A_COMMIT = 1.0
_FIRST_BATCH = 16
_LARGEST_BATCH = 16384
_FACTOR = 4


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
        seed: part of the key, as are this package's version and the augmenter's name, version and settings;
            where the augmenter is not ``seeded``, all seeds share one key.
        folder: holds the cache; processes may share it. Where it cannot be written, a warning says so and all
            texts are computed.
        progress: called after every batch with (distinct texts done, distinct texts in all). A batch is what the
            augmenter makes in about a second.
    """
    # The package's version too: a release that changes a rule must not be served the old rule's texts.
    identity = sha256_json(
        [__version__, augmenter.name, augmenter.version, augmenter.settings(), seed if augmenter.seeded else 0]
    )
    keys = {text: _key(identity, text) for text in dict.fromkeys(texts)}
    with TextStore(folder) as store:
        known = store.get(list(keys.values()))
        missing = [text for text, key in keys.items() if key not in known]
        found = len(keys) - len(missing)
        start, size = 0, _FIRST_BATCH
        if progress is not None:
            progress(found, len(keys))
        while start < len(missing):
            began = time.perf_counter()
            batch = missing[start : start + size]
            made = dict(zip((keys[text] for text in batch), augmenter.augment(batch, seed), strict=True))
            store.put(made)
            known.update(made)
            start += len(batch)
            size = _next_size(len(batch), time.perf_counter() - began)
            if progress is not None:
                progress(found + start, len(keys))
    return [known[keys[text]] for text in texts]


def _next_size(size: int, seconds: float) -> int:
    """How many texts fill the time between two commits, if ``size`` of them took ``seconds``."""
    fitting = int(size * min(_FACTOR, max(1 / _FACTOR, _SECONDS_A_COMMIT / max(seconds, 1e-9))))
    return min(max(1, fitting), _LARGEST_BATCH)


def _key(identity: str, text: str) -> bytes:
    return hashlib.sha256(f"{identity}\0{text}".encode("utf-8", "surrogatepass")).digest()
