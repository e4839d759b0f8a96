"""Skewed samples of a table, and the number that says how skewed one is."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from sharprecl.data.checks import training_notes
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, DataError

Profile = Literal["exponential", "geometric_step"]


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
    return _keep_first(table, np.full(table.num_classes, cap), seed)


def imbalanced_subset(table: TextTable, ratio: float, profile: Profile = "exponential", seed: int = 0) -> TextTable:
    """Make a training table as skewed as ``imbalance_profile`` says, its classes in their order of size.

    A class never falls under one text. Where it has fewer texts than the profile asks for, all are kept, and the sample
    may be more skewed than asked for; its notes say so. Texts are chosen as in ``cap_per_class``: what a
    ratio keeps, a smaller one keeps as well.

    Args:
        table: training texts, every class with at least one.
        ratio: texts of the largest class over texts of the smallest one, at least 1.
        profile: see ``imbalance_profile``.
        seed: of the choice of texts.

    Raises:
        ConfigError: a ratio below 1.
    """
    counts = table.class_counts
    order = np.argsort(-counts, kind="stable")
    caps = np.empty(len(counts), dtype=np.int64)
    caps[order] = np.maximum(1, imbalance_profile(counts[order].tolist(), ratio, profile))
    sample = _keep_first(table, caps, seed)
    achieved = imbalance_ratio(sample.class_counts)
    if achieved < ratio * 1.1 and achieved > ratio / 1.1:
        return sample
    note = f"the imbalance ratio is {achieved:.1f}, not {ratio:g}: the data does not allow the {profile} profile"
    return replace(sample, notes=(*sample.notes, note))


def imbalance_profile(sorted_counts: Sequence[int], ratio: float, profile: Profile = "exponential") -> list[int]:
    """Texts of each class, largest first, capped by what is there.

    ``exponential`` is ``int(n_max * ratio^(-i / (C - 1)))`` for class i (Cui et al., CVPR 2019), whose largest and
    smallest class differ by the ratio. ``geometric_step`` divides by the ratio at every class, as the example in
    the SharpReCL paper does; with more than a few classes it ends at 0.

    Raises:
        ConfigError: a ratio below 1.
    """
    if not ratio >= 1:
        raise ConfigError(
            f"the imbalance ratio is {ratio:g}, but it is the largest class over the smallest: at least 1"
        )
    last = max(1, len(sorted_counts) - 1)
    exponent = 1.0 / last if profile == "exponential" else 1.0
    # The tolerance keeps a product of exactly a whole number from falling to the one below.
    return [min(n, int(sorted_counts[0] * ratio ** (-i * exponent) + 1e-9)) for i, n in enumerate(sorted_counts)]


def _keep_first(table: TextTable, caps: np.ndarray, seed: int) -> TextTable:
    """Keep of each class the texts that rank first by a hash, in the table's order."""
    ranked: dict[int, list[tuple[bytes, int]]] = defaultdict(list)
    for row, (text, label) in enumerate(zip(table.texts, table.label_ids.tolist(), strict=True)):
        ranked[label].append((hashlib.sha256(f"{seed}\0{text}".encode()).digest(), row))
    kept = sorted(row for label, members in ranked.items() for _, row in sorted(members)[: caps[label]])
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
