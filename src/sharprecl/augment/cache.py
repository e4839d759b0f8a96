"""Augmented texts kept by content: a second run costs nothing, a killed run goes on where it was.

Each augmenter, with its settings and its seed, has a file of its own, in which each text has a line: a checksum, the
SHA-256 of the text, and what was made of it, as JSON. Lines are only ever appended, under a lock, so processes may
share a folder. A line that a kill, a full disk or anything else has damaged fails its checksum: its text is made again.

What is made of a text tells the text, so nobody but the user may read the files: they have mode 600, their folder 700.
"""

import hashlib
import json
import os
import time
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from filelock import FileLock

from sharprecl.assets import cache_dir
from sharprecl.augment.base import Augmenter, ProgressCallback
from sharprecl.files import sha256_json
from sharprecl.version import __version__

# A write a second: a kill loses a second's work, whether a text takes a microsecond or the whole second. The first
# batch may pay for loading a model, which says nothing about the next: so a batch grows or shrinks by a factor at most.
_SECONDS_A_WRITE = 1.0
_FIRST_BATCH = 16
_LARGEST_BATCH = 16384
_FACTOR = 4
_LOCK_SECONDS = 60.0


def views_folder() -> Path:
    """Where training keeps second views, and ``sharprecl augment`` copies: ``views`` in the user's cache folder."""
    return cache_dir() / "views"


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
        folder: holds the cache; processes may share it. Where it cannot be used, a warning says so and all
            texts are computed.
        progress: called after every batch with (distinct texts done, distinct texts in all). A batch is what the
            augmenter makes in about a second.
    """
    # The package's version too: a release that changes a rule must not be served the old rule's texts.
    identity = sha256_json(
        [__version__, augmenter.name, augmenter.version, augmenter.settings(), seed if augmenter.seeded else 0]
    )
    tell = progress or (lambda done, total: None)
    keys = {text: _key(text) for text in dict.fromkeys(texts)}
    path = folder / f"{identity}.jsonl"
    known: dict[bytes, str] = {}
    usable = True
    try:
        known = _read(path, set(keys.values()))
    except OSError as error:
        usable = _without_cache(folder, error)
    missing = [text for text, key in keys.items() if key not in known]
    found = len(keys) - len(missing)
    start, size = 0, _FIRST_BATCH
    tell(found, len(keys))
    while start < len(missing):
        began = time.perf_counter()
        batch = missing[start : start + size]
        made = dict(zip((keys[text] for text in batch), augmenter.augment(batch, seed), strict=True))
        try:
            if usable:
                _append(path, made)
        except (OSError, NotImplementedError) as error:  # the latter: a file system without locks
            usable = _without_cache(folder, error)
        known.update(made)
        start += len(batch)
        size = _next_size(len(batch), time.perf_counter() - began)
        tell(found + start, len(keys))
    return [known[keys[text]] for text in texts]


def _next_size(size: int, seconds: float) -> int:
    """How many texts fill the time between two writes, if ``size`` of them took ``seconds``."""
    fitting = int(size * min(_FACTOR, max(1 / _FACTOR, _SECONDS_A_WRITE / max(seconds, 1e-9))))
    return min(max(1, fitting), _LARGEST_BATCH)


def _read(path: Path, keys: Collection[bytes]) -> dict[bytes, str]:
    """The texts that stand whole under ``keys``; none where there is no file."""
    known = {}
    try:
        with path.open("rb") as lines:
            for line in lines:
                checksum, _, content = line.rstrip(b"\n").partition(b" ")
                key, _, made = content.partition(b" ")
                if key in keys and checksum == _checksum(content):
                    known[key] = json.loads(made.decode("utf-8", "surrogatepass"))
    except FileNotFoundError:
        pass
    return known


def _append(path: Path, made: Mapping[bytes, str]) -> None:
    lines = []
    for key, text in made.items():
        content = key + b" " + json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
        lines.append(_checksum(content) + b" " + content + b"\n")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path.parent / "cache.lock", timeout=_LOCK_SECONDS)
    with lock, open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(b"\n" + b"".join(lines))  # on a line of its own, for the last one may have been cut off


def _without_cache(folder: Path, error: Exception) -> bool:
    """Say once that the cache cannot be used; False."""
    cause = getattr(error, "strerror", None) or error
    warnings.warn(
        f"augmented texts cannot be cached in {folder} ({cause}); they are computed without a cache, so give a folder "
        "that can be written to save that time in the next run",
        stacklevel=3,
    )
    return False


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest().encode()


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode()
