"""Weights of training texts: what ``sample_weight`` and ``class_weight`` amount to.

A weight is a number of repeats: a text of weight 2 means what two equal rows mean, and one of weight 0 is left out. So
the classes' shares are those of the weights, and texts are drawn by them (``resampling.py``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.data.messages import closest, names_phrase, rows_phrase
from sharprecl.errors import ConfigError, DataError

ClassWeight = Literal["balanced"] | Mapping[Any, float]


def checked_weights(sample_weight: ArrayLike, num_texts: int) -> NDArray[np.float64]:
    """Weights of N texts, at least one of them above 0.

    Raises:
        DataError: they are no N finite numbers of 0 or more, or all are 0.
    """
    try:
        weight_N = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight holds something that is no number ({error}); give one a text") from error
    if weight_N.shape != (num_texts,):
        raise DataError(
            f"sample_weight has the shape {weight_N.shape} for {num_texts:,} texts; give one number for each text"
        )
    if len(wrong := np.flatnonzero(~(np.isfinite(weight_N) & (weight_N >= 0)))):
        raise DataError(
            f"sample_weight of {rows_phrase(wrong.tolist())} is negative or not finite ({weight_N[wrong[0]]}); give "
            f"numbers of 0 or more"
        )
    if not weight_N.any():
        raise DataError("every sample_weight is zero, so no text is left to train on; give some text a weight above 0")
    return weight_N


def class_weights(
    class_weight: ClassWeight, labels: Sequence[Any], label_ids: NDArray[np.int64], weight_N: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The weight of each class, [C].

    Args:
        class_weight: ``balanced`` gives every class the same sum of weights, their mean over the texts 1; or a number
            above 0 for some labels, 1 for the others.
        labels: C of them, in the order of their ids.
        label_ids: of N texts.
        weight_N: weights that the texts have already; None: all 1.

    Raises:
        ConfigError: it is neither, or names an unknown label.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        count_C = np.bincount(label_ids, weights=weight_N, minlength=len(labels))
        balanced_C: NDArray[np.float64] = count_C.sum() / (len(labels) * count_C)
        return balanced_C
    if not isinstance(class_weight, Mapping):
        raise ConfigError(f"class_weight is {class_weight!r}; give 'balanced', a weight for each label, or None")
    if strange := [label for label in class_weight if label not in labels]:
        raise ConfigError(
            f"class_weight names {names_phrase(strange)}, which no training text is labelled with"
            f"{closest(str(strange[0]), map(str, labels))}; the labels are {names_phrase(labels)}"
        )
    if wrong := [label for label, weight in class_weight.items() if not 0 < weight < np.inf]:
        raise ConfigError(f"class_weight of {names_phrase(wrong)} is not above 0; leave out texts that must not count")
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=np.float64)
