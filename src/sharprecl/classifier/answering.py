"""What a trained classifier tells of texts. Rows without text have no answer: NaN among scores, wrong among labels."""

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError

from sharprecl.classifier.given import Labels, Texts, labels_of, texts_of
from sharprecl.config import RunConfig
from sharprecl.data.messages import rows_phrase
from sharprecl.data.set_aside import set_aside_note
from sharprecl.data.tables import read_table
from sharprecl.decision import Answers, Learned, Policy, best_classes, softmax
from sharprecl.errors import BlankRowsWarning, ConfigError, DataError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.export.predictor import Predictor


class Answering:
    """Answers by a predictor; all the arrays have a row for each of the N texts."""

    text_column: str
    classes_: NDArray[Any]
    class_counts_: NDArray[np.int64]
    config_: RunConfig
    decision_: Learned
    _predictor: Predictor

    @property
    def policy_(self) -> Policy:
        """How scores become answers."""
        return self._fitted().decision_.policy

    def predict(self, X: Texts) -> NDArray[Any]:
        """The most probable label of each text, [N].

        Raises:
            DataError: there is no text, or a language model gave it no answer that is a label; ``scores`` tells which.
        """
        texts, blank = self._texts(X)
        if blank:
            raise DataError(
                f"{rows_phrase(blank)}: no text, so there is no label; leave such rows out, or use scores(), whose "
                f"rows are NaN there"
            )
        best_N = best_classes(self._predictor.scores(texts)[0])
        if lost := np.flatnonzero(best_N < 0).tolist():
            raise DataError(
                f"{rows_phrase(lost)}: the language model's answer is none of the labels; use scores(), whose rows are "
                f"NaN there"
            )
        labels_N: NDArray[Any] = self.classes_[best_N]
        return labels_N

    def answer(self, X: Texts) -> Answers:
        """All that was decided about N texts: class, probability, whether it is sure, set.

        A row without text, or to which a language model gave no label, has no answer; of the former a warning tells.
        """
        return self.policy_.answers(self._run(X)[0])

    def predict_set(self, X: Texts) -> NDArray[np.bool_]:
        """Sets of classes, bool [N, C], that hold the true one as often as ``decision.sets`` asked for.

        Raises:
            ConfigError: no sets were asked for, so nothing is known of how large they must be.
        """
        if self.policy_.set_bar_C is None:
            raise ConfigError("no sets were learnt; train with decision.sets, or call decide(sets=0.9)")
        sets_NC = self.answer(X).sets_NC
        assert sets_NC is not None
        return sets_NC

    def predict_proba(self, X: Texts) -> NDArray[np.float64]:
        """Probabilities, [N, C], columns in the order of ``classes_``; NaN where there is no answer.

        Where ``decision.optimise`` has some classes answered sooner, the most probable one need not be the answer.
        """
        return softmax(self.policy_.log_probabilities(self._run(X)[0]))

    def decision_function(self, X: Texts) -> NDArray[np.float32]:
        """Scores before the softmax: [N, C], or for two classes [N], that of the second less that of the first."""
        s_NC = self._run(X)[0]
        return s_NC[:, 1] - s_NC[:, 0] if s_NC.shape[1] == 2 else s_NC

    def scores(self, X: Texts) -> NDArray[np.float32]:
        """Scores before the softmax (the logits), [N, C].

        A row without text, or to which a language model gave no label, is NaN; of the former a warning tells.
        """
        return self._run(X)[0]

    def embed(self, X: Texts) -> NDArray[np.float32]:
        """Features in front of the classifier, [N, H]; NaN where there is no text.

        Raises:
            ConfigError: the method is a language model, which has none.
        """
        if self._fitted()._predictor.pooling == "none":
            raise ConfigError(f"{self.config_.method.name} gives labels and no features; train an encoder for those")
        return self._run(X, embed=True)[1]

    def scores_and_embeddings(self, X: Texts) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Scores [N, C] and features [N, H], both from one pass; of language models [N, 0]."""
        return self._run(X, embed=True)

    def score(self, X: Texts, y: Labels, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy; a text without an answer counts as wrong."""
        given_N = best_classes(self._run(X)[0])
        right_N = (given_N >= 0) & (self.classes_[given_N] == np.asarray(labels_of(y)))
        return float(np.average(right_N, weights=None if sample_weight is None else np.asarray(sample_weight)))

    def evaluate(self, X: Texts, y: Labels) -> Evaluation:
        """Judge the classifier on labelled texts: all metrics, by class and by frequency, with intervals.

        A text without an answer counts as wrong; one without a label is not judged.
        """
        names = tuple(str(label) for label in self._fitted().classes_)
        labels = [None if label is None else str(label) for label in labels_of(y)]
        table = read_table((self._texts(X)[0], labels), label_names=names)
        if unlabelled := [row for row in table.set_aside if "label" in row.lacks]:
            warnings.warn(f"{set_aside_note(unlabelled)}; not judged", BlankRowsWarning, stacklevel=2)
        return evaluate(table.label_ids, best_classes(self._run(table.texts)[0]), self.class_counts_, names)

    def _fitted(self) -> Self:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("this TextClassifier is not fitted yet; call fit(texts, labels) first")
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_predictor")

    def _texts(self, X: Texts) -> tuple[list[str], list[int]]:
        return texts_of(X, self._fitted().text_column)

    def _run(self, X: Texts, *, embed: bool = False) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        texts, blank = self._texts(X)
        if not blank:
            return self._predictor.scores(texts, embed=embed)
        warnings.warn(
            f"{len(blank)} of {len(texts)} texts are blank ({rows_phrase(blank)}) and get no answer: all NaN",
            BlankRowsWarning,
            stacklevel=3,
        )
        there = np.setdiff1d(np.arange(len(texts)), blank)
        found = self._predictor.scores([texts[row] for row in there], embed=embed)
        return _spread(found[0], there, len(texts)), _spread(found[1], there, len(texts))


def _spread(found_MK: NDArray[np.float32], rows: NDArray[np.int64], number: int) -> NDArray[np.float32]:
    """Rows at their places among N, NaN in all others."""
    every_NK = np.full((number, found_MK.shape[1]), np.nan, dtype=np.float32)
    every_NK[rows] = found_MK
    return every_NK
