"""Classes grouped by how often they occur in training: a mean over all of them hides who pays for the rare ones."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.evaluation.metrics import Floats

HEAD_OVER = 100
TAIL_UNDER = 20
BANDS = ("head", "medium", "tail")


@dataclass(frozen=True)
class BandScore:
    """Macro-F1 within one frequency band.

    Attributes:
        macro_f1: mean F1 of the band's classes in the whole confusion matrix; None where the band has no classes or
            no test texts, so that nothing can be said.
        n_classes: classes of the band.
        n_texts: test texts of those classes.
    """

    macro_f1: float | None
    n_classes: int
    n_texts: int


def band_masks(train_counts: ArrayLike) -> dict[str, NDArray[np.bool_]]:
    """Which classes are head (over 100 training texts), medium (20 to 100) and tail (under 20), each mask [C]."""
    counts = np.asarray(train_counts)
    head, tail = counts > HEAD_OVER, counts < TAIL_UNDER
    return {"head": head, "medium": ~head & ~tail, "tail": tail}


def band_scores(f1_C: Floats, test_counts: ArrayLike, train_counts: ArrayLike) -> dict[str, BandScore]:
    """Score every band.

    Args:
        f1_C: F1 of each class in the whole confusion matrix.
        test_counts: test texts of each class, [C].
        train_counts: training texts of each class, [C].
    """
    tests = np.asarray(test_counts)
    scores = {}
    for name, mask in band_masks(train_counts).items():
        n_texts = int(tests[mask].sum())
        scores[name] = BandScore(float(f1_C[mask].mean()) if n_texts else None, int(mask.sum()), n_texts)
    return scores
