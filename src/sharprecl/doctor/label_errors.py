"""Labels that the texts contradict, and what words alone can tell."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sharprecl.data.tables import TextTable
from sharprecl.doctor.answers import Answers, ask
from sharprecl.doctor.confident import Contradicted, contradicted
from sharprecl.doctor.diagnosis import LabelErrors, Suspect
from sharprecl.doctor.distribution import FEW
from sharprecl.doctor.slices import Progress, excerpt, silent
from sharprecl.evaluation.metrics import accuracy, confusion_matrix, counts_of, f1, macro_f1

MOST_ROWS = 100_000
SHOWN, SHOWN_RARE, SHOWN_CONFUSIONS = 100, 25, 20


def label_errors(
    table: TextTable,
    test: TextTable | None = None,
    seed: int = 0,
    *,
    max_rows: int = MOST_ROWS,
    progress: Progress = silent,
) -> LabelErrors | None:
    """Ask of every text a model that was not trained on it, nor on an equal text, whether it agrees with the label.

    A class whose only text is held out cannot be known to the model. So classes with a single text, or one text
    several times, have no F1 and do not count in ``macro_f1`` and ``accuracy``; a row of theirs is listed where the
    model is sure of another class. In ``test_macro_f1`` every class counts that was examined.

    Args:
        table: training texts.
        test: test texts, or None.
        seed: of the folds, the sample and the solver.
        max_rows: rows of each file that are examined; see ``sample.sample``.
        progress: is told what is being done.

    Returns:
        None where fewer than two classes have two different texts, or no text has a word: there is nothing to train on.
    """
    seed %= 2**32
    answers = ask(table, seed, max_rows, progress)
    if answers is None:
        return None
    found = contradicted(answers.probabilities, answers.labels)
    known = answers.labels >= 0
    size = len(answers.classes)
    counts = counts_of(confusion_matrix(answers.labels[known], found.suggested[known], size))
    scores = f1(counts)
    rare = table.class_counts[answers.given] < FEW
    wrong = np.flatnonzero(found.doubtful & ~rare)
    unsure = np.flatnonzero(found.doubtful & rare & found.certain)
    largest = np.argsort(-table.class_counts[answers.classes], kind="stable")
    shown = _worst(found, wrong)[: SHOWN - min(len(unsure), SHOWN_RARE)]
    shown += _worst(found, unsure)[: SHOWN - len(shown)]
    errors = LabelErrors(
        examined=len(answers.rows),
        estimated=len(wrong),
        by_class=_by_class(table, answers.given[wrong]),
        suspects=tuple(_suspect(table, answers, found, place) for place in shown),
        confusions=_confusions(table, answers.given[wrong], answers.classes[found.suggested[wrong]]),
        macro_f1=float(macro_f1(counts)),
        accuracy=float(accuracy(counts)),
        test_macro_f1=None if test is None else answers.macro_f1_on(test, table.label_names, seed, max_rows, progress),
        f1_by_class={table.label_names[answers.classes[place]]: float(scores[place]) for place in largest},
        rare=len(unsure),
    )
    return replace(errors, estimated=0, rare=0, suspects=(), by_class={}, confusions=()) if errors.guesses else errors


def _worst(found: Contradicted, places: NDArray[np.int64]) -> list[int]:
    """Those whose label is least probable beside the suggestion first."""
    odds = found.own[places] / found.confidence[places]
    return [int(place) for place in places[np.lexsort((-found.confidence[places], odds))]]


def _by_class(table: TextTable, given: NDArray[np.int64]) -> dict[str, int]:
    blamed = np.bincount(given, minlength=table.num_classes)
    order = np.argsort(-blamed, kind="stable")[: np.count_nonzero(blamed)]
    return {table.label_names[label]: int(blamed[label]) for label in order}


def _confusions(
    table: TextTable, given: NDArray[np.int64], suggested: NDArray[np.int64]
) -> tuple[tuple[str, str, int], ...]:
    (first, second), times = np.unique(np.stack([given, suggested]), axis=1, return_counts=True)
    frequent = np.argsort(-times, kind="stable")[:SHOWN_CONFUSIONS]
    names = table.label_names
    return tuple((names[first[place]], names[second[place]], int(times[place])) for place in frequent)


def _suspect(table: TextTable, answers: Answers, found: Contradicted, place: int) -> Suspect:
    row, label = int(answers.rows[place]), int(answers.given[place])
    return Suspect(
        row=row + 1,
        label=table.label_names[label],
        suggested=table.label_names[answers.classes[found.suggested[place]]],
        confidence=float(found.confidence[place]),
        self_confidence=float(found.own[place]),
        rare=bool(table.class_counts[label] < FEW),
        text=excerpt(table.texts[row]),
    )
