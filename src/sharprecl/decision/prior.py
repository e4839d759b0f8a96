"""The class prior that predictions assume: how frequent the classes will be in future texts."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.messages import names_phrase
from sharprecl.errors import ConfigError


def wanted_prior(
    prior: str | Mapping[str, float], label_names: Sequence[str], class_counts: NDArray[np.number]
) -> NDArray[np.float64] | None:
    """Shares of the classes, [C], that sum to 1; None for ``as_trained``.

    Args:
        prior: ``as_trained``, ``train`` (shares of the training texts), ``uniform``, or a share or count a label.
        label_names: C names.
        class_counts: training texts of each class.

    Raises:
        ConfigError: labels are missing, or not known.
    """
    if prior == "as_trained":
        return None
    if prior == "uniform":
        return np.full(len(label_names), 1 / len(label_names))
    if prior == "train":
        shares_C = np.asarray(class_counts, dtype=np.float64)
    else:
        assert isinstance(prior, Mapping)
        if missing := [name for name in label_names if name not in prior]:
            raise ConfigError(
                f"decision.prior gives no share for {names_phrase(missing)}; give one above 0 for every label, or "
                f"'train' or 'uniform'"
            )
        if strange := [name for name in prior if name not in label_names]:
            raise ConfigError(
                f"decision.prior has a share for {names_phrase(strange)}, which no training text is labelled with; "
                f"the labels are {names_phrase(list(label_names))}"
            )
        shares_C = np.array([prior[name] for name in label_names], dtype=np.float64)
    shares: NDArray[np.float64] = shares_C / shares_C.sum()
    return shares


def prior_shift(known_C: NDArray[np.floating], wanted_C: NDArray[np.floating]) -> NDArray[np.float64]:
    """The shift from scores for one prior to those for another: log Q_C - log P_C, mean 0 over the classes.

    By Bayes' rule P(c | x) is proportional to P(x | c) P_c, so P(c | x) Q_c / P_c is the answer where classes are as
    frequent as Q says and texts of a class look alike (Saerens et al., Neural Computation 2002).
    """
    shift_C: NDArray[np.float64] = np.log(wanted_C) - np.log(known_C)
    shift_C -= shift_C.mean()
    return shift_C
