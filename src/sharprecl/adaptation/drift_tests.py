"""Whether two samples of texts come from one stream: one test a fact, each with a figure, its threshold and a p-value.

Every test holds its level in samples of any size, whatever the figures' distribution: ranks (Kolmogorov-Smirnov, the
share beyond a reference's quantile) or permutations of the two samples (class shares, MMD). The thresholds are those
of the level that is asked for, so that several tests may share one level.

Source: Gretton et al., JMLR 2012 (MMD); Rabanser et al., NeurIPS 2019 (which tests notice which shifts).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import betabinom, hypergeom, ks_2samp, kstwo

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]

DRAWS = 1999
"""Permutations: the smallest p-value is 1 / 2000."""

MOST_ROWS = 500
"""Of each sample, where distances between all of them are taken."""

NEIGHBOURS = 5
UNKNOWN_FROM = 0.99
"""Beyond this quantile of the reference's own distances a text is like none of the reference."""


@dataclass(frozen=True)
class Compared:
    """What a test found.

    Attributes:
        figure: how far the samples are apart.
        threshold: from where on the figure is an alarm.
        p: chance of such a figure, or a larger one, if both samples come from one stream.
    """

    figure: float
    threshold: float
    p: float


def compare_shares(old_R: Ids, new_N: Ids, num_classes: int, level: float) -> Compared:
    """Class ids of two samples: half the sum of the differences in share, with permutations of the two samples."""
    old_C, new_C = (np.bincount(ids, minlength=num_classes) for ids in (old_R, new_N))
    every_C = old_C + new_C
    generator = np.random.Generator(np.random.PCG64(0))
    drawn_DC = generator.multivariate_hypergeometric(every_C, len(new_N), size=DRAWS, method="marginals")

    def distance(new: Ids) -> Floats:
        return np.asarray(0.5 * np.abs(new / len(new_N) - (every_C - new) / len(old_R)).sum(-1))

    return _judged(float(distance(new_C)), distance(drawn_DC), level)


def compare_values(old_R: Floats | Ids, new_N: Floats | Ids, level: float) -> Compared:
    """One number a text: the largest distance of the two cumulative distributions, Kolmogorov and Smirnov's."""
    found = ks_2samp(old_R, new_N, method="asymp")
    size = len(old_R) * len(new_N) / (len(old_R) + len(new_N))
    return Compared(float(found.statistic), float(kstwo.isf(level, round(size))), float(found.pvalue))


def compare_features(old_RH: Floats, new_NH: Floats, level: float) -> Compared:
    """Vectors of two samples: the squared MMD, Gaussian kernel with the median distance as width.

    At most 500 rows of each are taken.
    """
    generator = np.random.Generator(np.random.PCG64(0))
    old_RH, new_NH = (_some(rows, generator) for rows in (old_RH, new_NH))
    squared_MM = cdist(*[np.concatenate([old_RH, new_NH])] * 2, "sqeuclidean")
    width = np.median(squared_MM[np.triu_indices(len(squared_MM), 1)])
    kernel_MM = np.exp(-squared_MM / (2 * max(width, 1e-12)))
    sign_M = np.repeat([1 / len(old_RH), -1 / len(new_NH)], [len(old_RH), len(new_NH)])
    drawn_MD = generator.permuted(np.tile(sign_M[:, None], DRAWS), axis=0)

    def distance(sign_MD: Floats) -> Floats:
        return np.asarray(np.einsum("md,md->d", sign_MD, kernel_MM @ sign_MD))

    return _judged(float(distance(sign_M[:, None])[0]), distance(drawn_MD), level)


def compare_counts(old: int, size_old: int, new: int, size_new: int, level: float) -> Compared:
    """How many texts of each sample have something: the share among the new ones, by Fisher's exact test, one-sided."""
    chance = hypergeom(size_old + size_new, old + new, size_new)
    return Compared(new / size_new, (chance.isf(level) + 1) / size_new, float(chance.sf(new - 1)))


def compare_distances(old_R: Floats, new_N: Floats, level: float) -> Compared:
    """Distances from a reference: the share of new texts that are farther than all but 1 % of the reference's own.

    If both are of one stream, each order of all the distances is as likely as any other, and the number of new ones
    beyond the k-th largest of R has the beta-binomial distribution with k and R - k + 1.
    """
    beyond = max(1, round((1 - UNKNOWN_FROM) * len(old_R)))
    number = int((new_N > unknown_bar(old_R)).sum())
    chance = betabinom(len(new_N), beyond, len(old_R) - beyond + 1)
    return Compared(number / len(new_N), (chance.isf(level) + 1) / len(new_N), float(chance.sf(number - 1)))


def unknown_bar(old_R: Floats) -> float:
    """The distance beyond which a text is like none of the reference."""
    return float(np.sort(old_R)[-max(1, round((1 - UNKNOWN_FROM) * len(old_R)))])


def distances(old_RH: Floats, new_NH: Floats | None = None) -> Floats:
    """Mean distance of each text to its nearest neighbours in the reference; None: of the reference's own, without
    themselves.
    """
    apart_NR = cdist(old_RH if new_NH is None else new_NH, old_RH)
    if new_NH is None:
        np.fill_diagonal(apart_NR, np.inf)
    nearest = min(NEIGHBOURS, len(old_RH) - 1)
    return np.asarray(np.partition(apart_NR, nearest - 1, axis=1)[:, :nearest].mean(1))


def _judged(figure: float, drawn_D: Floats, level: float) -> Compared:
    """Compare with permutations, of which the samples as they are count as one."""
    p = (1 + int((drawn_D >= figure - 1e-12).sum())) / (1 + len(drawn_D))
    allowed = int(level * (1 + len(drawn_D))) - 1
    threshold = np.inf if allowed < 0 else float(np.sort(drawn_D)[::-1][allowed])
    return Compared(figure, threshold, p)


def _some(rows: Floats, generator: np.random.Generator) -> Floats:
    chosen = np.sort(generator.permutation(len(rows))[:MOST_ROWS])
    return np.asarray(rows[chosen], dtype=np.float64)
