"""What scores decide, for one text a row."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.classifier import TextClassifier
from sharprecl.training.inference import answers, softmax


@dataclass(frozen=True)
class Answers:
    """Of N texts and C classes.

    Attributes:
        class_ids_N: -1 is no answer.
        confidence_N: probability of the answered class.
        probabilities_NC: calibrated.
        abstained_N: the class is the best guess, but the confidence is below the user's bar.
        sets_NC: or None where no sets were asked for.
    """

    class_ids_N: NDArray[np.int64]
    confidence_N: NDArray[np.float64]
    probabilities_NC: NDArray[np.float64]
    abstained_N: NDArray[np.bool_]
    sets_NC: NDArray[np.bool_] | None


def answers_of(classifier: TextClassifier, scores_NC: NDArray[np.float32]) -> Answers:
    """What the classifier makes of its scores."""
    del classifier
    chances = softmax(scores_NC)
    return Answers(answers(scores_NC), chances.max(1), chances, np.zeros(len(scores_NC), dtype=bool), None)
