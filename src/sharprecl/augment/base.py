"""The contract of an augmenter: a text in, another text that means the same out.

The result for a text depends only on the text, the settings and the seed: never on its neighbours, its position, the
number of workers or the batch size. That is what makes a cache by content right, and a run repeatable. Label names
reach an augmenter when it is made, as words that it must leave alone.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

ProgressCallback = Callable[[int, int], None]
"""Called with (texts done, texts in all)."""


class Augmenter(Protocol):
    """Makes second views of texts.

    Attributes:
        name: what the cache and the reports call it.
        version: raised with every change of the code that changes a result.
        seeded: whether another seed can give another text.
    """

    name: str
    version: int
    seeded: bool

    def settings(self) -> dict[str, Any]:
        """Whatever else decides the result, JSON-ready: part of the cache's key."""

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text, in the given order; a text in which nothing may change comes back as it is."""


def text_generator(text: str, seed: int) -> np.random.Generator:
    """The random generator that belongs to one text and one seed, wherever the text stands."""
    digest = hashlib.sha256(f"{seed}\0{text}".encode("utf-8", "surrogatepass")).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
