"""A test set drawn anew, and the metric of several rows of answers on each draw."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import Counts, Floats, checked_ids

Metric = Callable[[Counts], Floats]
CHUNK_CELLS = 4_000_000  # numbers held in memory at once: 32 MB


class Resampler:
    """J rows of answers to the same N items, scored together.

    Items with the same truth and answers are alike, so only their numbers matter: fast, and blind to their order.

    Args:
        gold: true class ids in [0, n_classes), [N].
        rows: predicted class ids, J arrays [N]; -1 is no answer, which is wrong.
        n_classes: C.
        metric: of ``evaluation.metrics``, or any other that maps counts [..., C] to [...].
        weights_C: what an item of each true class counts; None: all alike.

    Raises:
        DataError: no items, shapes that do not fit together, or ids outside the classes.
    """

    def __init__(
        self,
        gold: ArrayLike,
        rows: Sequence[NDArray[Any]],
        n_classes: int,
        metric: Metric,
        weights_C: Floats | None = None,
    ) -> None:
        true_N = np.asarray(gold)
        if true_N.ndim != 1 or true_N.size == 0:
            raise DataError(
                f"the true labels have shape {true_N.shape}; give one class id for each of at least one test item"
            )
        for row in rows:
            if row.shape != true_N.shape:
                raise DataError(
                    f"the answers have shape {row.shape} but there are {len(true_N)} true labels, so they belong to "
                    "different test sets; give one answer for each test item, one row a seed"
                )
        true_N = checked_ids(true_N, "true labels", 0, n_classes)
        answers_JN = checked_ids(np.stack(rows), "answers", -1, n_classes)
        patterns, self._sizes = np.unique(np.vstack([true_N, answers_JN]), axis=1, return_counts=True)
        true_P, answers_JP = patterns[0], patterns[1:]
        self._counts_P = np.ones(len(true_P)) if weights_C is None else weights_C[true_P]
        self._shape, self._metric = (len(answers_JP), n_classes), metric
        self._cells_each = max(len(true_N), 2 * n_classes * len(answers_JP))

        def sums_of(kept: NDArray[np.bool_]) -> csr_matrix:
            row, pattern = np.nonzero(kept)
            cells = (pattern, row * n_classes + answers_JP[row, pattern])
            return csr_matrix((np.ones(len(row)), cells), (len(true_P), len(answers_JP) * n_classes))

        cells = (np.arange(len(true_P)), true_P)
        owned = csr_matrix((np.ones(len(true_P)), cells), (len(true_P), n_classes))
        self._sums = sums_of(answers_JP == true_P), sums_of(answers_JP >= 0), owned

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

    def _scored(self, weights_RP: Floats) -> Floats:
        """The metric of each row on reweighted test sets, [R, J]."""
        tp, given, owned = (np.asarray((weights_RP * self._counts_P) @ sums) for sums in self._sums)
        tp, given = (sums.reshape(len(weights_RP), *self._shape) for sums in (tp, given))
        return self._metric(Counts(tp, given - tp, owned[:, None] - tp))
