"""Answers to the same items, scored together: shapes and ids at the door."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import accuracy, macro_f1
from sharprecl.evaluation.resampler import Resampler


def test_every_row_is_scored():
    rows = [np.array(row) for row in ([0, 1, -1], [0, 1, 1])]
    assert Resampler([0, 1, 1], rows, 2, accuracy).scores() == pytest.approx([2 / 3, 1])


@given(st.data())
def test_weights_are_whole_copies_of_the_texts(data):
    n_classes, n = 3, data.draw(st.integers(1, 12))
    gold, row = (np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))) for _ in range(2))
    weights_C = np.array(data.draw(st.lists(st.integers(1, 4), min_size=3, max_size=3)))
    copied = np.repeat(np.arange(n), weights_C[gold])
    weighted = Resampler(gold, [row], n_classes, macro_f1, weights_C.astype(float)).scores()
    assert weighted == pytest.approx(Resampler(gold[copied], [row[copied]], n_classes, macro_f1).scores())


@pytest.mark.parametrize(
    ("gold", "part"),
    [([], "at least one test item"), ([[0], [1]], "shape"), ([0.5, 1], "not integers"), ([0, 2], "the id 2")],
)
def test_gold_that_cannot_be_is_refused(gold, part):
    with pytest.raises(DataError, match=part):
        Resampler(gold, [np.zeros(2, dtype=int)], 2, accuracy)


@pytest.mark.parametrize(
    ("answers", "part"),
    [([0, 1], "different test sets"), ([[0, 1, 1]], "different test sets"), ([0, -2, 1], "the id -2")],
)
def test_answers_that_do_not_fit_are_refused(answers, part):
    with pytest.raises(DataError, match=part):
        Resampler([0, 1, 1], [np.array(answers)], 2, accuracy)
