"""From X, y and weights to the table that is trained on."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from sharprecl.classifier.given import Labels, Texts, labels_of, texts_of
from sharprecl.data.checks import check_classes, training_notes
from sharprecl.data.labels import LabelType, typed_table
from sharprecl.data.set_aside import set_aside_note
from sharprecl.data.tables import TextTable
from sharprecl.data.weights import ClassWeight, checked_weights, class_weights
from sharprecl.errors import BlankRowsWarning


@dataclass(frozen=True, eq=False)
class TrainingTexts:
    """Training texts, and what their labels are.

    Attributes:
        table: labels by number, weights where not all are 1.
        classes: the labels in the order of their numbers, by their type.
        label_type: of all labels.
    """

    table: TextTable
    classes: np.ndarray
    label_type: LabelType


def training_texts(
    X: Texts | TextTable,
    y: Labels | None,
    sample_weight: ArrayLike | None,
    class_weight: ClassWeight | None,
    text_column: str,
) -> TrainingTexts:
    """Check what a user gave and leave out what weighs nothing.

    Raises:
        DataError: texts, labels or weights that cannot be used.
        ConfigError: class weights that cannot be used.
    """
    if isinstance(X, TextTable):
        found = TrainingTexts(X, np.asarray(X.label_names), "str")
    else:
        texts, labels = texts_of(X, text_column)[0], labels_of(y)
        found = TrainingTexts(*typed_table(texts, labels))
        if found.table.set_aside:
            warnings.warn(set_aside_note(found.table.set_aside), BlankRowsWarning, stacklevel=3)
    weight_N = None
    if sample_weight is not None:
        number = len(X) if isinstance(X, TextTable) else len(texts)
        weight_N = checked_weights(sample_weight, number)
        if not isinstance(X, TextTable):
            weight_N = weight_N[found.table.in_source(np.arange(len(found.table)))]
        if len(kept := np.flatnonzero(weight_N)) < len(weight_N):
            found, weight_N = _select(found, kept), weight_N[kept]
    table = found.table
    if class_weight is not None:
        each_C = class_weights(class_weight, found.classes.tolist(), table.label_ids, weight_N)
        weight_N = each_C[table.label_ids] * (1.0 if weight_N is None else weight_N)
    if weight_N is None or (weight_N == 1.0).all():
        return found
    return replace(found, table=replace(table, weights=weight_N))


def _select(found: TrainingTexts, kept: np.ndarray) -> TrainingTexts:
    """Some of the texts, with the classes and the notes that they alone would have."""
    table = found.table.select(kept)
    present = np.unique(table.label_ids)
    ids, names = np.searchsorted(present, table.label_ids), tuple(table.label_names[label] for label in present)
    check_classes(names, len(table), table.origin, "label", len(set(table.texts)))
    notes = table.source_notes + training_notes(
        table.texts, ids, names, table.in_source(np.arange(len(table))).tolist()
    )
    table = replace(table, label_ids=ids, label_names=names, notes=notes)
    return replace(found, table=table, classes=found.classes[present])
