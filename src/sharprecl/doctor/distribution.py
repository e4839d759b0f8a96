"""How the texts fall into classes: counts, and the numbers that say how skewed they are."""

import numpy as np

from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.data.tables import TextTable
from sharprecl.doctor.diagnosis import Distribution

FEW = 10
"""Classes below it are rare: a tenth held out leaves no text to judge them by."""


def distribution(table: TextTable, test: TextTable | None = None) -> Distribution:
    """Count the texts of each class. Names without a training text do not count as classes.

    ``effective_classes`` is the Hill number of order 1 (Hill, 1973); ``gini`` is the mean absolute difference of two
    class sizes over twice their mean.

    Raises:
        DataError: the table has no text.
    """
    ratio = imbalance_ratio(table.class_counts)
    counts = _by_size(table)
    sizes = np.array(list(counts.values()), dtype=np.float64)
    shares = sizes / sizes.sum()
    # Sizes fall, so the largest has rank 0: the mean difference is a weighted sum, without a pair being formed.
    ranks = np.arange(len(sizes))
    return Distribution(
        counts=counts,
        test_counts={} if test is None else _by_size(test),
        imbalance_ratio=ratio,
        effective_classes=float(np.exp(-(shares * np.log(shares)).sum())),
        gini=float((shares * (len(sizes) - 1 - 2 * ranks)).sum() / len(sizes)),
        single=int((sizes == 1).sum()),
        pairs=int((sizes == 2).sum()),
        under_ten=int((sizes < FEW).sum()),
    )


def _by_size(table: TextTable) -> dict[str, int]:
    """Texts by class name, largest class first, equal ones in the order of their names' ids."""
    counts = table.class_counts
    order = np.argsort(-counts, kind="stable")
    return {table.label_names[place]: int(counts[place]) for place in order.tolist() if counts[place]}
