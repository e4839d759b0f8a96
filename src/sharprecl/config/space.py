"""What 'sharprecl tune' tries of a setting: of a method what it ships (``MethodConfig.search``), and ``SHARED``.

A dimension is a ``Range``, a factor ``Around`` where the search begins, or a tuple of choices.
"""

from collections.abc import Mapping
from typing import Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

_STRICT = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, config=_STRICT)
class Range:
    """Numbers from ``low`` to ``high``; whole ones where the setting is whole. On a log scale where factors count."""

    low: float
    high: float
    log: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"low is {self.low:g} and high {self.high:g}; low must be below high")
        if self.log and self.low <= 0:
            raise ValueError(f"a log scale cannot begin at {self.low:g}; low must be above 0")
        return self


@dataclass(frozen=True, config=_STRICT)
class Around:
    """From the start divided by this factor to the start times it, on a log scale: for what ``auto`` knows best."""

    around: float = Field(gt=1)


Choice = bool | int | float | str | None
Dimension = Range | Around | tuple[Choice, ...]
Space = Mapping[str, Dimension]
"""Dimensions by the path of the setting, as ``method.mu``."""

SHARED: Space = {"training.learning_rate": Around(4), "training.max_epochs": Around(2)}
"""What is tried of every method that trains by steps. Batches stay: their size decides time and memory too."""
