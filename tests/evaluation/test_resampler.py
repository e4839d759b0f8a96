"""Answers to the same items, scored together: shapes and ids at the door."""

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.evaluation.metrics import accuracy
from sharprecl.evaluation.resampler import Resampler


def test_every_row_is_scored():
    rows = [np.array(row) for row in ([0, 1, -1], [0, 1, 1])]
    assert Resampler([0, 1, 1], rows, 2, accuracy).scores() == pytest.approx([2 / 3, 1])


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
