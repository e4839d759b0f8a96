"""The class shares for which settings are judged.

Held-out texts are mixed as the training texts are. Compensated scores answer for another mix, in which rare classes are
more frequent: judged on the texts as they are, a search undoes the compensation, by longer training if by nothing else.
So each text counts as often as its class is expected; thresholds are learnt so too (``decision.learning``).
"""

import numpy as np
from numpy.typing import NDArray

from sharprecl.classifier.training import backend_of
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.decision import check_decision, wanted_prior


def mix_weights(table: TextTable, config: RunConfig) -> NDArray[np.float64] | None:
    """What a held-out text of each class counts, [C]; None where all count alike.

    Args:
        config: says what is expected: ``decision.prior``, else what the method's scores answer for.

    Raises:
        ConfigError: answers for what is expected cannot be had of the method.
    """
    names, counts_C, asked = table.label_names, table.natural_counts, config.decision
    known_C = backend_of(config.method).answered_prior(table.weighted_counts, config.method)
    check_decision(asked, config.method.name, names, counts_C, known_C is not None)
    wanted_C = wanted_prior(asked.prior, names, counts_C)
    # What is learnt from held-out texts answers for these.
    if wanted_C is None and not asked.learns:
        wanted_C = known_C
    if wanted_C is None:
        return None
    weights_C: NDArray[np.float64] = wanted_C / (counts_C / counts_C.sum())
    return None if np.allclose(weights_C, 1) else weights_C


def mix_sentence(table: TextTable, weights_C: NDArray[np.float64] | None) -> str:
    """How held-out texts are weighted, in words; empty where all count alike."""
    if weights_C is None:
        return ""
    counts_C = table.natural_counts
    here, there = (shares_C.max() / shares_C.min() for shares_C in (counts_C, counts_C * weights_C))
    return (
        f"held-out texts are weighted to the class shares that the answers are for: the most frequent class is "
        f"{there:.1f} times as frequent as the rarest, in these texts {here:.1f} times; --prior names other shares"
    )
