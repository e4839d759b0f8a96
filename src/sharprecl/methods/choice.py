"""``--method auto``: reads the label distribution, picks a method, and says why in one sentence.

The rule rests on what was measured here (docs/results.md), which is little: three data sets, short trainings.

- Even classes leave nothing to rebalance.
- With many rare classes (R52 cut to 60 texts a class, 28 of 52 classes under 20 texts) SharpReCL was three points of
  macro-F1 ahead of cross-entropy at the same number of steps.
- With two classes (CR at ratio 50) logit compensation alone was ahead of the others tried on validation data. On the
  test data, over three seeds, it is third of 17 methods, ahead of SharpReCL in each, at half the time.
- In between (TREC at ratio 50: six classes, none under 20 texts) plain cross-entropy was as good as what rebalances.
"""

from dataclasses import dataclass

import numpy as np

EVEN_UP_TO = 3.0
RARE_UNDER = 20  # as the band "tail" of every judgement
MANY = 0.25


@dataclass(frozen=True)
class Choice:
    """A method's name and one sentence: what was picked, and why."""

    name: str
    sentence: str


def choose_method(class_counts: np.ndarray) -> Choice:
    """Pick a method for these training texts of each class, shape [C], all at least 1."""
    counts = np.asarray(class_counts)
    ratio, rare = counts.max() / counts.min(), int((counts < RARE_UNDER).sum())
    if ratio <= EVEN_UP_TO:
        why = (
            f"the largest class has only {ratio:.1f} times the texts of the smallest, so there is nothing to rebalance"
        )
        return _choice("cross_entropy", why)
    if len(counts) == 2:
        why = f"of two classes one has {ratio:.0f} times the texts of the other, and there compensating the prior led"
        return _choice("balanced_softmax", why)
    if rare >= MANY * len(counts):
        why = f"{rare} of {len(counts)} classes have under {RARE_UNDER} texts, which is what it is for"
        return _choice("sharprecl", why)
    few = f"only {rare}" if rare else "none"
    why = (
        f"{few} of {len(counts)} classes have under {RARE_UNDER} texts, and where few are that rare, "
        f"methods that rebalance did no better here"
    )
    return _choice("cross_entropy", why)


def _choice(name: str, why: str) -> Choice:
    return Choice(name, f"auto: {name}, for {why}")
