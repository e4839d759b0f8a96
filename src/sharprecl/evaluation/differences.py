"""How far a model is ahead of another on the same test texts, and how sure that is.

Whether two intervals overlap does not tell: both models answered the same texts, and what is hard for one is mostly
hard for the other, so their difference moves less than either figure. It gets an interval of its own. That is about
these two models and other texts of this kind, not about other trainings of the same methods.
"""

import numpy as np

from sharprecl.data.messages import signed
from sharprecl.errors import DataError
from sharprecl.evaluation.judge import Evaluation
from sharprecl.evaluation.significance import PairedBootstrap, paired_bootstrap

N_RESAMPLES = 1_999
"""The ends of the interval are then good to 2 % of its width, in a second for 100,000 texts."""
ROUNDED_TO_0 = 0.05


def macro_f1_difference(model: Evaluation, other: Evaluation) -> PairedBootstrap:
    """Macro-F1 of the model minus that of the other, with its 95 % interval over the test texts.

    Raises:
        DataError: the two were judged on different texts.
    """
    if not np.array_equal(model.gold, other.gold):
        raise DataError("the two were judged on different texts, or in another order; judge both on the same list")
    return paired_bootstrap(
        model.gold, model.answers, other.answers, len(model.classes), n_resamples=N_RESAMPLES, seed=model.seed
    )


def difference_sentence(name: str, other: Evaluation, found: PairedBootstrap) -> str:
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
