"""The figures of a run, from its answers: what a run keeps, and what a check computes anew."""

from collections.abc import Sequence

import numpy as np

from sharprecl.evaluation.judge import evaluate

_LEAST_RESAMPLES = 2  # A single run shows no interval: a table's certainty comes from seeds and paired tests.


def measure(
    gold: Sequence[int] | np.ndarray, answers: Sequence[int] | np.ndarray, train_counts: Sequence[int] | np.ndarray
) -> tuple[dict[str, float | None], tuple[float, ...]]:
    """Judge answers as ``evaluation.judge`` does.

    Args:
        gold: true class ids, [N].
        answers: predicted class ids, [N]; -1 is none.
        train_counts: training texts of each class, [C].

    Returns:
        ``RunRecord.metrics`` and ``RunRecord.f1``, shares of 0 to 1.

    Raises:
        DataError: lengths or ids that do not fit together.
    """
    names = tuple(map(str, range(len(train_counts))))
    found = evaluate(np.asarray(gold), np.asarray(answers), np.asarray(train_counts), names, _LEAST_RESAMPLES)
    figures: dict[str, float | None] = {
        "accuracy": found.accuracy,
        "macro_f1": found.macro_f1,
        "balanced_accuracy": found.balanced_accuracy,
    }
    bands = {name: band.macro_f1 for name, band in found.bands.items()}
    return figures | bands, tuple(row.f1 for row in found.classes)
