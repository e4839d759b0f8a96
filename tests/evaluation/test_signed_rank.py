"""Wilcoxon's signed ranks: by hand, equal to scipy, ties of rounding, and how often it is wrong on null data."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from sharprecl.errors import DataError
from sharprecl.evaluation.significance.answers import item_scores
from sharprecl.evaluation.significance.signed_rank import signed_rank


def test_by_hand():
    """Ranks of |d| = 1, 2, 3, 4 with one negative, the smallest: W = 1, and 2 of 16 sign patterns reach it a side."""
    found = signed_rank([4, 7, 5, 9], [5, 5, 2, 5])
    assert (found.statistic, found.p, found.least_p) == (1, 4 / 16, 2 / 16)
    assert (found.n_better, found.n_worse, found.n_equal) == (3, 1, 0)
    assert (found.mean_difference, found.median_difference) == (2, 2.5)


@pytest.mark.parametrize(("n", "least"), [(1, 1), (2, 0.5), (3, 0.25), (5, 0.0625), (6, 0.03125), (10, 2 / 1024)])
def test_the_least_p_is_reached_when_every_seed_agrees(n, least):
    found = signed_rank(np.arange(1, n + 1), np.zeros(n))
    assert found.p == found.least_p == pytest.approx(least)


def test_pairs_without_a_difference_are_left_out():
    assert signed_rank([1, 2, 3, 7], [0, 0, 0, 7]).least_p == 0.25
    nothing = signed_rank([1, 2], [1, 2])
    assert (nothing.p, nothing.least_p, nothing.n_equal) == (1, 1, 2)


def test_differences_that_only_rounding_tells_apart_tie():
    """0.3 - 0.1 and 0.4 - 0.2 are not the same float: as distinct ranks the order of these would be chance."""
    found = signed_rank([0.3, 0.2, 0.9], [0.1, 0.4, 0.1])
    assert found.statistic == 1.5
    assert signed_rank([0.1 + 0.2], [0.3]).n_equal == 1


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20))
def test_equal_to_scipy_and_symmetric(pairs):
    first, second = np.array(pairs).T / 7
    found, turned = signed_rank(first, second), signed_rank(second, first)
    assert (found.p, found.n_better) == (turned.p, turned.n_worse)
    assert found.p >= found.least_p - 1e-12 or len(pairs) > 13
    moved = [(a, b) for a, b in pairs if a != b]
    if moved:
        theirs = wilcoxon(np.subtract(*np.array(moved).T))
        assert (found.statistic, found.p) == (theirs.statistic, theirs.pvalue)


def test_over_the_items_of_one_seed_it_is_mcnemars_test():
    """All differences tie at 1, so z = (b - c) / sqrt(b + c) with b and c the items that only one got right."""
    gold = np.zeros(200, dtype=int)
    first, second = (np.arange(200) < 60).astype(int), ((np.arange(200) >= 55) & (np.arange(200) < 140)).astype(int)
    found = signed_rank(item_scores(gold, first), item_scores(gold, second))
    assert (found.n_better, found.n_worse, found.n_equal) == (80, 55, 65)
    assert found.p == pytest.approx(math.erfc(25 / math.sqrt(135) / math.sqrt(2)))


def test_false_alarms_over_ten_seeds_are_the_exact_ones():
    """Of the 1,024 sign patterns 50 have W <= 8, and the 51st would pass 5 %: 4.9 % of null data (W of 10 pairs)."""
    generator = np.random.default_rng(0)
    p_values = [signed_rank(*generator.normal(80, 1, (2, 10))).p for _ in range(800)]
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(50 / 1024, abs=0.02)


@pytest.mark.parametrize(
    ("first", "second"), [([], []), ([1, 2], [1]), ([[1.0]], [[2.0]]), ([1, math.nan], [1, 2]), ([1], [math.inf])]
)
def test_what_is_not_pairs_is_refused(first, second):
    with pytest.raises(DataError, match="seeds"):
        signed_rank(first, second)
