"""A classifier with more classes than it was trained on."""

import copy
import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.classifier import TextClassifier
from sharprecl.data.labels import typed_labels
from sharprecl.data.messages import names_phrase
from sharprecl.data.tables import TextTable
from sharprecl.decision import Decision, Policy
from sharprecl.errors import ConfigError, DataError
from sharprecl.export.encoder import EncoderPredictor
from sharprecl.runs.reference import Reference


def check_growing(classifier: TextClassifier) -> EncoderPredictor:
    """What answers, if a class can be one row more of it.

    Raises:
        ConfigError: the method's scores are not those of a linear layer.
    """
    predictor = classifier._predictor
    if not isinstance(predictor, EncoderPredictor) or predictor.backbone.reading != "linear":
        raise ConfigError(
            f"{classifier.config_.method.name} does not answer by a linear layer, so a class cannot be one row more; "
            f"train again with the new texts"
        )
    return predictor


def rows_of(classifier: TextClassifier) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows [C, H] and biases [C] that give the decided scores of the features that the classifier embeds."""
    predictor = check_growing(classifier)
    linear, decision = predictor.backbone.classifier, predictor.decision
    w_CH = linear.weight.detach().cpu().double().numpy()
    b_C = np.zeros(len(w_CH)) if linear.bias is None else linear.bias.detach().cpu().double().numpy()
    return w_CH / decision.temperature, b_C / decision.temperature + decision.shift_C


def typed_names(classifier: TextClassifier, names: Sequence[str]) -> NDArray[Any]:
    """New labels as values of the type that the classifier's labels have.

    Raises:
        DataError: they can be none.
    """
    kind = classifier._label_type
    try:
        if kind == "bool":
            raise ValueError
        return typed_labels(names, kind)
    except ValueError as error:
        raise DataError(
            f"the classifier's labels are of type {kind}, which {names_phrase(names)} cannot be; name the new class as "
            f"the others, or train again on all texts"
        ) from error


def grown(
    classifier: TextClassifier,
    labels_K: NDArray[Any],
    w_KH: NDArray[np.float64],
    b_K: NDArray[np.float64],
    counts_K: NDArray[np.int64],
    share_K: NDArray[np.float64],
) -> TextClassifier:
    """A copy with K classes more; what it says of the others, compared with each other, stays as it is.

    Sets and the bar of abstention are dropped: they were learnt for answers in which there was no such class.

    Args:
        classifier: whose scores are those of a linear layer.
        labels_K: values of the type of its labels.
        w_KH, b_K: rows on the features that it embeds.
        counts_K: texts of each.
        share_K: of the answers' class prior.
    """
    found, predictor = copy.copy(classifier), check_growing(classifier)
    labels = np.concatenate([classifier.classes_, labels_K])
    order = np.argsort(labels, kind="stable")
    places_K = np.argsort(order)[len(classifier.classes_) :]

    def inserted(old_C: NDArray[Any], new_K: Any) -> NDArray[Any]:
        both = np.concatenate([old_C, np.broadcast_to(np.asarray(new_K), len(places_K))])
        return np.asarray(both[order])

    found.classes_ = labels[order]
    found.class_counts_ = inserted(classifier.class_counts_, counts_K)
    found.natural_counts_ = inserted(classifier.natural_counts_, counts_K)
    # The decision that was learnt leaves the new classes where they are, so what it did to the others on average is
    # what the new classes' share of the bare scores' prior is behind.
    moved = 1.0
    if classifier.prior_ is not None:
        found.prior_ = inserted(classifier.prior_ * (1 - share_K.sum()), share_K)
        if classifier.known_prior_ is not None:
            moved = np.exp(np.log(classifier.known_prior_ / classifier.prior_).mean())
    if classifier.known_prior_ is not None:
        known_C = inserted(classifier.known_prior_ * (1 - share_K.sum()), share_K * moved)
        found.known_prior_ = known_C / known_C.sum()
    # Scores that know nothing of the new classes.
    found.held_out_ = found.out_of_fold_ = found.trained_ = None
    learned = classifier.decision_
    shift_C = np.broadcast_to(learned.decision.shift_C, len(classifier.classes_))
    offset_C = learned.policy.offset_C
    found.decision_ = dataclasses.replace(
        learned,
        decision=Decision(learned.decision.temperature, inserted(shift_C, 0.0)),
        prior_C=found.prior_,
        policy=Policy(None if offset_C is None else inserted(offset_C, 0.0)),
    )
    found._predictor = predictor.grown([str(label) for label in found.classes_], places_K, w_KH, b_K)
    return found


def grown_reference(reference: Reference, old: TextClassifier, new: TextClassifier, table: TextTable) -> Reference:
    """What a run remembers, by a classifier with more classes, and the texts that these were made of.

    Args:
        reference: of the run of ``old``.
        old, new: classifiers before and after.
        table: of the new texts.
    """
    place = {str(label): place for place, label in enumerate(new.classes_)}
    old_C, table_C = (np.array([place[str(name)] for name in names]) for names in (old.classes_, table.label_names))
    w_CH, b_C = rows_of(new)
    decided = reference.features @ w_CH.T + b_C
    scores = new.decision_.decision.inverse().apply(decided).astype(np.float32)
    known = dataclasses.replace(reference, scores=scores, label_ids=old_C[reference.label_ids])
    names = tuple(str(label) for label in new.classes_)
    table = dataclasses.replace(table, label_ids=table_C[table.label_ids], label_names=names)
    return known.and_also(Reference.of(new, table, held_out=False, origin=""))
