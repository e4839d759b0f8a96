"""Class-balanced sampling: draw a class uniformly, however rare, then a text of it uniformly.

So a text of class c is drawn with probability 1 / (C n_c). Sources: Wang et al., CVPR 2021 (Hybrid-SC), and Kang et
al., ICLR 2020.
"""

import numpy as np
from numpy.typing import NDArray


def class_balanced_rows(label_ids: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ``count`` row numbers with replacement.

    Args:
        label_ids: of all texts, at least one; a class that has none of them is never drawn.
        count: how many to draw.
        rng: draws.
    """
    _, size_C = np.unique(label_ids, return_counts=True)
    order_N = np.argsort(label_ids, kind="stable")
    start_C = np.cumsum(size_C) - size_C
    class_S = rng.integers(len(size_C), size=count)
    rows: NDArray[np.int64] = order_N[start_C[class_S] + rng.integers(size_C[class_S])]
    return rows
