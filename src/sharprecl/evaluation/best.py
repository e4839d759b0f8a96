"""Multiple comparisons with the best: which of k systems may be the best one, and which may not?

The highest mean of a table is in part the luckiest, and says nothing of those right behind it. Here each system is held
against the leader L, the one with the highest mean over the seeds, and is significantly behind where it falls back by
more than other trainings and other test texts explain together. With probability 95 % the truly best system is not
among those, however the leader came by its place (Hsu 1984; Edwards and Hsu 1983): the best is lost only if some other
system beats it by that much, which is k - 1 comparisons, not k (k - 1) / 2.

**Statistic** of system i, with m its metric's mean over S seeds: t_i = (m_L - m_i) / sqrt(s^2 / S + s^2 / S + v_i).

- s^2: the variance of the metric over the seeds, one for all systems, since three seeds of one system say too little of
  its own; the degrees of freedom are the sum of S - 1 over the systems. A system without chance in its training has a
  single row of answers, adds none, and has no s^2 / S.
- v_i: variance of m_L - m_i over the test items, drawn anew with replacement, the same for all systems and seeds.

**p** = 2 (k - 1) P(T >= t_i), T of Student's distribution with as many degrees of freedom: two-sided, since the data
say who leads, and Bonferroni. With a single seed there is no s^2, T is normal, and the p are about these trained
models only.

What to believe: how often a given one of k equal systems is called behind, the error that is held at 5 %, and how often
any of them is, in %. Simulated: macro-F1 on TREC's test of 500 items in six classes, one of 9 items, 500 tables each
(``benchmarks/significance_null.py best``); the spread is the standard deviation over trainings, in points:

    ====================================================  ===========  ==========
    k equal systems                                       a given one  any
    ====================================================  ===========  ==========
    2, 6 and 17 models of one skill, 1 seed               4, 2, 2      6, 8, 22
    2 methods, spread 2, 3 and 6, 2 seeds                 0, 0, 0      0, 0, 1
    6 methods, the same                                   0, 0, 1      0, 1, 4
    17 methods, the same                                  0, 0, 0      0, 3, 9
    2 methods, spread 2, 3 and 6, 3 seeds                 0, 1, 1      0, 1, 1
    6 methods, the same                                   0, 0, 0      0, 2, 4
    17 methods, the same                                  0, 0, 1      1, 3, 10
    2 methods, spread 2, 3 and 6, 10 seeds                1, 1, 2      1, 1, 4
    6 methods, the same                                   0, 0, 2      1, 3, 6
    17 methods, the same                                  0, 0, 1      2, 3, 11
    every fourth of 6 or 17 spread by 6, the others by 2  3 to 6       5 to 24
    ====================================================  ===========  ==========

So it is cautious, since noise of single answers is counted in both variances, and a little too bold towards a method
whose seeds spread far more than others'. Of many equal ones the last may well be called behind: that loses nothing.
A paired bootstrap over texts and seeds gives 16 instead of 1 with two systems, two seeds and a spread of 6: two seeds
are too few to draw from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from sharprecl.data.messages import joined, plural
from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import Floats, macro_f1
from sharprecl.evaluation.resampler import Metric, Resampler

LEVEL = 0.05


@dataclass(frozen=True)
class Standings:
    """How K systems stand to the one with the highest mean.

    Attributes:
        leader: its number.
        behind: how far each falls behind it, means over the seeds, [K].
        margin: half of the 95 % interval of ``behind``, [K]: it leaves out 0 exactly where p is below 0.05.
        p: two-sided, [K]; 1 for the leader.
    """

    leader: int
    behind: Floats
    margin: Floats
    p: Floats


def compare_with_best(
    gold: ArrayLike,
    answers: Sequence[ArrayLike],
    n_classes: int,
    metric: Metric = macro_f1,
    *,
    n_resamples: int = 999,
    seed: int = 0,
) -> Standings:
    """Hold each system against the one with the highest mean.

    Args:
        gold: true class ids in [0, n_classes), [N].
        answers: predicted class ids of K systems, [S, N] each, or [N]; -1 is no answer, which is wrong. A single row
            beside systems of S seeds is a system without chance in its training, and has no noise of seeds.
        n_classes: C.
        metric: of ``evaluation.metrics``, or any other that maps counts [..., C] to [...].
        n_resamples: draws of the test items, at least 2.
        seed: seeds the draws.

    Raises:
        DataError: fewer than two systems, other shapes, or ids that do not fit.
    """
    given = [np.atleast_2d(np.asarray(rows)) for rows in answers]
    seeds_K = np.array([len(rows) for rows in given])
    numbers = sorted({*seeds_K.tolist()})
    if len(given) < 2 or len(numbers) > 1 + (numbers[0] == 1):
        raise DataError(
            f"the answers are of {joined(list(map(str, numbers)), len(numbers))} seeds and "
            f"{plural(len(given), 'system', 'systems')}; give two systems or more, of the same seeds each"
        )
    first_K = np.cumsum(seeds_K) - seeds_K
    resampler = Resampler(gold, [row for rows in given for row in rows], n_classes, metric)
    scores_J = resampler.scores()
    means_K = np.add.reduceat(scores_J, first_K) / seeds_K
    leader = int(means_K.argmax())
    draws = resampler.draws(n_resamples, np.random.default_rng(seed))
    drawn_RK = np.concatenate([np.add.reduceat(scores_RJ, first_K, axis=1) / seeds_K for scores_RJ in draws])
    of_items_K = (drawn_RK[:, [leader]] - drawn_RK).var(axis=0, ddof=1)
    residuals_J = scores_J - np.repeat(means_K, seeds_K)
    freedom = int((seeds_K - 1).sum())
    of_seeds_K = (residuals_J @ residuals_J) / max(freedom, 1) * np.where(seeds_K > 1, 1 / seeds_K, 0.0)
    error_K = np.sqrt(of_seeds_K[leader] + of_seeds_K + of_items_K)
    student = stats.t(freedom) if freedom else stats.norm()
    behind_K, tests = means_K[leader] - means_K, 2 * (len(given) - 1)
    # Where nothing varies, any difference is certain.
    with np.errstate(divide="ignore", invalid="ignore"):
        p_K = np.minimum(1.0, tests * student.sf(behind_K / error_K))
    is_behind_K = behind_K > 0
    return Standings(leader, behind_K, student.isf(LEVEL / tests) * error_K, np.where(is_behind_K, p_K, 1.0))
