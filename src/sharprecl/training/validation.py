"""The figures of texts that were held out."""

import numpy as np

from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, macro_f1
from sharprecl.training.inference import softmax


def validation_figures(scores_NC: np.ndarray, truth_N: np.ndarray) -> dict[str, float]:
    """Macro-F1 and accuracy of the answers, and the mean log-loss of the softmax of the scores.

    Args:
        scores_NC: what the method answers with.
        truth_N: label ids.
    """
    counts = counts_of(confusion_matrix(truth_N, scores_NC.argmax(1), scores_NC.shape[1]))
    chances_N = softmax(scores_NC)[np.arange(len(truth_N)), truth_N]
    return {
        "macro_f1": float(macro_f1(counts)),
        "accuracy": float(accuracy(counts)),
        "loss": float(-np.log(np.maximum(chances_N, 1e-30)).mean()),
    }
