"""Ranks over columns: by hand, equal to scipy, published critical values, groups, blocks, null data."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from sharprecl.errors import DataError
from sharprecl.evaluation.ranks import critical_difference, rank_methods

nan = math.nan


def test_by_hand():
    found = rank_methods(["a", "b", "c"], [[90, 80, 70], [91, 80, 60], [95, 70, 75]])
    # Ranks: 3 2 1 / 1.5 1.5 3 / 2 3 1.
    assert found.methods == ("c", "a", "b")
    assert found.average_ranks == pytest.approx((5 / 3, 6.5 / 3, 6.5 / 3))
    # chi^2 = 12 N / (k (k + 1)) (sum of R^2 - k (k + 1)^2 / 4) = 0.5, over the correction 1 - 6 / (24 * 3) for the tie.
    assert found.p == pytest.approx(math.exp(-0.5 / (1 - 6 / 72) / 2))


@pytest.mark.parametrize(("n_methods", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (10, 3.164)])
def test_critical_values_are_the_published_ones(n_methods, q):
    """Table 5 of Demšar (2006); with one column the critical difference is q sqrt(k (k + 1) / 6)."""
    assert critical_difference(n_methods, 1) == pytest.approx(q * math.sqrt(n_methods * (n_methods + 1) / 6), rel=4e-4)


def test_four_methods_on_fourteen_data_sets_as_in_demsar():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


@given(st.integers(3, 6), st.integers(2, 6), st.integers(0, 99))
def test_friedman_is_scipys(n_methods, n_columns, seed):
    scores = np.random.default_rng(seed).integers(0, 5, (n_methods, n_columns))
    found = rank_methods([str(index) for index in range(n_methods)], scores)
    if (scores == scores[0]).all():
        assert found.p == 1
    else:
        assert found.p == pytest.approx(friedmanchisquare(*scores).pvalue)
    assert sum(found.average_ranks) == pytest.approx(n_methods * (n_methods + 1) / 2)


def test_friedman_needs_three_methods_and_two_blocks():
    assert rank_methods(["a", "b"], [[1, 2], [2, 1]]).p is None
    assert rank_methods(["a", "b", "c"], [[1], [2], [3]]).p is None
    assert rank_methods(["a", "b", "c"], [[1, 1], [2, 2], [3, 3]], ["x", "x"]).p is None


def test_methods_that_tie_everywhere():
    found = rank_methods(["a", "b", "c"], np.ones((3, 4)))
    assert found.p == 1
    assert found.average_ranks == (2, 2, 2)
    assert found.methods == ("a", "b", "c")
    assert found.groups == (("a", "b", "c"),)


def test_groups_hold_neighbours_within_the_critical_difference():
    """Five methods in one order on 18 columns: ranks 1 to 5, difference 1.44: only neighbours go together."""
    names = ["e", "d", "c", "b", "a"]
    found = rank_methods(names, np.arange(5)[:, None] + np.zeros(18))
    assert found.critical_difference == pytest.approx(2.728 * math.sqrt(30 / 108), rel=1e-3)
    assert found.methods == ("a", "b", "c", "d", "e")
    assert found.groups == (("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"))
    # On 40 columns it is 0.965, so every method stands alone; on 2 it is 4.31, so all go together.
    assert rank_methods(names, np.arange(5)[:, None] + np.zeros(40)).groups == ()
    assert rank_methods(names, np.arange(5)[:, None] + np.zeros(2)).groups == (found.methods,)


@given(st.integers(0, 500))
def test_every_pair_shares_a_group_exactly_where_it_does_not_differ(seed):
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(7, 12)) + 2 * generator.normal(size=(7, 1))
    found = rank_methods(list("abcdefg"), scores)
    ranks = dict(zip(found.methods, found.average_ranks, strict=True))
    for one in found.methods:
        for other in found.methods:
            together = any({one, other} <= set(group) for group in found.groups)
            alike = abs(ranks[one] - ranks[other]) < found.critical_difference
            assert one == other or together == alike
    assert all(len(group) > 1 for group in found.groups)
    assert not any(set(a) < set(b) for a in found.groups for b in found.groups)


def test_a_block_counts_once():
    # In x, a wins twice and loses once: mean ranks 4/3 and 5/3; in y, b wins.
    scores = [[9, 9, 1, 1], [5, 5, 5, 5]]
    found = rank_methods(["a", "b"], scores, ["x", "x", "x", "y"])
    assert found.average_ranks == (1.5, 1.5)
    assert found.critical_difference == critical_difference(2, 2)
    alone = rank_methods(["a", "b"], scores, ["w", "x", "y", "z"])
    assert alone == rank_methods(["a", "b"], scores)


def test_blocks_keep_the_level_where_columns_share_their_luck():
    generator = np.random.default_rng(0)
    names, blocks = list("abcdef"), np.repeat(np.arange(6), 3).tolist()
    alarms = []
    for _ in range(150):
        scores = generator.normal(size=(6, 6))[:, blocks] + 0.5 * generator.normal(size=(6, 18))
        alarms.append([rank_methods(names, scores, own).p <= 0.05 for own in (None, blocks)])
    columns, blocked = np.mean(alarms, axis=0)
    assert columns > 0.3
    assert blocked <= 0.1


@pytest.mark.parametrize(
    ("methods", "scores", "blocks", "part"),
    [
        (["a"], [[1]], None, "two methods"),
        (["a", "b"], [[1, 2]], None, "two methods"),
        (["a", "b"], [1, 2], None, "two methods"),
        (["a", "b"], [[1, nan], [nan, 2]], None, "no score in some column"),
        (["a", "b"], [[1], [2]], ["x", "y"], "2 blocks"),
    ],
)
def test_what_cannot_be_ranked_is_refused(methods, scores, blocks, part):
    with pytest.raises(DataError, match=part):
        rank_methods(methods, scores, blocks)
