"""Multiple comparisons with the best: which of k systems may be the best one, and which may not?

The highest mean of a table is in part the luckiest, and says nothing of those right behind it. Here each system is held
against the leader L, the one with the highest mean over the seeds, and ruled out where it falls behind by more than
other trainings and other test texts explain. With probability 95 % the truly best system is among those that are left,
however the leader came by its place (Hsu 1984; Edwards and Hsu 1983): the best is lost only if some other system beats
it by that much, which is k - 1 comparisons, not k (k - 1) / 2.

**Statistic** of system i, with m its metric's mean over S seeds: t_i = (m_L - m_i) / sqrt(2 s^2 / S + v_i).

- s^2: the residual mean square of metric by system and seed (a seed is a block: same split, same seed), with
  (k - 1) (S - 1) degrees of freedom. It is one for all systems: three seeds of one system say too little of its own.
- v_i: variance of m_L - m_i over the test items, drawn anew with replacement, the same for all systems and seeds.

**p** = (k - 1) P(T >= t_i), T of Student's distribution with as many degrees of freedom (one-sided, Bonferroni). With a
single seed there is no s^2, T is normal, and the p are about these trained models only.

What to believe: how often a truly best system is ruled out, at a nominal 5 %, and how often any of the equal systems is
(which is no error of a set that may hold more than one; it tells how sharp the set is). Simulated as in
``significance``, macro-F1, 500 tables each (``benchmarks/significance_null.py best``):

    ================================================================  ==========  ===========
    k equal systems                                                   a best one  any of them
    ================================================================  ==========  ===========
    6 models of one skill, 1 seed                                        5           21
    17 models of one skill, 1 seed                                       3           38
    6 methods, seeds spread by 2, 3 and 6 points, 3 seeds                0, 0, 2     0, 6, 10
    6 methods, the same, 10 seeds                                        0, 1, 3     3, 5, 12
    17 methods, the same, 3 seeds                                        0, 1, 1     3, 8, 18
    17 methods, the same, 10 seeds                                       0, 0, 3     3, 9, 24
    every fourth spread by 6, others by 2, best is a wide one            5 to 7      9 to 34
    ================================================================  ==========  ===========

So it is cautious, since noise of single answers is counted in both variances, and a little too bold towards a method
whose seeds spread far more than others'.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import Floats, macro_f1
from sharprecl.evaluation.resampler import Metric, Resampler


def compare_with_best(
    gold: ArrayLike,
    answers: ArrayLike,
    n_classes: int,
    metric: Metric = macro_f1,
    *,
    n_resamples: int = 999,
    seed: int = 0,
) -> Floats:
    """Hold each system against the one with the highest mean.

    Args:
        gold: true class ids in [0, n_classes), [N].
        answers: predicted class ids, [K, S, N] with K systems of the same S seeds, or [K, N]; -1 is no answer, which
            is wrong.
        n_classes: C.
        metric: of ``evaluation.metrics``, or any other that maps counts [..., C] to [...].
        n_resamples: draws of the test items, at least 2.
        seed: seeds the draws.

    Returns:
        p of each system, [K]: that it falls so far behind though it is the best; 1 for the leader. Systems with p at
        most 0.05 are ruled out as the best.

    Raises:
        DataError: fewer than two systems, other shapes, or ids that do not fit.
    """
    given = np.asarray(answers)
    if given.ndim == 2:
        given = given[:, None]
    if given.ndim != 3 or len(given) < 2 or given.shape[1] == 0:
        raise DataError(
            f"the answers have shape {np.shape(answers)}; give those of two systems or more, of the same seeds each"
        )
    n_systems, n_seeds = given.shape[:2]
    resampler = Resampler(gold, [*given.reshape(n_systems * n_seeds, -1)], n_classes, metric)
    scores_KS = resampler.scores().reshape(n_systems, n_seeds)
    means_K = scores_KS.mean(axis=1)
    leader = int(means_K.argmax())
    draws = resampler.draws(n_resamples, np.random.default_rng(seed))
    drawn_RK = np.concatenate([scores_RJ.reshape(-1, n_systems, n_seeds).mean(axis=2) for scores_RJ in draws])
    of_items_K = (drawn_RK[:, [leader]] - drawn_RK).var(axis=0, ddof=1)
    of_seeds, freedom = _residual_mean_square(scores_KS)
    behind_K = means_K[leader] - means_K
    # Where nothing varies, any difference is certain.
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic_K = behind_K / np.sqrt(2 * of_seeds / n_seeds + of_items_K)
        p_K = np.minimum(1.0, (n_systems - 1) * student.sf(statistic_K, freedom))
    return np.where(behind_K > 0, p_K, 1.0)


def _residual_mean_square(scores_KS: Floats) -> tuple[float, float]:
    """s^2 and its degrees of freedom; 0 and infinity for a single seed."""
    n_systems, n_seeds = scores_KS.shape
    if n_seeds == 1:
        return 0.0, math.inf
    of_systems, of_seeds = scores_KS.mean(axis=1, keepdims=True), scores_KS.mean(axis=0, keepdims=True)
    residuals_KS = scores_KS - of_systems - of_seeds + scores_KS.mean()
    freedom = (n_systems - 1) * (n_seeds - 1)
    return float((residuals_KS**2).sum() / freedom), freedom
