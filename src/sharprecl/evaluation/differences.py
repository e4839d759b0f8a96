"""How far a model is ahead of another on the same test texts, and how sure that is.

Whether two intervals overlap does not tell: both models answered the same texts, and what is hard for one is mostly
hard for the other, so their difference moves less than either figure. It gets an interval of its own, by the paired
bootstrap: the texts are drawn anew with replacement, the same draw for both (Koehn 2004). With d the difference and d*
that of a draw, the interval is d ± q, where q is the ceil(0.95 (R + 1))-th smallest of R values |d* - d| (Hall 1988).
That is about these two models and other texts of this kind, not about other trainings of the same methods.

With 500 simulated pairs of equally skilled models each (``World`` of ``benchmarks/significance_null.py``), the interval
left out 0 in 3.8 % with the class sizes of TREC's test, 4.6 % with CR's, and 5.8 % with R52's, six of one text.
"""

import math
from dataclasses import dataclass

import numpy as np

from sharprecl.data.messages import signed
from sharprecl.errors import DataError
from sharprecl.evaluation.intervals import Interval
from sharprecl.evaluation.judge import Evaluation
from sharprecl.evaluation.metrics import Floats, macro_f1
from sharprecl.evaluation.resampler import Resampler

N_RESAMPLES = 1_999
"""The ends of the interval are then good to 2 % of its width, in two seconds for 100,000 texts."""
RANK = math.ceil(19 * (N_RESAMPLES + 1) / 20)
ROUNDED_TO_0 = 0.05


@dataclass(frozen=True)
class Difference:
    """Macro-F1 of a model minus that of another, a share of 1, and its 95 % interval."""

    difference: float
    interval: Interval


def macro_f1_difference(model: Evaluation, other: Evaluation, weights_C: Floats | None = None) -> Difference:
    """Compare two models by macro-F1.

    Args:
        weights_C: what a text of each class counts; None: all alike.

    Raises:
        DataError: they were judged on different texts.
    """
    if not np.array_equal(model.gold, other.gold):
        raise DataError("the two were judged on different texts, or in another order; judge both on the same list")
    resampler = Resampler(model.gold, [model.answers, other.answers], len(model.classes), macro_f1, weights_C)
    first, second = resampler.scores().tolist()
    drawn_R2 = np.concatenate([*resampler.draws(N_RESAMPLES, np.random.default_rng(model.seed))])
    deviations_R = np.abs(drawn_R2[:, 0] - drawn_R2[:, 1] - (first - second))
    half = float(np.partition(deviations_R, RANK - 1)[RANK - 1])
    return Difference(first - second, (first - second - half, first - second + half))


def difference_sentence(name: str, other: Evaluation, found: Difference) -> str:
    """The difference to a method of that name in words: how many points, and whether this test can tell."""
    points, (low, high) = 100 * found.difference, found.interval
    figure = f"{name} ({100 * other.macro_f1:.1f} %)"
    if low == high == 0:
        return f"Macro-F1 equals that of {figure}."
    interval = f"95 % interval of the difference: {signed(100 * low)} to {signed(100 * high)}."
    if abs(points) < ROUNDED_TO_0:
        return f"Macro-F1 equals that of {figure}; {interval}"
    told = f"Macro-F1 is {abs(points):.1f} points {'above' if points > 0 else 'below'} {figure}"
    if low <= 0 <= high:
        return f"{told}, but this test cannot tell which is better; {interval}"
    return f"{told}; {interval}"
