"""A test set drawn anew, and the metric of several rows of answers on each draw."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_matrix

from sharprecl.evaluation.metrics import Counts, Floats
from sharprecl.evaluation.significance.answers import Ids

Metric = Callable[[Counts], Floats]
CHUNK_CELLS = 4_000_000  # numbers held in memory at once: 32 MB


class Resampler:
    """J rows of answers to the same N items, scored together.

    Items with the same truth and answers are alike, so only their numbers matter: fast, and blind to their order.

    Args:
        true_N: true class ids.
        answers_JN: predicted class ids, -1 for none.
        n_classes: C.
        metric: maps counts [..., C] to [...].
    """

    def __init__(self, true_N: Ids, answers_JN: Ids, n_classes: int, metric: Metric) -> None:
        patterns, self._sizes = np.unique(np.vstack([true_N, answers_JN]), axis=1, return_counts=True)
        self._scored = _Scorer(patterns[0], patterns[1:], n_classes, metric)
        self._cells_each = max(len(true_N), 2 * n_classes * len(answers_JN))

    def scores(self) -> Floats:
        """The metric of each row on the items as they are, [J]."""
        return np.asarray(self._scored(self._sizes[None].astype(np.float64))[0])

    def draws(self, n_resamples: int, generator: np.random.Generator) -> Iterator[Floats]:
        """The metric on test sets of N items drawn with replacement, the same for all rows: pieces of [R, J]."""
        step = max(1, CHUNK_CELLS // self._cells_each)
        for start in range(0, n_resamples, step):
            yield self._scored(self._item_weights(min(step, n_resamples - start), generator))

    def _item_weights(self, n_resamples: int, generator: np.random.Generator) -> Floats:
        """How many of the drawn items have each pattern, [R, P]; a multinomial, but several times faster."""
        pattern_N = np.repeat(np.arange(len(self._sizes)), self._sizes)
        drawn = pattern_N[generator.integers(len(pattern_N), size=(n_resamples, len(pattern_N)))]
        cells = drawn + np.arange(n_resamples)[:, None] * len(self._sizes)
        counts = np.bincount(cells.ravel(), minlength=n_resamples * len(self._sizes))
        return counts.reshape(n_resamples, len(self._sizes)).astype(np.float64)


class _Scorer:
    """The metric of J rows of answers on R reweighted test sets: weights [R, P] of the patterns in, [R, J] out."""

    def __init__(self, true_P: Ids, answers_JP: Ids, n_classes: int, metric: Metric) -> None:
        n_rows, n_patterns = answers_JP.shape
        columns = []
        for kept in (answers_JP == true_P, answers_JP >= 0):
            row, pattern = np.nonzero(kept)
            columns.append((pattern, row * n_classes + answers_JP[row, pattern]))
        tp, given = (
            csr_matrix((np.ones(len(pattern)), (pattern, column)), (n_patterns, n_rows * n_classes))
            for pattern, column in columns
        )
        owned = csr_matrix((np.ones(n_patterns), (np.arange(n_patterns), true_P)), (n_patterns, n_classes))
        self._sums, self._shape, self._metric = (tp, given, owned), (n_rows, n_classes), metric

    def __call__(self, weights: Floats) -> Floats:
        tp, given, owned = (np.asarray(weights @ sums) for sums in self._sums)
        tp, given = (sums.reshape(len(weights), *self._shape) for sums in (tp, given))
        return self._metric(Counts(tp, given - tp, owned[:, None] - tp))
