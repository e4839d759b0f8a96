"""Skewed samples of a table, and the number that says how skewed one is."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sharprecl.data.checks import training_notes
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError


def cap_per_class(table: TextTable, cap: int, seed: int) -> TextTable:
    """Keep at most ``cap`` texts of each class of a training table, in the table's order.

    Texts are ranked by a hash of seed and text. So the choice depends neither on the order of the rows nor on
    other classes, and what a smaller cap keeps, a larger one keeps as well. The notes are those of the sample; rows
    that they name are rows of ``table``.

    Raises:
        ConfigError: a cap below 1.
    """
    if cap < 1:
        raise ConfigError(f"a class cannot be capped at {cap} texts; the least is 1")
    ranked: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
    for row, (text, label) in enumerate(zip(table.texts, table.label_ids.tolist(), strict=True)):
        ranked[label].append((hashlib.sha256(f"{seed}\0{text}".encode()).digest(), row))
    kept = sorted(row for members in ranked.values() for _, row in sorted(members)[:cap])
    sample = table.select(kept)
    return replace(sample, notes=training_notes(sample.texts, sample.label_ids, sample.label_names, rows=kept))


def imbalance_ratio(counts: Sequence[int] | np.ndarray) -> float:
    """Texts of the largest class over texts of the smallest one; classes without a text do not count.

    Raises:
        DataError: no class has a text.
    """
    present = np.asarray(counts)[np.asarray(counts) > 0]
    if not len(present):
        raise DataError("the imbalance ratio of a table without texts is undefined; give at least one text")
    return float(present.max() / present.min())
