"""TF-IDF with logistic regression, asked about texts that it was not trained on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from sharprecl.data.tables import TextTable
from sharprecl.doctor.features import Words
from sharprecl.doctor.keys import least, text_keys
from sharprecl.doctor.out_of_fold import FOLDS, deal_folds, logistic, out_of_fold
from sharprecl.doctor.sample import sample
from sharprecl.doctor.slices import Progress
from sharprecl.evaluation.metrics import confusion_matrix, counts_of, macro_f1

MOST_WEIGHTS = 2**26
"""Classes times features: 256 MB."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Of M examined rows and the C classes that have different texts in two folds.

    Attributes:
        rows: the examined rows of the table, ``[M]``; ``given``: their label ids in the table, ``[M]``.
        classes: label ids of the C classes, rising, ``[C]``.
        labels: the given labels as indices into ``classes``, -1 where nothing could be trained, ``[M]``.
        probabilities: out of fold, ``[M, C]``.
        words, vectors: the features, and those of the rows.
    """

    rows: NDArray[np.int64]
    given: NDArray[np.int64]
    classes: NDArray[np.int64]
    labels: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    words: Words
    vectors: csr_matrix

    def macro_f1_on(
        self, test: TextTable, names: tuple[str, ...], seed: int, most: int, progress: Progress
    ) -> float | None:
        """The macro-F1 on other texts of a model of all examined rows, over all their classes.

        Args:
            test: the texts; those of classes that were not examined are left out.
            names: of the label ids of ``given``.
            seed: of the solver.
            most: texts that are asked about; of more, a random sample.
            progress: is told what is being done.

        Returns:
            None where no text is left.
        """
        known, trained = np.unique(self.given, return_inverse=True)
        number = {names[label]: place for place, label in enumerate(known.tolist())}
        labels = np.array([number.get(name, -1) for name in test.label_names])[test.label_ids]
        rows = np.flatnonzero(labels >= 0)
        if not len(rows):
            return None
        if len(rows) > most:
            keys = text_keys([test.texts[row] for row in rows], progress, "choosing test texts")
            rows = rows[least(keys, most)]
        vectors = self.words.transform([test.texts[row] for row in rows], progress)
        progress("asking about the test texts", 0, 1)
        answers = logistic(len(trained), seed).fit(self.vectors, trained).predict(vectors)
        progress("asking about the test texts", 1, 1)
        return float(macro_f1(counts_of(confusion_matrix(labels[rows], answers, len(known)))))


def ask(table: TextTable, seed: int, most: int, progress: Progress) -> Answers | None:
    """Examine a table out of fold; None where fewer than two classes have two different texts, or no text has a
    word.

    Args:
        table: training texts.
        seed: of the folds, the sample and the solver.
        most: rows that are examined; see ``sample.sample``.
        progress: is told what is being done.
    """
    keys = text_keys(table.texts, progress, "choosing texts to train on")
    rows = sample(keys, table.label_ids, most, seed)
    given = table.label_ids[rows]
    folds = deal_folds(keys[rows], given, seed)
    met = np.zeros((table.num_classes, FOLDS), dtype=bool)
    met[given, folds] = True
    classes = np.flatnonzero(met.sum(axis=1) > 1)
    if len(classes) < 2:
        return None
    number = np.full(table.num_classes, -1)
    number[classes] = np.arange(len(classes))
    words = Words(MOST_WEIGHTS // len(classes))
    vectors = words.fit_transform([table.texts[row] for row in rows], progress)
    if not vectors.shape[1]:
        return None
    probabilities = out_of_fold(vectors, number[given], folds, len(classes), seed, progress)
    return Answers(rows, given, classes, number[given], probabilities, words, vectors)
