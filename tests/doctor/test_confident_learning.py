"""Confident learning on probabilities that are written down."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.doctor.confident_learning import ODDS, contradicted


def test_by_hand() -> None:
    #                  threshold: 0.7 of class 0, 0.5 of class 1
    probabilities = np.array([[0.95, 0.05], [0.92, 0.08], [0.23, 0.77], [0.95, 0.05], [0.10, 0.90], [0.45, 0.55]])
    labels = np.array([0, 0, 0, 1, 1, 1])
    found = contradicted(probabilities, labels)
    assert found.suggested.tolist() == [0, 0, 1, 0, 1, 1]
    assert found.own.tolist() == [0.95, 0.92, 0.23, 0.05, 0.90, 0.55]
    assert found.doubtful.tolist() == [False, False, False, True, False, False]  # row 2: 0.77 is no ten times 0.23
    assert found.certain.tolist() == [True, False, True, True, True, False]  # medians of what is right: 0.935, 0.725


def test_a_class_must_be_claimed_with_the_usual_confidence() -> None:
    probabilities = np.array([[0.9, 0.1, 0.0], [0.9, 0.1, 0.0], [0.6, 0.02, 0.38], [0.02, 0.97, 0.01], [0.0, 0.1, 0.9]])
    labels = np.array([0, 0, 1, 1, 2])
    assert not contradicted(probabilities, labels).doubtful.any()
    probabilities[2, [0, 2]] = 0.91, 0.07
    assert contradicted(probabilities, labels).doubtful.tolist() == [False, False, True, False, False]


def test_labels_that_the_model_does_not_know() -> None:
    probabilities = np.array([[0.9, 0.1], [0.7, 0.3], [0.2, 0.8], [0.85, 0.15], [0.75, 0.25]])
    found = contradicted(probabilities, np.array([0, 0, 1, -1, -1]))
    assert found.own.tolist() == [0.9, 0.7, 0.8, 0, 0]
    assert found.doubtful.tolist() == [False, False, False, True, False]  # the threshold of class 0 is 0.8
    assert found.certain.tolist() == [True, False, True, True, False]


@given(st.integers(2, 5), st.integers(6, 60), st.integers(0, 99))
def test_properties(classes, rows, seed) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.full(classes, 0.3), rows)
    labels = np.concatenate([np.arange(classes), rng.integers(0, classes, rows - classes)])
    found = contradicted(probabilities, labels)
    thresholds = [probabilities[labels == place, place].mean() for place in range(classes)]
    for row in range(rows):
        best = int(probabilities[row].argmax())
        doubtful = (
            best != labels[row]
            and probabilities[row, best] >= thresholds[best] - 1e-12
            and probabilities[row, best] >= ODDS * probabilities[row, labels[row]]
        )
        assert found.doubtful[row] == doubtful
    order = rng.permutation(rows)
    assert contradicted(probabilities[order], labels[order]).doubtful.tolist() == found.doubtful[order].tolist()
