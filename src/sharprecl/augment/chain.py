"""Augmenters one after the other: each works on what the one before it made."""

from collections.abc import Sequence
from typing import Any

from sharprecl.augment.base import Augmenter


class Chain:
    """Several augmenters that act as one.

    Args:
        parts: the augmenters, first to last, at least one.
    """

    version = 1

    def __init__(self, parts: Sequence[Augmenter]) -> None:
        self.parts = tuple(parts)

    @property
    def name(self) -> str:
        """The parts' names, as in ``synonyms+noise``."""
        return "+".join(part.name for part in self.parts)

    @property
    def needs(self) -> str:
        """What any of the parts needs."""
        return " ".join(dict.fromkeys(part.needs for part in self.parts))

    @property
    def seeded(self) -> bool:
        """Whether any of the parts gives another text for another seed."""
        return any(part.seeded for part in self.parts)

    def settings(self) -> dict[str, Any]:
        """The names, versions and settings of all parts, in order."""
        return {"parts": [[part.name, part.version, part.settings()] for part in self.parts]}

    def augment(self, texts: Sequence[str], seed: int) -> list[str]:
        """A second view of each text, made by all parts in turn."""
        made = list(texts)
        for part in self.parts:
            made = part.augment(made, seed)
        return made
