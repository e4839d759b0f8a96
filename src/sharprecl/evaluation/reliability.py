"""Whether probabilities can be believed: calibration error with an interval, and the price of answering more texts."""

from dataclasses import dataclass

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
