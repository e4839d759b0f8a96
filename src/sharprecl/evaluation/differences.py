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
from collections.abc import Sequence
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
    return repeated_difference([(model, other)], weights_C)


def repeated_difference(pairs: Sequence[tuple[Evaluation, Evaluation]], weights_C: Floats | None = None) -> Difference:
    """Compare two ways of training by macro-F1, each trained K times: the mean over K pairs of models.

    The interval is about other texts and other trainings: each draw adds how far drawn texts move the mean over all
    pairs, and how far drawn pairs move it on the texts as they are. Draws of K pairs vary too little, by (K - 1) / K of
    the variance, and are stretched by as much. Where both ways are equal, the interval of three pairs lies above
    zero in 0.8 to 3.2 % of simulated worlds, that of one pair in up to 19 % (``benchmarks/deals_null.py``): it is about
    these two models alone.

    Args:
        weights_C: what a text of each class counts; None: all alike.

    Raises:
        DataError: they were judged on different texts.
    """
    first, number = pairs[0][0], len(pairs)
    if not all(np.array_equal(one.gold, first.gold) for pair in pairs for one in pair):
        raise DataError("the two were judged on different texts, or in another order; judge both on the same list")
    answers = [one.answers for pair in pairs for one in pair]
    resampler = Resampler(first.gold, answers, len(first.classes), macro_f1, weights_C)
    gains_K, generator = _gains(resampler.scores()), np.random.default_rng(first.seed)
    found = float(gains_K.mean())
    of_texts_R = np.concatenate([_gains(drawn).mean(axis=1) for drawn in resampler.draws(N_RESAMPLES, generator)])
    drawn_RK = gains_K[generator.integers(number, size=(N_RESAMPLES, number))]
    of_pairs_R = (drawn_RK.mean(axis=1) - found) * math.sqrt(number / max(number - 1, 1))
    deviations_R = np.abs(of_texts_R - found + of_pairs_R)
    half = float(np.partition(deviations_R, RANK - 1)[RANK - 1])
    return Difference(found, (found - half, found + half))


def _gains(scores: Floats) -> Floats:
    """How far the first of each pair is ahead: [..., 2K] to [..., K]."""
    return scores[..., ::2] - scores[..., 1::2]


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
