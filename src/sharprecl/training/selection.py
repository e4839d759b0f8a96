"""Which epoch is kept: the one with the best answers on held-out texts, and when to stop looking for a better one."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from sharprecl.decision import softmax
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, macro_f1


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


class Selection:
    """The best epoch so far.

    Args:
        patience: epochs without a better one before stopping; None never stops.
        least_epochs: epochs before patience is lost.

    Attributes:
        epoch: the one to keep, counted from 0.
        best: its weights; None where nothing was validated.
        best_is_new: they changed since the last checkpoint.
    """

    def __init__(self, patience: int | None, least_epochs: int) -> None:
        self.patience, self.least_epochs = patience, least_epochs
        self.epoch, self.stale_epochs = -1, 0
        self.score = (-1.0, -1.0)
        self.best: dict[str, Any] | None = None
        self.best_is_new = False

    def judge(
        self, scores_NC: np.ndarray, truth_N: np.ndarray, epoch: int, weights: Callable[[], dict[str, Any]]
    ) -> tuple[dict[str, float], bool]:
        """The figures of an epoch, and whether it is the best so far.

        Ties of macro-F1 are broken by accuracy. The loss would not do: bare logits of a method that compensates for the
        prior are meant for another one than the validation texts have.
        """
        figures = validation_figures(scores_NC, truth_N)
        score = figures["macro_f1"], figures["accuracy"]
        better = score > self.score
        if better:
            self.score, self.epoch, self.stale_epochs = score, epoch, 0
            self.best, self.best_is_new = _clone(weights()), True
        elif epoch >= self.least_epochs:
            self.stale_epochs += 1
        return figures, better

    @property
    def out_of_patience(self) -> bool:
        """Whether too many epochs in a row were no better."""
        return self.patience is not None and self.best is not None and self.stale_epochs >= self.patience

    def state_dict(self) -> dict[str, Any]:
        """All that a checkpoint needs, but for the weights."""
        return {"epoch": self.epoch, "stale_epochs": self.stale_epochs, "score": list(self.score)}

    def load_state_dict(self, state: dict[str, Any], best: dict[str, Any] | None) -> None:
        """Go on from a checkpoint."""
        self.epoch, self.stale_epochs = state["epoch"], state["stale_epochs"]
        macro, right = state["score"]
        self.score, self.best = (macro, right), best


def _clone(state: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _clone(value)
        if isinstance(value, dict)
        else value.detach().to("cpu", copy=True)
        if isinstance(value, torch.Tensor)
        else value
        for name, value in state.items()
    }
