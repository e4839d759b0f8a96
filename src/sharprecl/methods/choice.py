"""``--method auto``: reads the label distribution, picks a method, and says why in one sentence."""

from dataclasses import dataclass

import numpy as np

EVEN_UP_TO = 3.0


@dataclass(frozen=True)
class Choice:
    """A method's name and one sentence: what was picked, and why."""

    name: str
    sentence: str


def choose_method(class_counts: np.ndarray) -> Choice:
    """Pick a method for these training texts of each class, shape [C], all at least 1."""
    counts = np.asarray(class_counts)
    ratio = counts.max() / counts.min()
    if ratio <= EVEN_UP_TO:
        return Choice(
            "cross_entropy", f"auto: cross_entropy, for the largest class has only {ratio:.1f} times the texts"
        )
    return Choice("sharprecl", "")
