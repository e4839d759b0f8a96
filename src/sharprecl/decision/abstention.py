"""From which confidence on to answer: a share of the texts, or a precision that is promised."""

import numpy as np
from scipy.stats import beta

from sharprecl.decision.objectives import Floats
from sharprecl.errors import ConfigError

SURE = 0.9
"""Confidence of the promise of a precision."""

_STEPS = 100


def bar_of_coverage(confidence_N: Floats, weight_N: Floats, coverage: float) -> float:
    """The confidence that a share of the texts reaches, by their weights.

    Args:
        coverage: the share that is to be answered, in (0, 1].
    """
    order = np.argsort(-confidence_N, kind="stable")
    reached_N = np.cumsum(weight_N[order]) / weight_N.sum()
    return float(confidence_N[order[np.searchsorted(reached_N, coverage - 1e-12).clip(max=len(order) - 1)]])


def bar_of_precision(confidence_N: Floats, right_N: np.ndarray, weight_N: Floats, precision: float) -> float:
    """The least confidence from which on as many answers are right as asked for, with 90 % certainty.

    The surest 1 %, 2 %, ... of the texts are tested in this order until one fails, which keeps the certainty without a
    correction (fixed-sequence testing: Angelopoulos et al., Learn then Test, 2021; the bound is Clopper and Pearson's).

    Args:
        right_N: whether the answer is right, bool.
        precision: the share of right ones among those answered, in (0, 1).

    Raises:
        ConfigError: it cannot be promised for any share of the texts.
    """
    order = np.argsort(-confidence_N, kind="stable")
    weight = weight_N[order]
    answered, right = np.cumsum(weight), np.cumsum(weight * right_N[order])
    # Weighted texts tell less than as many equal ones (Kish's effective size).
    size = answered**2 / np.cumsum(weight**2)
    hits = right / answered * size
    lower = beta.ppf(1 - SURE, hits, np.maximum(size - hits, 0) + 1)
    bar = None
    # The first few texts prove nothing, whatever they say: the sequence begins where all right would be enough.
    first = np.flatnonzero(size >= np.log(1 - SURE) / np.log(precision))
    for step in range(1, _STEPS + 1):
        last = min(max(round(step * len(order) / _STEPS), 1), len(order)) - 1
        if not len(first) or last < first[0]:
            continue
        if not lower[last] >= precision:
            break
        bar = float(confidence_N[order[last]])
    if bar is None:
        raise ConfigError(
            f"a precision of {precision:g} cannot be promised: not even the surest of the {len(order)} held-out texts "
            f"are right that often; ask for less, or give more labelled texts"
        )
    return bar


def told_of_bar(
    least: float, confidence_N: Floats, right_N: np.ndarray, weight_N: Floats, precision: float | None
) -> str:
    """What a bar of confidence means for these texts, in a sentence.

    Args:
        precision: what was promised; None where a coverage was asked for.
    """
    sure_N = confidence_N >= least
    coverage = np.average(sure_N, weights=weight_N)
    right = np.average(right_N[sure_N], weights=weight_N[sure_N])
    promised = f", {precision:.1%} promised with {SURE:.0%} certainty" if precision else ""
    return (
        f"sure from a confidence of {least:.3f} on: {coverage:.1%} of the held-out texts, {right:.1%} of them rightly "
        f"answered{promised}, of all texts {np.average(right_N, weights=weight_N):.1%}"
    )
