"""What a batch of texts holds of each class on average: how many classes, who is alone, how many positive pairs.

The batch is ``B`` texts drawn without replacement from all N, each set of B equally likely; a batch size above N means
all texts, as training draws its batches. So the k_c texts of class c in it are hypergeometric, and everything here is
exact, not sampled.

An item of a batch is a view of one of its texts, or, where there are prototypes, the prototype of a class: class c has
m_c = V k_c items, and one more with prototypes. A positive pair is ordered: an anchor and another item, or a synthetic
positive, of its class.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sharprecl.errors import ConfigError, DataError

Counts = Sequence[int] | NDArray[np.integer]
Floats = NDArray[np.float64]


def presence(class_counts: Counts, batch_size: int) -> Floats:
    """Chance [C] that a batch has at least one text of the class.

    Args:
        class_counts: texts of each class, [C].
        batch_size: B, at least 1.

    Raises:
        ConfigError: a batch size below 1.
        DataError: no class has a text, or a count is negative.
    """
    count_C, total, drawn = _checked(class_counts, batch_size)
    return -np.expm1(_log_chance_of_none(count_C, total, drawn))


def expected_classes(class_counts: Counts, batch_size: int) -> float:
    """Mean number of classes with at least one text in a batch; arguments and errors as of ``presence``."""
    return float(presence(class_counts, batch_size).sum())


def chance_alone(class_counts: Counts, batch_size: int) -> Floats:
    """Chance [C] that a text of the class that is in a batch meets no other text of its class there.

    With one view it is then an anchor without a positive. It is 1 for a class of one text and for batches of one text,
    and NaN for a class that has none. Arguments and errors as of ``presence``.
    """
    count_C, total, drawn = _checked(class_counts, batch_size)
    alone_C = np.exp(_log_chance_of_none(np.maximum(count_C - 1, 0), total - 1, drawn - 1))
    return np.where(count_C > 0, alone_C, np.nan)


def expected_pairs(
    class_counts: Counts, batch_size: int, views: int = 1, prototypes: bool = False, n_pos: int = 0
) -> Floats:
    """Mean number [C] of ordered positive pairs of the class in a batch: ``E[m_c (m_c - 1 + n_pos)]``.

    Args:
        class_counts, batch_size: as of ``presence``, with its errors.
        views: V, of each text.
        prototypes: whether every batch has one prototype of every class.
        n_pos: synthetic positives that every anchor is given, SharpReCL's rebalancing.
    """
    count_C, total, drawn = _checked(class_counts, batch_size)
    text_C = drawn * count_C / total
    # E[k (k - 1)]: each of the n (n - 1) ordered pairs of texts is in the batch with the same chance.
    pair_C = text_C * ((drawn - 1) * np.maximum(count_C - 1, 0) / max(total - 1, 1))
    # With p for 0 or 1 prototype, m (m - 1) = V^2 k (k - 1) + V (V + 2 p - 1) k, for p^2 = p.
    item_C = views * text_C + prototypes
    return views**2 * pair_C + views * (views + 2 * prototypes - 1) * text_C + n_pos * item_C


def expected_anchors(
    class_counts: Counts, batch_size: int, views: int = 1, prototypes: bool = False, n_pos: int = 0
) -> Floats:
    """Mean number [C] of items of the class in a batch that have a positive: its weight in a loss that averages over
    each anchor's positives, and then over anchors. Arguments and errors as of ``expected_pairs``."""
    count_C, total, drawn = _checked(class_counts, batch_size)
    text_C = drawn * count_C / total
    if n_pos > 0:
        return views * text_C + prototypes
    if prototypes:  # A prototype's own positives are the texts, where there are any.
        return views * text_C + presence(count_C, batch_size)
    if views > 1:
        return views * text_C
    log_alone_C = _log_chance_of_none(np.maximum(count_C - 1, 0), total - 1, drawn - 1)
    return text_C * -np.expm1(log_alone_C)


def largest_over_smallest(value_C: Floats) -> float | None:
    """The largest of the classes' expected pairs or anchors over the smallest above 0; None where all are 0.

    A class without any, such as one of a single text, learns nothing here and does not count.
    """
    some = value_C[value_C > 0]
    return float(some.max() / some.min()) if len(some) else None


def _checked(class_counts: Counts, batch_size: int) -> tuple[NDArray[np.int64], int, int]:
    """The counts, N, and the texts of a batch."""
    if batch_size < 1:
        raise ConfigError(f"the batch size must be at least 1, but it is {batch_size}")
    count_C = np.asarray(class_counts, dtype=np.int64)
    if (count_C < 0).any():
        raise DataError(f"a class has {count_C.min()} texts; give the number of texts of each class, 0 or more")
    total = int(count_C.sum())
    if total == 0:
        raise DataError("a table without texts has no batches; give at least one text")
    return count_C, total, min(batch_size, total)


def _log_chance_of_none(count_C: NDArray[np.int64], total: int, drawn: int) -> Floats:
    """Log of the chance [C] that ``drawn`` of ``total`` texts have none of a class; -inf where some must be drawn.

    ``C(N - n, B) / C(N, B)`` is the product over i < min(n, B) of ``1 - max(n, B) / (N - i)``. Its sum of logarithms is
    exact to the last digits; log-gamma functions of a million texts lose seven of them. Classes of one size are
    computed once, and different sizes add up to N at most, so a million classes take no longer than a million texts.
    """
    size_U, place_C = np.unique(count_C, return_inverse=True)
    log_U = np.full(len(size_U), -np.inf)
    for place, size in enumerate(size_U.tolist()):
        if size + drawn <= total:
            left = total - np.arange(min(size, drawn), dtype=np.float64)
            log_U[place] = np.log1p(-max(size, drawn) / left).sum()
    chance_C: Floats = log_U[place_C]
    return chance_C
