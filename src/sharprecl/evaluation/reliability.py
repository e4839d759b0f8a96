"""What certainty is worth: calibration error with an interval, the price of answering more texts, sets of classes."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

BINS = 15
RESAMPLES = 500


@dataclass(frozen=True, eq=False)
class Reliability:
    """Confidence against accuracy.

    Attributes:
        confidence_B, accuracy_B: means in up to 15 bins of equally many texts, in rising confidence.
        texts_B: texts in each.
        error: expected calibration error, the mean distance of the two by texts, in [0, 1].
        interval: 95 % bootstrap interval of the error.
    """

    confidence_B: NDArray[np.float64]
    accuracy_B: NDArray[np.float64]
    texts_B: NDArray[np.int64]
    error: float
    interval: tuple[float, float]


def reliability(confidence_N: NDArray[np.floating], right_N: NDArray[np.bool_], seed: int = 0) -> Reliability:
    """Judge the confidence of answers.

    Bins of equal size rather than equal width, whose error depends less on where the bins happen to lie (Nixon et al.,
    2019). Chance alone keeps the estimate above 0, and that of a resample above that of the texts, so the interval is
    moved down by what the resamples have more on average.

    Args:
        confidence_N: probability of the answered class.
        right_N: whether the answer was right.
        seed: of the resamples.
    """
    bins = np.array_split(np.argsort(confidence_N, kind="stable"), min(BINS, len(confidence_N)))
    gap_N = np.asarray(right_N, dtype=np.float64) - confidence_N
    bin_N = np.empty(len(gap_N), dtype=np.int64)
    for number, rows in enumerate(bins):
        bin_N[rows] = number
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = generator.multinomial(len(gap_N), np.full(len(gap_N), 1 / len(gap_N)), size=RESAMPLES)
    errors = [np.abs(np.bincount(bin_N, gap_N * times)).sum() / len(gap_N) for times in drawn]
    error = float(np.abs(np.bincount(bin_N, gap_N)).sum() / len(gap_N))
    low, high = np.quantile(errors, (0.025, 0.975)) - max(0.0, float(np.mean(errors)) - error)
    return Reliability(
        np.array([confidence_N[rows].mean() for rows in bins]),
        np.array([np.mean(right_N[rows]) for rows in bins]),
        np.array([len(rows) for rows in bins]),
        error,
        (max(0.0, float(low)), float(high)),
    )


def risk_coverage(
    confidence_N: NDArray[np.floating], right_N: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Share of wrong answers among the k surest texts and their share of all, k = 1 ... N (El-Yaniv, Wiener 2010)."""
    order = np.argsort(-np.asarray(confidence_N), kind="stable")
    number_N = np.arange(1, len(order) + 1)
    return np.cumsum(~np.asarray(right_N)[order]) / number_N, number_N / len(order)


@dataclass(frozen=True)
class Certainty:
    """What the certainty of answers was worth on judged texts. Shares are in [0, 1].

    Attributes:
        calibration_error: expected calibration error of the confidence.
        calibration_interval: its 95 % interval.
        sure: share of the texts whose answer was sure.
        right_where_sure: accuracy on these; None if there are none.
        set_coverage: share of the texts whose set held the true class; None without sets, as are the next two.
        mean_class_coverage: mean of that share over the classes that have texts.
        set_size: mean number of classes in a set.
    """

    calibration_error: float
    calibration_interval: tuple[float, float]
    sure: float
    right_where_sure: float | None
    set_coverage: float | None = None
    mean_class_coverage: float | None = None
    set_size: float | None = None


def certainty(
    y_N: NDArray[np.int64],
    answers_N: NDArray[np.int64],
    confidence_N: NDArray[np.float64],
    sure_N: NDArray[np.bool_],
    sets_NC: NDArray[np.bool_] | None,
) -> Certainty:
    """Judge confidence, abstention and sets against the true classes.

    Args:
        y_N: true classes.
        answers_N: answered ones; -1, no answer, is wrong with confidence 0.
        confidence_N: probability of the answer; NaN where there is none.
        sure_N: whether the answer was given as sure.
        sets_NC: sets of classes, or None.
    """
    right_N = answers_N == y_N
    error = reliability(np.nan_to_num(confidence_N), right_N)
    right = float(right_N[sure_N].mean()) if sure_N.any() else None
    found = Certainty(error.error, error.interval, float(sure_N.mean()), right)
    if sets_NC is None:
        return found
    held_N = sets_NC[np.arange(len(y_N)), y_N]
    by_class = [float(held_N[y_N == label].mean()) for label in np.unique(y_N)]
    return replace(
        found,
        set_coverage=float(held_N.mean()),
        mean_class_coverage=float(np.mean(by_class)),
        set_size=float(sets_NC.sum(1).mean()),
    )
