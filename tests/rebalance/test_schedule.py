import pytest
from hypothesis import given
from hypothesis import strategies as st

from known import expected
from sharprecl.rebalance.schedule import count_hard, mixup_ratio


def test_known_answers():
    ratios = [mixup_ratio(epoch / 30) for epoch in (0, 15, 29)]
    assert ratios == pytest.approx(expected("mixup_ratio", "ratio"), abs=1e-9)
    assert [count_hard(r, 10) for r in ratios] == expected("mixup_ratio", "n_hard_of_10_")
    assert [count_hard(r, 500) for r in ratios] == expected("mixup_ratio", "n_hard_of_500_")


@pytest.mark.parametrize(
    ("ratio", "n", "hard"), [(0.58, 50, 29), (0.57, 100, 57), (0.0, 10, 0), (1.0, 500, 500), (0.7, 0, 0)]
)
def test_count_hard_is_not_fooled_by_rounding(ratio, n, hard):
    assert count_hard(ratio, n) == hard


@given(start=st.floats(0, 1), one=st.floats(0, 1), other=st.floats(0, 1), n=st.integers(0, 1000))
def test_monotone_and_within_bounds(start, one, other, n):
    earlier, later = (mixup_ratio(done, start) for done in sorted([one, other]))
    assert 0 <= earlier <= later <= 1
    assert 0 <= count_hard(earlier, n) <= count_hard(later, n) <= n


def test_ends_at_start_and_at_one():
    assert (mixup_ratio(0.0, 0.3), mixup_ratio(1.0, 0.3), mixup_ratio(2.0, 0.3)) == (0.3, 1.0, 1.0)
    assert {mixup_ratio(done, 0.0, 0.0) for done in (0.0, 0.5, 1.0)} == {0.0}
    assert {mixup_ratio(done, 1.0, 1.0) for done in (0.0, 0.5, 1.0)} == {1.0}
