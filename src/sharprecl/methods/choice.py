"""``--method auto``: reads the label distribution, picks a method, and says why in one sentence."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Choice:
    """A method's name and one sentence: what was picked, and why."""

    name: str
    sentence: str


def choose_method(class_counts: np.ndarray) -> Choice:
    """Pick a method for these training texts of each class, shape [C]."""
    raise NotImplementedError
