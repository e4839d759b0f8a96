"""One trial: a configuration in, out-of-fold answers and what they are worth out."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sharprecl.classifier.training import backend_of
from sharprecl.config import RunConfig
from sharprecl.data.folds import Fold
from sharprecl.data.tables import TextTable
from sharprecl.decision import HeldOut, learn
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.evaluation.metrics import Counts, confusion_matrix, counts_of, f1, macro_f1
from sharprecl.training.history import Callback, Record, TrainingSpeed
from sharprecl.training.job import TrainingJob
from sharprecl.training.out_of_fold import out_of_fold

AfterFold = Callable[[int, dict[int, float]], None]
"""Is told of a fold's place, and the F1 in it of every class that has texts there; what it raises ends the trial."""


@dataclass(frozen=True, eq=False)
class Trial:
    """What is to be tried.

    Attributes:
        config: its seed deals the folds and trains, ``training.folds`` says how many there are.
        folder: keeps what is finished of it, so that the same trial goes on from there; None keeps nothing.
        weights_C: what a held-out text of each class counts; None: all alike.
    """

    name: str
    table: TextTable
    config: RunConfig
    folder: Path | None
    device: str = "auto"
    weights_C: NDArray[np.float64] | None = None

    def score(self, found: Evaluation) -> float:
        """Macro-F1 of its answers, weighted."""
        return float(macro_f1(self.counted(found.confusion)))

    def counted(self, confusion_CC: NDArray[np.int64]) -> Counts:
        """Answers by true (rows) and given class, weighted."""
        return counts_of(confusion_CC if self.weights_C is None else confusion_CC * self.weights_C[:, None])


def run_trial(trial: Trial, watching: Callback, after_fold: AfterFold = lambda *_: None) -> Evaluation:
    """Train once a fold and judge all answers together, in the table's order, as ``trial.config.decision`` decides.

    Raises:
        SharpReCLError: data, settings, assets or disk do not allow it; ``DivergedError``: it ran away.
    """
    table, config = trial.table, trial.config

    def tell(place: int, fold: Fold, s_MC: np.ndarray) -> None:
        # A few texts are not enough to learn a decision from.
        if not config.decision.learns:
            after_fold(place, _f1_of_classes(trial, fold.held, s_MC))

    number = config.training.folds
    assert number != "auto"
    job = TrainingJob(
        table, config, _OfTrial(watching, trial.name), output=trial.folder, resume=True, device=trial.device
    )
    found = out_of_fold(job, number, tell)
    assert found is not None, "a class has two texts: seen before the search"
    answers_M, order = _answers(table, config, found.rows, found.s_MC), np.argsort(found.rows)
    gold_M = table.label_ids[found.rows]
    return evaluate(gold_M[order], answers_M[order], table.class_counts, table.label_names)


def _answers(table: TextTable, config: RunConfig, rows_M: np.ndarray, s_MC: np.ndarray) -> np.ndarray:
    known_C = backend_of(config.method).answered_prior(table.weighted_counts, config.method)
    weight_M = np.ones(len(rows_M)) if table.weights is None else table.weights[rows_M]
    held_out = HeldOut(s_MC, table.label_ids[rows_M], weight_M)
    learned = learn(config.decision, table.label_names, table.natural_counts, known_C, held_out)
    return learned.policy.answers(learned.decision.apply(s_MC)).class_ids_N


def _f1_of_classes(trial: Trial, rows_M: np.ndarray, s_MC: np.ndarray) -> dict[int, float]:
    true_M, answers_M = trial.table.label_ids[rows_M], _answers(trial.table, trial.config, rows_M, s_MC)
    f1_C = f1(trial.counted(confusion_matrix(true_M, answers_M, trial.table.num_classes)))
    return {int(label): float(f1_C[label]) for label in np.unique(true_M)}


class _OfTrial(Callback):
    """Passes on the steps of a trial under its name: its notes are those of the training that follows the search."""

    def __init__(self, whole: Callback, name: str) -> None:
        self._whole, self._name = whole, name

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self._whole.on_record({**record, "fold": f"{self._name}, {record['fold']}"}, speed)
