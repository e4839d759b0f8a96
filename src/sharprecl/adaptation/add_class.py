"""Add classes to a trained classifier, and tell what the old ones lose by it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sharprecl.adaptation.growing import grown, rows_of, typed_names
from sharprecl.adaptation.new_rows import Floats, Ids, OldTexts, new_rows
from sharprecl.classifier import TextClassifier
from sharprecl.data.tables import TextTable
from sharprecl.decision import best_classes
from sharprecl.runs.reference import Reference

MOST_PARTS = 20
"""Parts into which the new texts are dealt, each judged by rows of all others: up to so many texts, one is left out."""


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores, features and classes of N texts; ids from C on are new classes."""

    s_NC: Floats
    x_NH: Floats
    y_N: Ids

    @classmethod
    def of(cls, classifier: TextClassifier, table: TextTable) -> Self:
        """Read the texts of a table whose first C names are the classifier's; one without a text scores NaN."""
        s_NC, x_NH = classifier.scores_and_embeddings(table.texts)
        return cls(s_NC.astype(np.float64), x_NH.astype(np.float64), table.label_ids)

    @classmethod
    def remembered(cls, classifier: TextClassifier, reference: Reference) -> Self:
        """What the classifier itself gives the texts of a reference."""
        x_NH = reference.features.astype(np.float64)
        w_CH, b_C = rows_of(classifier)
        return cls(x_NH @ w_CH.T + b_C, x_NH, reference.label_ids)

    def select(self, chosen: NDArray[Any]) -> "Scored":
        """Some of the texts."""
        return Scored(self.s_NC[chosen], self.x_NH[chosen], self.y_N[chosen])

    def __add__(self, other: "Scored") -> "Scored":
        return Scored(*(np.concatenate(pair) for pair in zip(vars(self).values(), vars(other).values(), strict=True)))


@dataclass(frozen=True)
class OldClass:
    """What an old class has of its texts, before and after."""

    name: str
    texts: int
    found_before: int
    found_after: int
    given_to_new: int


@dataclass(frozen=True)
class NewClass:
    """What a new class finds.

    Attributes:
        texts: that its row was made of.
        found_left_out: of these, by rows that were made without them; 0 of a single text, for which there are none.
        judged_texts, judged_found: of other texts.
    """

    name: str
    texts: int
    found_left_out: int
    judged_texts: int
    judged_found: int


@dataclass(frozen=True, eq=False)
class Addition:
    """A classifier with more classes, and what that costs."""

    classifier: TextClassifier
    new: tuple[NewClass, ...]
    old: tuple[OldClass, ...]

    @property
    def recall(self) -> tuple[float, float]:
        """Mean recall of the old classes that have texts, before and after."""
        before, after = (
            float(np.mean([found / texts for texts, found in pairs]))
            for pairs in (
                [(row.texts, row.found_before) for row in self.old],
                [(row.texts, row.found_after) for row in self.old],
            )
        )
        return before, after

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"new": [asdict(row) for row in self.new], "old": [asdict(row) for row in self.old]}


def add_classes(classifier: TextClassifier, names: Sequence[str], new: Scored, old: Scored, judged: Scored) -> Addition:
    """Give a classifier K classes more.

    Args:
        classifier: whose scores are those of a linear layer; it stays as it is.
        names: of the new classes.
        new: their texts, each class at least one.
        old: texts of the old classes, from which is learnt where these lie.
        judged: texts of any of the classes, which tell what was lost and won; there may be none.

    Raises:
        ConfigError: the classifier does not answer by a linear layer.
        DataError: the new names are not of the type of its labels.
    """
    labels_K, places = typed_names(classifier, names), _places(classifier, old)
    # One of the usual frequency: a handful of texts that were gathered by hand tells nothing of it.
    usual = 1 / len(classifier.classes_) if classifier.prior_ is None else float(np.median(classifier.prior_))
    share_K = np.full(len(names), usual / (1 + len(names) * usual))
    k_N, z_NC = new.y_N - len(classifier.classes_), classifier.policy_.log_probabilities(new.s_NC)

    def made_of(rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return new_rows(new.x_NH[rows], z_NC[rows], k_N[rows], places, share_K)

    every = np.arange(len(k_N))
    w_KH, b_K = made_of(every)
    found = grown(classifier, labels_K, w_KH, b_K, np.bincount(k_N), share_K)
    given_N = np.full(len(k_N), -1)
    for part in _parts(k_N):
        given_N[part] = _answers(new.select(part), *made_of(np.setdiff1d(every, part)))
    C, y_N = len(classifier.classes_), judged.y_N
    before_N, after_N = best_classes(judged.s_NC), _answers(judged, w_KH, b_K)
    return Addition(
        found,
        tuple(
            NewClass(name, *_counts(k_N == k, given_N == C + k), *_counts(y_N == C + k, after_N == C + k))
            for k, name in enumerate(names)
        ),
        tuple(
            OldClass(str(label), *_counts(y_N == c, before_N == c, after_N == c, after_N >= C))
            for c, label in enumerate(classifier.classes_)
            if (y_N == c).any()
        ),
    )


def _places(classifier: TextClassifier, old: Scored) -> OldTexts:
    """Weigh the old texts so that their classes are as frequent as the scores answer for."""
    C = len(classifier.classes_)
    prior_C = np.full(C, 1 / C) if classifier.prior_ is None else classifier.prior_
    weight_R = (prior_C / np.maximum(np.bincount(old.y_N, minlength=C), 1))[old.y_N]
    w_CH, _ = rows_of(classifier)
    length = float(np.linalg.norm(w_CH - w_CH.mean(0), axis=1).mean())
    return OldTexts(old.x_NH, classifier.policy_.log_probabilities(old.s_NC), weight_R / weight_R.sum(), length)


def _parts(k_N: Ids) -> list[NDArray[np.int64]]:
    """Deal the texts of each class among the parts; the only text of a class is in none."""
    part_N = np.full(len(k_N), -1)
    for k in range(k_N.max() + 1):
        rows = np.flatnonzero(k_N == k)
        if len(rows) > 1:
            part_N[rows] = np.arange(len(rows)) % MOST_PARTS
    return [np.flatnonzero(part_N == part) for part in range(part_N.max() + 1)]


def _answers(texts: Scored, w_KH: Floats, b_K: Floats) -> Ids:
    """Class ids among old and new, -1 without a text."""
    return best_classes(np.concatenate([texts.s_NC, texts.x_NH @ w_KH.T + b_K], axis=1))


def _counts(of_class_N: NDArray[np.bool_], *found: NDArray[np.bool_]) -> list[int]:
    return [int(of_class_N.sum()), *(int((of_class_N & found_N).sum()) for found_N in found)]
