"""``--method auto``: reads the label distribution, picks a method, and says why in one sentence.

The rule rests on skewed tables cut from the training texts of six benchmarks, each method under the same conditions
(docs/recipe.md):

- Even classes leave nothing to rebalance.
- With skewed ones, few or many, two or fifty, SharpReCL was ahead in the mean over the tables, and on no table more
  than 1.5 points of macro-F1 behind cross-entropy or balanced softmax.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

AUTO = "auto"
"""The method that is chosen here."""
EVEN_UP_TO = 3.0


@dataclass(frozen=True)
class Choice:
    """A method's name and one sentence: what was picked, and why."""

    name: str
    sentence: str


def choose_method(class_counts: "Sequence[int] | np.ndarray") -> Choice:
    """Pick a method for these training texts of each class, shape [C], all at least 1."""
    ratio = max(class_counts) / min(class_counts)
    if ratio <= EVEN_UP_TO:
        why = (
            f"the largest class has only {ratio:.1f} times the texts of the smallest, so there is nothing to rebalance"
        )
        return _choice("cross_entropy", why)
    why = f"the largest class has {ratio:,.0f} times the texts of the smallest, and with skewed classes it was ahead"
    return _choice("sharprecl", why)


def _choice(name: str, why: str) -> Choice:
    return Choice(name, f"auto: {name}, for {why}")
