"""Is the difference between two systems more than luck? The paired bootstrap, and Holm's correction for many tests.

**Statistic.** d = mean over seeds of the first system's metric minus the same of the second.

**Resample.** The N items are drawn anew with replacement, the same draw for both systems and every seed; d* is d on the
draw. A class that a draw lost has F1 0 for both systems there, so it adds no difference.

**Null**, with seeds ``fixed``: these very trained models have, averaged over their seeds, the same metric on endless
texts of this kind. Nothing is said of other trainings of the same methods. With seeds ``drawn``, the null is about the
methods: their metrics are equal on average over trainings and texts. Then every draw also takes S - 1 of the S seeds
with replacement (row s of both systems belongs together: same split, same seed). S - 1, because S draws out of S
understate the variance of a mean by (S - 1) / S (Rao and Wu 1988).

**p**, two-sided, of the shifted (centred) bootstrap: under the null d* - d is distributed as d is, so
``p = (1 + #{|d* - d| >= |d|}) / (R + 1)``; it cannot fall below 1 / (R + 1) (Davison and Hinkley 1997, 4.2; for systems
that answer texts: Koehn 2004, Berg-Kirkpatrick et al. 2012).

**Interval**: the same draws turned around, ``d ± q`` with q the ceil(0.95 (R + 1))-th smallest ``|d* - d|``
(symmetric bootstrap, Hall 1988): it leaves out 0 exactly where p <= 0.05.

What to believe: false alarms at 5 %, in %, on simulated systems that do not differ (500 each, so give or take 1;
``benchmarks/significance_null.py``). The spread is the standard deviation of macro-F1 over trainings of one method, on
TREC's test of 500 items in six classes, one of 9 items:

    ===========================================================  ========  ========
    null                                                         accuracy  macro-F1
    ===========================================================  ========  ========
    equally skilled models, TREC and CR, fixed                   4 to 6    5 to 6
    equally skilled models, R52 (six classes of one item), fixed 4 to 5    7 to 8
    equal methods, spread 2 points, 3 to 10 seeds, fixed         4 to 14   3 to 12
    the same, drawn                                              0 to 1    0
    equal methods, spread 3 points, 3 to 10 seeds, fixed         30 to 34  23 to 30
    the same, drawn                                              3 to 4    2 to 4
    equal methods, spread 5 to 6, 3 to 10 seeds, fixed           55 to 57  47 to 49
    the same, drawn                                              5 to 9    5
    ===========================================================  ========  ========

So ``fixed`` tests trained models and nothing more, a little too boldly for macro-F1 where classes have a single item.
Claims about methods need ``drawn``: cautious where seeds hardly differ, since noise of single answers is then counted
more than once (Owen 2007), and too bold (9 and 7 for 5) with three and five seeds that differ greatly.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sharprecl.errors import DataError
from sharprecl.evaluation.intervals import Interval
from sharprecl.evaluation.metrics import Floats, macro_f1
from sharprecl.evaluation.resampler import Metric, Resampler

# Equal differences of metrics come out a few roundings apart; ties are frequent, as accuracy moves in steps of 1/N.
ROUNDING = 1e-10


@dataclass(frozen=True)
class PairedBootstrap:
    """What the test found.

    Attributes:
        difference: metric of the first system minus that of the second, means over the seeds.
        interval: 95 % interval of the difference.
        p: two-sided; 1 where the systems do not differ at all.
        least_p: what p cannot fall below with this many resamples.
    """

    difference: float
    interval: Interval
    p: float
    least_p: float


def paired_bootstrap(
    gold: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    n_classes: int,
    metric: Metric = macro_f1,
    *,
    seeds: Literal["fixed", "drawn"] = "fixed",
    n_resamples: int = 9_999,
    seed: int = 0,
) -> PairedBootstrap:
    """Test the difference between two systems' answers to the same items; the order of the items has no influence.

    Args:
        gold: true class ids in [0, n_classes), [N].
        first: predicted class ids, [S, N] with one row a training seed, or [N]; -1 is no answer, which is wrong.
        second: as ``first``; with seeds ``fixed`` the number of seeds may differ.
        n_classes: C.
        metric: of ``evaluation.metrics``, or any other that maps counts [..., C] to [...].
        seeds: ``fixed`` or ``drawn``, see the top of this file.
        n_resamples: R, at least 1.
        seed: seeds the draws.

    Raises:
        DataError: shapes or ids that do not fit, or seeds to be drawn that are fewer than two or not paired.
    """
    systems = [np.atleast_2d(np.asarray(answers)) for answers in (first, second)]
    n_seeds = [len(answers) for answers in systems]
    if seeds == "drawn" and (n_seeds[0] != n_seeds[1] or n_seeds[0] < 2):
        raise DataError(
            f"the systems have {n_seeds[0]} and {n_seeds[1]} seeds, but drawing seeds takes the same two or more for "
            "both; train the missing ones, or ask with seeds='fixed' about these models only"
        )
    # Share of each row of answers in the statistic, minus for the second system.
    shares = np.repeat([1 / n_seeds[0], -1 / n_seeds[1]], n_seeds)
    resampler = Resampler(gold, [*systems[0], *systems[1]], n_classes, metric)
    difference = float(resampler.scores() @ shares)
    streams = np.random.SeedSequence(seed).spawn(2)
    of_items, of_seeds = (np.random.Generator(np.random.PCG64(stream)) for stream in streams)
    deviations = []
    for scores_RJ in resampler.draws(n_resamples, of_items):
        weights = shares if seeds == "fixed" else shares * _seed_weights(n_seeds[0], len(scores_RJ), of_seeds)
        deviations.append(np.abs((scores_RJ * weights).sum(axis=1) - difference))
    return _result(difference, np.concatenate(deviations))


def _seed_weights(n_seeds: int, n_resamples: int, generator: np.random.Generator) -> Floats:
    """How often each seed was drawn over how often it is on average, for both systems alike, [R, 2 S]."""
    drawn = generator.multinomial(n_seeds - 1, np.full(n_seeds, 1 / n_seeds), size=n_resamples)
    return np.tile(drawn * n_seeds / (n_seeds - 1), 2)


def _result(difference: float, deviations: Floats) -> PairedBootstrap:
    n_resamples = len(deviations)
    as_large = int((deviations >= abs(difference) - ROUNDING).sum())
    # 0.95 in whole numbers: a rounding would move the rank, and p and interval would disagree.
    rank = min(math.ceil(19 * (n_resamples + 1) / 20), n_resamples)
    half = float(np.partition(deviations, rank - 1)[rank - 1])
    if abs(half - abs(difference)) < ROUNDING:
        half = abs(difference)  # so that interval and p agree about 0
    interval = (difference - half, difference + half)
    return PairedBootstrap(difference, interval, (1 + as_large) / (n_resamples + 1), 1 / (n_resamples + 1))


def holm(p_values: ArrayLike) -> Floats:
    """Correct for many tests: the chance of even one false alarm stays at the level (Holm 1979).

    The k-th smallest of m p-values counts ``m - k + 1`` times, never below a smaller one's, at most 1. Valid however
    the tests depend on each other; an adjusted value of at most 0.05 may be called significant.

    Args:
        p_values: in [0, 1], [m].

    Returns:
        Adjusted p-values, in the order given.

    Raises:
        DataError: values outside [0, 1].
    """
    values = np.asarray(p_values, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise DataError("some p-values lie outside 0 to 1; were scores given instead?")
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1)), 1.0)
    return adjusted
