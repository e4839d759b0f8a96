"""One call that judges predictions, and the value that it returns."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sharprecl.errors import DataError
from sharprecl.evaluation import metrics
from sharprecl.evaluation.bands import BandScore, band_masks, band_scores
from sharprecl.evaluation.intervals import Interval, bootstrap_intervals, f1_interval


@dataclass(frozen=True)
class ClassRow:
    """How one class fares. ``precision``, ``recall`` and ``f1`` are shares in [0, 1]; 0/0 is 0."""

    name: str
    train_count: int
    test_count: int
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a set of predictions is worth. All shares are in [0, 1].

    Attributes:
        accuracy: share of the texts that got their class.
        macro_f1: mean F1 over all C classes.
        balanced_accuracy: mean recall over the classes that occur in the test.
        bands: ``head``, ``medium`` and ``tail`` by training texts.
        classes: one row a class, in the order of the ids.
        intervals: 95 % bootstrap interval of ``accuracy``, ``macro_f1``, ``balanced_accuracy`` and of each band that
            has a score.
        confusion: texts by true (rows) and predicted class, [C, C].
        gold: true class ids, [N].
        answers: predicted class ids, [N]; -1 is no answer.
        n_bootstrap: resamples behind the intervals.
        seed: seed of the resamples.
        unanswered: texts to which a language model gave no label; wrong answers, and in no column of ``confusion``.
    """

    accuracy: float
    macro_f1: float
    balanced_accuracy: float
    bands: dict[str, BandScore]
    classes: tuple[ClassRow, ...]
    intervals: dict[str, Interval]
    confusion: NDArray[np.int64]
    gold: NDArray[np.int64]
    answers: NDArray[np.int64]
    n_bootstrap: int
    seed: int
    unanswered: int = 0

    @property
    def n_texts(self) -> int:
        """Number of test texts."""
        return int(self.confusion.sum()) + self.unanswered

    def f1_interval(self, label: int) -> Interval:
        """95 % interval of the F1 of a class, over the texts that are of it or were given to it."""
        found, given = int(self.confusion[label, label]), int(self.confusion[:, label].sum())
        return f1_interval(found, self.classes[label].test_count + given - found)

    def score(self, name: str) -> float | None:
        """A figure by its name in ``intervals``; None for a band without a score."""
        return self.bands[name].macro_f1 if name in self.bands else vars(self)[name]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready values, unrounded; equal evaluations give equal JSON. Confusion as rows of counts."""
        return {
            "n_texts": self.n_texts,
            "unanswered": self.unanswered,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "balanced_accuracy": self.balanced_accuracy,
            "bands": {name: asdict(band) for name, band in self.bands.items()},
            "intervals": {name: list(interval) for name, interval in self.intervals.items()},
            "bootstrap": {"resamples": self.n_bootstrap, "seed": self.seed, "level": 0.95},
            "classes": [asdict(row) for row in self.classes],
            "confusion": self.confusion.tolist(),
        }


def evaluate(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    train_counts: ArrayLike,
    label_names: list[str] | tuple[str, ...],
    n_bootstrap: int = 1000,
    seed: int = 0,
) -> Evaluation:
    """Judge predicted class ids against the true ones.

    Args:
        y_true: true class ids in [0, C), [N].
        y_pred: predicted class ids in [0, C), [N]; -1 is no answer, which is wrong and no other class's false positive.
        train_counts: training texts of each class, [C].
        label_names: C names, in the order of the ids.
        n_bootstrap: resamples for the intervals.
        seed: seed of the resamples.

    Raises:
        DataError: no texts, lengths that differ, or ids outside the label names.
    """
    true, predicted, trained = np.asarray(y_true), np.asarray(y_pred), np.asarray(train_counts)
    n_classes = len(label_names)
    _check(true, predicted, trained, n_classes)
    answered = predicted >= 0
    confusion = metrics.confusion_matrix(true[answered], predicted[answered], n_classes)
    confusion.setflags(write=False)
    unanswered_C = np.bincount(true[~answered], minlength=n_classes)
    counts = metrics.counts_of(confusion)
    counts = counts._replace(fn=counts.fn + unanswered_C)
    tests = confusion.sum(axis=1) + unanswered_C
    f1_C = metrics.f1(counts)
    bands = band_scores(f1_C, tests, trained)
    masks = {name: mask for name, mask in band_masks(trained).items() if bands[name].macro_f1 is not None}
    by_class = zip(
        label_names,
        trained.tolist(),
        tests.tolist(),
        metrics.precision(counts).tolist(),
        metrics.recall(counts).tolist(),
        f1_C.tolist(),
        strict=True,
    )
    return Evaluation(
        accuracy=float(metrics.accuracy(counts)),
        macro_f1=float(metrics.macro_f1(counts)),
        balanced_accuracy=float(metrics.balanced_accuracy(counts)),
        bands=bands,
        classes=tuple(ClassRow(*row) for row in by_class),
        intervals=bootstrap_intervals(confusion, masks, n_bootstrap, seed, unanswered_C),
        confusion=confusion,
        gold=true.astype(np.int64),
        answers=predicted.astype(np.int64),
        n_bootstrap=n_bootstrap,
        seed=seed,
        unanswered=int(unanswered_C.sum()),
    )


def _check(true: NDArray[Any], predicted: NDArray[Any], train_counts: NDArray[Any], n_classes: int) -> None:
    if true.size == 0:
        raise DataError("there are no test texts to judge; give a test file with at least one labelled text")
    if true.shape != predicted.shape or true.ndim != 1:
        raise DataError(
            f"there are {true.shape} true labels and {predicted.shape} predictions, so they belong to different "
            "texts; give one prediction for each test text"
        )
    if train_counts.shape != (n_classes,):
        raise DataError(
            f"there are {n_classes} label names but training counts of shape {train_counts.shape}; "
            "give one count for each label name"
        )
    metrics.checked_ids(true, "true labels", 0, n_classes)
    metrics.checked_ids(predicted, "predictions", -1, n_classes)
