"""Weights of the classes in a classification loss: a rare class's text counts for more.

Sources: Cui et al., CVPR 2019, for the effective number of texts and for weights that sum to C.
"""

from torch import Tensor

from sharprecl.config.methods import ClassWeight
from sharprecl.losses.anchor_weights import anchor_weights
from sharprecl.losses.class_counts import positive_counts


def classification_weights(kind: ClassWeight, counts_C: Tensor, beta: float = 0.9999) -> Tensor:
    """Weight of every class, float64; the weights sum to C, so that equal classes weigh 1.

    Args:
        kind: ``inverse_frequency``: proportional to 1 / n_c.
            ``effective_number``: proportional to (1 - beta) / (1 - beta^n_c). New texts of a large class tell little
            that is new; far below 1 / (1 - beta) texts it is the inverse frequency.
        counts_C: training texts of each class, all at least 1.
        beta: of the effective number; 0 weighs all classes alike.
    """
    w_C = 1 / positive_counts(counts_C) if kind == "inverse_frequency" else anchor_weights(kind, counts_C, beta)
    return w_C * (len(w_C) / w_C.sum())
