"""auto: what it picks, and that it says why."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.config import METHODS
from sharprecl.config.choice import choose_method


@pytest.mark.parametrize(
    ("counts", "name", "because"),
    [
        ([100, 100, 90], "cross_entropy", "only 1.1 times"),
        ([30, 10], "cross_entropy", "only 3.0 times"),
        ([2165, 43], "sharprecl", "has 50 times the texts of the smallest"),
        ([1250, 571, 261, 119, 54, 25], "sharprecl", "has 50 times"),
        ([60] * 24 + [9] * 28, "sharprecl", "has 7 times"),
        ([500] * 9 + [5], "sharprecl", "has 100 times"),
        ([7], "cross_entropy", "only 1.0 times"),
    ],
)
def test_the_rule(counts, name, because):
    choice = choose_method(np.array(counts))
    assert choice.name == name
    assert choice.sentence.startswith(f"auto: {name}, for ")
    assert because in choice.sentence


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=60), st.randoms())
def test_any_distribution_gets_a_method_and_the_order_of_the_classes_does_not_matter(counts, random):
    choice = choose_method(np.array(counts))
    assert choice.name in METHODS
    random.shuffle(counts)
    assert choose_method(np.array(counts)) == choice
