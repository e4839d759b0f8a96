"""95 % bootstrap intervals of accuracy, macro-F1, balanced accuracy and the frequency bands.

Rare classes are the difficulty. A plain resample of the test texts loses a class with one text in 37 % of the draws
and counts it 0, which pulls macro-F1 down; a resample within classes, or weights on the texts (Bayesian bootstrap),
always keep that one text, so that the class seems to have no variance at all.

What is done here: a plain resample of the texts; a class that a resample lost is left out of that resample's means;
the standard deviation of the resamples gives the width, around the plain estimate, on the logit scale (delta method),
which keeps the interval inside [0, 1] and always around its estimate. Where a resample lost a whole band, it counts 0
there: a band of one or two texts shall have a wide interval.

How often 95 % intervals held the truth, in %, on simulated test sets with the class sizes of R52's test (52 classes,
2,568 texts, six classes with one text), as the range over three kinds of classifier (fair, good, collapsed tail), 800
test sets each (benchmarks/interval_coverage.py):

    =========================================  ========  =================  ==========
    interval                                   macro-F1  balanced accuracy  tail
    =========================================  ========  =================  ==========
    plain, lost classes count 0, percentile    82 to 90  90 to 92           83 to 88
    plain, lost classes left out, percentile   89 to 93  90 to 92           90 to 97
    plain, lost classes left out, logit: here  94 to 98  87 to 94           94 to 97
    within classes, percentile                 83 to 88  74 to 78           79 to 82
    Bayesian bootstrap, percentile             81 to 87  69 to 74           80 to 86
    =========================================  ========  =================  ==========

Accuracy, head and medium are held 96 to 98 times in a hundred. Known weakness: balanced accuracy, where a class whose
one text was found shows no sign that it could have been missed. The simulated tests hold every class. A test that
lacks classes counts them 0, and no interval mends that: macro-F1 itself is then too low. The intervals say how a
figure moves with the test texts, not with the training seed.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix
from scipy.stats import binomtest

from sharprecl.evaluation.metrics import Counts, Floats, accuracy, f1, mean_where, recall

Interval = tuple[float, float]
Masks = Mapping[str, NDArray[np.bool_]]
Z_95 = 1.959963984540054
CHUNK_CELLS = 4_000_000  # resampled counts held in memory at once: 32 MB


def resample(confusion: ArrayLike, n_resamples: int, seed: int) -> Counts:
    """Draw the test texts anew, with replacement; counts of shape [n_resamples, C].

    Only the confusion matrix matters to the metrics, so its non-zero cells are drawn (a multinomial), not the texts.
    """
    matrix = np.asarray(confusion)
    true, predicted = np.nonzero(matrix)
    texts = matrix[true, predicted]
    n_classes, n_cells = len(matrix), len(texts)
    # One product gives all three counts: a cell adds to its row's total, its column's and, if correct, to tp.
    cells = np.arange(n_cells)
    correct = cells[true == predicted]
    columns = np.concatenate([true[correct], n_classes + predicted, 2 * n_classes + true])
    ones = np.ones(len(columns))
    sums = csr_matrix((ones, (np.concatenate([correct, cells, cells]), columns)), (n_cells, 3 * n_classes))
    generator = np.random.Generator(np.random.PCG64(seed))
    step = max(1, CHUNK_CELLS // n_cells)
    parts = []
    for start in range(0, n_resamples, step):
        size = min(step, n_resamples - start)
        drawn = generator.multinomial(texts.sum(), texts / texts.sum(), size=size)
        parts.append(np.asarray(drawn @ sums, dtype=np.float64))
    tp, given, owned = np.split(np.concatenate(parts), 3, axis=1)
    return Counts(tp, given - tp, owned - tp)


def headline(counts: Counts, bands: Masks, counted: NDArray[np.bool_]) -> dict[str, Floats]:
    """The figures that get an interval, each of shape [...].

    Args:
        counts: [..., C].
        bands: mask [C] of each band.
        counted: classes that enter the means over classes, [..., C].
    """
    f1_C = f1(counts)
    values = {
        "accuracy": accuracy(counts),
        "macro_f1": mean_where(f1_C, counted),
        "balanced_accuracy": mean_where(recall(counts), counts.tp + counts.fn > 0),
    }
    return values | {name: mean_where(f1_C, counted & mask) for name, mask in bands.items()}


def bootstrap_intervals(
    confusion: ArrayLike, bands: Masks, n_resamples: int = 1000, seed: int = 0, unanswered: ArrayLike = 0
) -> dict[str, Interval]:
    """Compute the 95 % interval of every figure of ``headline``; see the top of this file for the method.

    Args:
        confusion: counts by true (rows) and predicted class, [C, C], at least one text.
        bands: mask [C] of each band.
        n_resamples: how many times the test set is drawn anew, at least 2.
        seed: seeds the draws.
        unanswered: texts of each true class that got no answer, [C].
    """
    # One column more, for texts without an answer; its row is empty, and neither enters a mean.
    matrix = np.pad(np.asarray(confusion), ((0, 1), (0, 1)))
    matrix[:-1, -1] = unanswered
    tp = np.diagonal(matrix).astype(np.float64)
    plain = _of_classes(Counts(tp, matrix.sum(axis=0) - tp, matrix.sum(axis=1) - tp))
    draws = _of_classes(resample(matrix, n_resamples, seed))
    # A class that the test set itself lacks counts 0 in the estimate, so it stays in every resample's means as well.
    kept = (draws.tp + draws.fn > 0) | (plain.tp + plain.fn == 0)
    estimates = headline(plain, bands, np.ones(len(matrix) - 1, dtype=bool))
    spreads = {name: values.std() for name, values in headline(draws, bands, kept).items()}
    return {name: logit_interval(float(estimates[name]), float(spreads[name])) for name in estimates}


def _of_classes(counts: Counts) -> Counts:
    return Counts(*(count[..., :-1] for count in counts))


def f1_interval(found: int, named: int) -> Interval:
    """95 % interval of one class's F1, which is wide where there are few texts and never empty.

    J = tp / (tp + fp + fn) is a share of texts, so Wilson's interval holds for it, and F1 is 2 J / (1 + J)
    (Lam 2023, arXiv 2309.14621, the indirect method).

    Args:
        found: tp, texts of the class that were given to it.
        named: tp + fp + fn, texts that are of the class or were given to it; 0 leaves everything open.
    """
    if named == 0:
        return 0.0, 1.0
    ends = binomtest(found, named).proportion_ci(0.95, "wilson")
    return 2 * ends.low / (1 + ends.low), 2 * ends.high / (1 + ends.high)


def logit_interval(estimate: float, deviation: float) -> Interval:
    """95 % interval around a share in [0, 1], normal on the logit scale: the delta method gives sd / (p (1 - p)).

    A share of exactly 0 or 1, or one that no resample moved, has no width: resampling cannot tell more.
    """
    if deviation == 0 or not 0 < estimate < 1:
        return estimate, estimate
    odds = np.log(estimate / (1 - estimate))
    half = Z_95 * deviation / (estimate * (1 - estimate))
    low, high = 1 / (1 + np.exp(-(odds + np.array([-half, half]))))
    return float(low), float(high)
