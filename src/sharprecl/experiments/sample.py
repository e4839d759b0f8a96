"""A stratified sample of test texts, the same for every method, seed and order of rows."""

import hashlib

import numpy as np

from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError


def sample_test(table: TextTable, cap: int) -> TextTable:
    """Keep at most ``cap`` texts, each class by its share, in the table's order.

    Every class that has texts keeps one, if the cap allows for all of them: a class without any could only count 0.
    Within a class, texts rank by a hash of their own.

    Raises:
        ConfigError: a cap below 1.
    """
    if cap < 1:
        raise ConfigError(f"the test texts cannot be capped at {cap}; the least is 1")
    if len(table) <= cap:
        return table
    quotas = _quotas(table.class_counts, cap)
    ranked = sorted((hashlib.sha256(text.encode()).digest(), row) for row, text in enumerate(table.texts))
    kept = []
    for _, row in ranked:
        label = table.label_ids[row]
        if quotas[label]:
            quotas[label] -= 1
            kept.append(row)
    return table.select(sorted(kept))


def _quotas(counts: np.ndarray, cap: int) -> np.ndarray:
    """Texts of each class, [C]: largest remainders, of equal ones the class with the lower number first."""
    sure = (counts > 0).astype(np.int64)
    if sure.sum() > cap:
        sure[:] = 0
    rest = counts - sure
    # In whole numbers, so that every machine rounds alike.
    share = (cap - sure.sum()) * rest
    quotas = np.asarray(sure + share // rest.sum())
    first = np.argsort(-(share % rest.sum()), kind="stable")[: cap - quotas.sum()]
    quotas[first] += 1
    return quotas
