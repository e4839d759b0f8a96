"""Class-balanced sampling: draw a class uniformly, however rare, then a text of it uniformly.

So a text of class c is drawn with probability 1 / (C n_c), or where texts have weights by its share of its class's.
Sources: Wang et al., CVPR 2021 (Hybrid-SC), and Kang et al., ICLR 2020.
"""

import numpy as np
from numpy.typing import NDArray


def class_balanced_rows(
    label_ids: NDArray[np.int64], count: int, rng: np.random.Generator, weight_N: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Draw ``count`` row numbers with replacement.

    Args:
        label_ids: of all texts, at least one; a class that has none of them is never drawn.
        count: how many to draw.
        rng: draws.
        weight_N: of the texts, all above 0; None: all alike.
    """
    _, size_C = np.unique(label_ids, return_counts=True)
    order_N = np.argsort(label_ids, kind="stable")
    start_C = np.cumsum(size_C) - size_C
    class_S = rng.integers(len(size_C), size=count)
    rows_S: NDArray[np.int64]
    if weight_N is None or (weight_N == weight_N[0]).all():
        rows_S = order_N[start_C[class_S] + rng.integers(size_C[class_S])]
        return rows_S
    # The classes' weights lie end to end; a point of a class's part lies in the part of one of its texts.
    end_N = np.cumsum(weight_N[order_N])
    first_S, last_S = start_C[class_S], start_C[class_S] + size_C[class_S] - 1
    begin_S = end_N[first_S] - weight_N[order_N][first_S]
    point_S = begin_S + rng.random(count) * (end_N[last_S] - begin_S)
    rows_S = order_N[np.searchsorted(end_N, point_S, side="right").clip(first_S, last_S)]
    return rows_S
