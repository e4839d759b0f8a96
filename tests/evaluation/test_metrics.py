"""Metrics: known answer, equality with scikit-learn, stacks, and what relabelling must not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, f1_score, precision_score, recall_score

from known import CASES
from sharprecl.evaluation import metrics

C = 5
labels = st.lists(st.tuples(st.integers(0, C - 1), st.integers(0, C - 1)), min_size=1, max_size=40)


def counts(y_true, y_pred, n_classes=C):
    return metrics.counts_of(metrics.confusion_matrix(y_true, y_pred, n_classes))


def test_known_answer():
    case = CASES["metrics"]
    known = counts(case["inputs"]["y_true"], case["inputs"]["y_pred"], case["params"]["classes"])
    assert metrics.accuracy(known) == pytest.approx(case["expected"]["accuracy"], rel=1e-9)
    assert metrics.f1(known) == pytest.approx(case["expected"]["f1_per_class"], rel=1e-9)
    assert metrics.macro_f1(known) == pytest.approx(case["expected"]["macro_f1"], rel=1e-9)


@given(labels)
def test_equal_to_scikit_learn(pairs):
    true, predicted = np.array(pairs).T
    ours, every = counts(true, predicted), {"labels": range(C), "average": None, "zero_division": 0}
    assert np.array_equal(
        metrics.confusion_matrix(true, predicted, C), confusion_matrix(true, predicted, labels=range(C))
    )
    np.testing.assert_allclose(metrics.precision(ours), precision_score(true, predicted, **every))
    np.testing.assert_allclose(metrics.recall(ours), recall_score(true, predicted, **every))
    np.testing.assert_allclose(metrics.f1(ours), f1_score(true, predicted, **every))
    np.testing.assert_allclose(metrics.macro_f1(ours), f1_score(true, predicted, **every | {"average": "macro"}))


@given(labels)
def test_balanced_accuracy_averages_over_the_classes_that_occur(pairs):
    true, predicted = np.array(pairs).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        expected = balanced_accuracy_score(true, predicted)
    assert metrics.balanced_accuracy(counts(true, predicted)) == pytest.approx(expected)


@given(labels, st.permutations(range(C)))
def test_relabelling_permutes_classes_and_leaves_the_means(pairs, order):
    true, predicted = np.array(pairs).T
    new = np.array(order)
    before, after = counts(true, predicted), counts(new[true], new[predicted])
    np.testing.assert_allclose(metrics.f1(after)[new], metrics.f1(before))
    for mean in (metrics.accuracy, metrics.macro_f1, metrics.balanced_accuracy):
        assert mean(after) == pytest.approx(mean(before))


def test_a_stack_gives_what_its_members_give():
    stack = np.random.Generator(np.random.PCG64(0)).integers(0, 4, size=(2, 3, C, C))
    whole = metrics.counts_of(stack)
    for metric in (metrics.accuracy, metrics.macro_f1, metrics.balanced_accuracy, metrics.f1):
        single = [[metric(metrics.counts_of(matrix)) for matrix in row] for row in stack]
        np.testing.assert_allclose(metric(whole), single)


def test_absent_class_counts_zero_in_macro_f1_and_not_in_balanced_accuracy():
    perfect = counts([0, 1], [0, 1], 4)
    assert metrics.macro_f1(perfect) == 0.5
    assert metrics.balanced_accuracy(perfect) == 1.0
