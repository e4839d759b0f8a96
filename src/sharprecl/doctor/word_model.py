"""TF-IDF with logistic regression, asked about texts that it was not trained on: every text is held out once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
from sklearn.linear_model import SGDClassifier

from sharprecl.data.tables import TextTable
from sharprecl.doctor.texts import READ, Hashes, Progress, chunks, first_of_each, least, mixed, silent, text_hashes
from sharprecl.evaluation.metrics import confusion_matrix, counts_of, macro_f1
from sharprecl.evaluation.references import COMMON_FROM, TOKEN

HASHED = 2**22
"""Columns that n-grams are hashed to before the rare ones are dropped: 100,000 titles meet in one of a hundred."""
MOST_WEIGHTS = 2**26
"""Classes times features: 256 MB."""
FOLDS = 5
# Chosen by out-of-fold macro-F1 on the training texts of TREC, Ohsumed and R52: 84.5, 46.8 and 74.2.
PENALTY, SEEN, LEAST_PASSES, MOST_PASSES = 0.1, 200_000, 3, 10
MOST_CLASSES = 1000
"""Of more classes the largest ones are examined: each has weights of its own."""
MOST_WORK = 20_000_000
"""Rows times classes: the time of training grows with it, to minutes."""
KEPT = 20
"""Texts of a class that stay whatever the share."""
MOST_SINGLE = 1000
"""Classes of a single text that are looked at."""


class WordFeatures:
    """The features of ``evaluation.references.tfidf_logistic``: 1-2-grams, sublinear TF-IDF, those of one text alone
    dropped where there are ``COMMON_FROM`` texts. N-grams are hashed, and of too many the most common ones are kept.
    """

    def __init__(self, most: int) -> None:
        """``most`` columns are kept at most."""
        self.most = most
        self._hashing = HashingVectorizer(
            ngram_range=(1, 2),
            token_pattern=TOKEN,
            n_features=HASHED,
            alternate_sign=False,
            norm=None,
            dtype=np.float32,
        )
        self._weighting = TfidfTransformer(sublinear_tf=True)

    def fit_transform(self, texts: Sequence[str], progress: Progress = silent) -> csr_matrix:
        """Choose columns and weights by N texts; their vectors of length 1, float32 ``[N, F]``.

        F is 0 where no text holds a word; nothing can be transformed then.
        """
        counts = self._count(texts, progress)
        held = np.bincount(counts.indices, minlength=HASHED)
        columns = np.flatnonzero(held >= (2 if len(texts) >= COMMON_FROM else 1))
        self._columns = np.sort(columns[np.argsort(-held[columns], kind="stable")[: self.most]])
        kept = counts[:, self._columns]
        return self._weighting.fit_transform(kept).astype(np.float32) if len(self._columns) else kept

    def transform(self, texts: Sequence[str], progress: Progress = silent) -> csr_matrix:
        """The vectors of other texts, float32 ``[N, F]``."""
        return self._weighting.transform(self._count(texts, progress)[:, self._columns]).astype(np.float32)

    def _count(self, texts: Sequence[str], progress: Progress) -> csr_matrix:
        parts = chunks(texts, "counting words", progress)
        return vstack([self._hashing.transform([text[:READ] for text in texts[part]]) for part in parts], format="csr")


def sample(hashes: Hashes, labels: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """Choose of N rows all of small classes and an equal share of the large ones.

    These are ``most`` at most, but for KEPT a class, and no more than MOST_WORK allows. Classes of a single text come
    on top, MOST_SINGLE of them at most: nothing is trained on those. The choice does not depend on the order of the
    rows, which are given in that of their hashes.
    """
    counts = np.bincount(labels)
    order = np.lexsort((mixed(hashes, seed), labels))
    within = np.arange(len(labels)) - (np.cumsum(counts) - counts)[labels[order]]
    larger = np.argsort(-counts, kind="stable")[:MOST_CLASSES]
    larger = larger[counts[larger] > 1]
    allowed = np.zeros(len(counts), dtype=np.int64)
    allowed[larger] = _shares(counts[larger], min(most, MOST_WORK // max(1, len(larger))))
    chosen = order[within < allowed[labels[order]]]
    single = np.flatnonzero(counts[labels] == 1)
    single = single[np.argsort(mixed(hashes[single], seed), kind="stable")[:MOST_SINGLE]]
    rows = np.concatenate([chosen, single])
    return np.asarray(rows[np.lexsort((labels[rows], mixed(hashes[rows], seed)))])


def _shares(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """How many of each class: KEPT at least, where there are so many, and of the rest one share that fits ``most``."""

    def at(share: float) -> NDArray[np.int64]:
        return np.minimum(counts, np.maximum(KEPT, (counts * share).astype(np.int64)))

    if counts.sum() <= most:
        return counts
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        low, high = (share, high) if at(share).sum() <= most else (low, share)
    return at(low)


def deal_folds(hashes: Hashes, labels: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """The fold of each row, ``[N]``, below FOLDS: each class spread evenly, equal texts together.

    A text with two labels is dealt as one of the class that comes first. The folds do not depend on the order of the
    rows.
    """
    order = np.lexsort((labels, hashes))
    fresh = first_of_each(hashes[order])
    heads = order[fresh]
    dealt = np.empty(len(heads), dtype=np.int64)
    dealt[np.lexsort((mixed(hashes[heads], seed), labels[heads]))] = np.arange(len(heads)) % FOLDS
    folds = np.empty(len(hashes), dtype=np.int64)
    folds[order] = dealt[np.cumsum(fresh) - 1]
    return folds


def logistic(num_texts: int, seed: int) -> SGDClassifier:
    """Logistic regression, one class against the rest, each class weighing as much as another.

    By stochastic gradient descent: on R52 it takes a tenth of the time of ``tfidf_logistic``, whose model of all
    classes at once does no better there, and memory for no more than the weights.
    """
    return SGDClassifier(
        loss="log_loss",
        alpha=PENALTY / num_texts,
        class_weight="balanced",
        max_iter=int(np.clip(-(-SEEN // num_texts), LEAST_PASSES, MOST_PASSES)),
        tol=None,
        random_state=seed,
    )


def out_of_fold(
    vectors: csr_matrix,
    labels: NDArray[np.int64],
    folds: NDArray[np.int64],
    num_classes: int,
    seed: int,
    progress: Progress = silent,
) -> NDArray[np.float32]:
    """Probabilities of each of C >= 2 classes for each row, ``[N, C]``, from a model trained on the other folds.

    Rows have features ``[N, F]``, a label ``[N]``, -1 where it is never trained on, and a fold ``[N]``. Every class has
    rows in two folds.
    """
    found = np.zeros((len(labels), num_classes), dtype=np.float32)
    for fold in range(FOLDS):
        held = np.flatnonzero(folds == fold)
        rest = np.flatnonzero((folds != fold) & (labels >= 0))
        if len(held):
            model = logistic(len(rest), seed).fit(vectors[rest], labels[rest])
            found[np.ix_(held, model.classes_)] = model.predict_proba(vectors[held])
        progress("training on words", fold + 1, FOLDS)
    return found


@dataclass(frozen=True, eq=False)
class Answers:
    """Of M examined rows and the C classes that have different texts in two folds.

    Attributes:
        rows: the examined rows of the table, ``[M]``; ``given``: their label ids in the table, ``[M]``.
        classes: label ids of the C classes, rising, ``[C]``.
        labels: the given labels as indices into ``classes``, -1 where nothing could be trained, ``[M]``.
        probabilities: out of fold, ``[M, C]``.
        features, vectors: the features, and those of the rows, ``[M, F]``.
    """

    rows: NDArray[np.int64]
    given: NDArray[np.int64]
    classes: NDArray[np.int64]
    labels: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    features: WordFeatures
    vectors: csr_matrix

    def macro_f1_on(self, test: TextTable, seed: int, most: int, progress: Progress) -> float | None:
        """The macro-F1 of a model of all examined rows on other texts under the same label names, over all classes that
        were examined; None without a text of those. Of more than ``most`` texts, a random sample is asked about.
        """
        known, trained = np.unique(self.given, return_inverse=True)
        rows = np.flatnonzero(np.isin(test.label_ids, known))
        if not len(rows):
            return None
        if len(rows) > most:
            rows = rows[least(text_hashes([test.texts[row] for row in rows], progress, "choosing test texts"), most)]
        vectors = self.features.transform([test.texts[row] for row in rows], progress)
        progress("asking about the test texts", 0, 1)
        answers = logistic(len(trained), seed).fit(self.vectors, trained).predict(vectors)
        progress("asking about the test texts", 1, 1)
        labels = np.searchsorted(known, test.label_ids[rows])
        return float(macro_f1(counts_of(confusion_matrix(labels, answers, len(known)))))


def ask(table: TextTable, seed: int, most: int, progress: Progress = silent) -> Answers | None:
    """Examine ``most`` rows of training texts at most, see ``sample``, out of fold.

    The seed, below 2**32, is that of sample, folds and solver. None where fewer than two classes have two different
    texts, or no text has a word.
    """
    hashes = text_hashes(table.texts, progress, "choosing texts to train on")
    rows = sample(hashes, table.label_ids, most, seed)
    given = table.label_ids[rows]
    folds = deal_folds(hashes[rows], given, seed)
    met = np.zeros((table.num_classes, FOLDS), dtype=bool)
    met[given, folds] = True
    classes = np.flatnonzero(met.sum(axis=1) > 1)
    if len(classes) < 2:
        return None
    number = np.full(table.num_classes, -1)
    number[classes] = np.arange(len(classes))
    features = WordFeatures(MOST_WEIGHTS // len(classes))
    vectors = features.fit_transform([table.texts[row] for row in rows], progress)
    if not vectors.shape[1]:
        return None
    probabilities = out_of_fold(vectors, number[given], folds, len(classes), seed, progress)
    return Answers(rows, given, classes, number[given], probabilities, features, vectors)
