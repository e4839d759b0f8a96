"""Almost stochastic order: by hand, the integral on a fine grid, both directions, equal samples, null data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.errors import DataError
from sharprecl.evaluation.significance.stochastic_order import almost_stochastic_order, violation_ratio

scores = st.lists(st.integers(0, 20), min_size=1, max_size=7).map(lambda values: np.array(values, dtype=float))


def ratio(first, second):
    return float(violation_ratio(np.array(first, dtype=float), np.array(second, dtype=float)))


def test_by_hand():
    # Sorted: 1, 4, 6 against 2, 3, 5: gaps -1, 1, 1, each a third of the way.
    assert ratio([4, 1, 6], [5, 2, 3]) == pytest.approx(1 / 3)
    # Halves against thirds: 1 1 1 5 5 5 against 2 2 3 3 4 4 in sixths, gaps -1 -1 -2 2 1 1.
    assert ratio([1, 5], [2, 3, 4]) == pytest.approx(6 / 12)
    assert ratio([1, 7], [2, 3, 4]) == pytest.approx(6 / (6 + 16 + 9 + 9))
    # Twice as far below counts four times.
    assert ratio([0, 3], [2, 2]) == pytest.approx(4 / 5)


@given(scores, scores)
def test_equal_to_the_integral_on_a_grid(first, second):
    # 420 is divisible by 1 to 7, so no cell of the grid holds a step; its middles avoid the edges.
    middles = (np.arange(420) + 0.5) / 420
    quantiles = (np.quantile(sample, middles, method="inverted_cdf") for sample in (first, second))
    gaps = np.subtract(*quantiles)
    expected = 0.5 if not gaps.any() else (gaps[gaps < 0] ** 2).sum() / (gaps**2).sum()
    assert ratio(first, second) == pytest.approx(expected)


@given(scores, scores, st.floats(0.1, 10), st.floats(-5, 5))
def test_both_directions_sum_to_one_and_units_do_not_matter(first, second, scale, shift):
    assert ratio(first, second) + ratio(second, first) == pytest.approx(1)
    assert ratio(scale * first, scale * second) == pytest.approx(ratio(first, second))
    assert 0 <= ratio(first, second) <= 1


def test_a_stack_gives_what_its_members_give():
    generator = np.random.default_rng(0)
    first, second = generator.normal(size=(4, 5)), generator.normal(size=(4, 3))
    stacked = violation_ratio(first, second)
    assert stacked == pytest.approx([ratio(a, b) for a, b in zip(first, second, strict=True)])


def test_domination_and_equal_samples():
    wins = almost_stochastic_order([5, 6, 7], [1, 2, 3])
    assert (wins.violation_ratio, wins.epsilon_min) == (0, 0)
    loses = almost_stochastic_order([1, 2, 3], [5, 6, 7])
    assert (loses.violation_ratio, loses.epsilon_min) == (1, 1)
    same = almost_stochastic_order([4, 4, 4], [4, 4])
    assert (same.violation_ratio, same.epsilon_min, same.n_first, same.n_second) == (0.5, 0.5, 3, 2)


def test_the_bound_is_the_ratio_and_1_645_standard_deviations():
    """Two scores against one: the four draws are 1 1, 1 4, 4 1, 4 4 against 2: eps* = 1, 1/5, 1/5, 0, with sd 0.384."""
    found = almost_stochastic_order([1, 4], [2], n_resamples=20_000)
    assert found.violation_ratio == pytest.approx(1 / 5)
    assert found.epsilon_min == pytest.approx(1 / 5 + 1.645 * np.std([1, 0.2, 0.2, 0]), abs=0.01)


def test_the_bound_is_no_more_than_one():
    assert almost_stochastic_order([1, 4], [3]).epsilon_min == 1


def test_seed_decides():
    first, second = [1.0, 4, 3, 8], [2.0, 5, 1, 7]
    assert almost_stochastic_order(first, second, seed=1) == almost_stochastic_order(first, second, seed=1)
    assert almost_stochastic_order(first, second, seed=1) != almost_stochastic_order(first, second, seed=2)


def test_false_alarms_at_the_advised_threshold():
    generator = np.random.default_rng(0)
    bounds = [almost_stochastic_order(*generator.normal(80, 1, (2, 10)), 300).epsilon_min for _ in range(400)]
    assert np.mean(np.array(bounds) < 0.2) <= 0.07


@pytest.mark.parametrize("bad", [[], [1, math.nan], [[1, 2]]])
def test_what_is_not_scores_is_refused(bad):
    for first, second in ((bad, [1, 2]), ([1, 2], bad)):
        with pytest.raises(DataError, match="finished seed"):
            almost_stochastic_order(first, second)
