"""What is examined: which rows, which classes, under which numbers."""

import numpy as np

from sharprecl.data.tables import TextTable
from sharprecl.doctor.answers import ask
from sharprecl.doctor.slices import silent

TEXTS = ("red one", "red two", "alone", "blue one", "blue two", "red three", "twice", "TWICE!")
LABELS = (3, 3, 0, 1, 1, 3, 2, 2)


def test_classes_that_no_fold_can_know_get_no_number() -> None:
    table = TextTable(TEXTS, np.array(LABELS), ("a", "b", "c", "d", "e"), "test")
    found = ask(table, 0, 100, silent)
    assert found is not None
    assert sorted(found.rows.tolist()) == list(range(8))
    assert found.given.tolist() == [LABELS[row] for row in found.rows]
    assert found.classes.tolist() == [1, 3]
    assert found.labels.tolist() == [{1: 0, 3: 1}.get(label, -1) for label in found.given.tolist()]
    assert found.probabilities.shape == (8, 2)
    assert found.vectors.shape[0] == 8
    assert np.allclose(found.probabilities.sum(axis=1), 1, atol=1e-5)


def test_the_model_for_other_texts_knows_the_single_ones_too() -> None:
    table = TextTable(TEXTS, np.array(LABELS), ("a", "b", "c", "d", "e"), "test")
    test = TextTable(("alone", "red", "blue", "twice"), np.array([0, 3, 1, 2]), table.label_names, "test")
    found = ask(table, 0, 100, silent)
    assert found is not None
    assert found.macro_f1_on(test, table.label_names, 0, 100, silent) == 1
