"""Answers at the door: shapes and ids."""

import numpy as np
import pytest

from sharprecl.errors import DataError
from sharprecl.evaluation.significance.answers import checked_answers, checked_gold


def test_one_row_is_one_seed():
    assert checked_answers([0, 1, -1], 3, 2).tolist() == [[0, 1, -1]]


@pytest.mark.parametrize(
    ("gold", "part"),
    [([], "at least one test item"), ([[0], [1]], "shape"), ([0.5, 1], "not integers"), ([0, 2], "the id 2")],
)
def test_gold_that_cannot_be_is_refused(gold, part):
    with pytest.raises(DataError, match=part):
        checked_gold(np.array(gold), 2)


@pytest.mark.parametrize(
    ("answers", "part"),
    [([0, 1], "different test sets"), ([[[0, 1, 1]]], "different test sets"), ([0, -2, 1], "the id -2")],
)
def test_answers_that_do_not_fit_are_refused(answers, part):
    with pytest.raises(DataError, match=part):
        checked_answers(answers, 3, 2)
