"""Holm's correction: by hand, untested cells, monotony, and the chance of any false alarm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.errors import DataError
from sharprecl.evaluation.significance.holm import holm

nan = float("nan")
shares = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_by_hand():
    # 0.01 * 4, 0.02 * 3, 0.03 * 2 but not under 0.06, 0.9 * 1; in the order given.
    found = holm([0.03, 0.01, 0.9, 0.02])
    assert found.adjusted == pytest.approx([0.06, 0.04, 0.9, 0.06])
    assert found.size == 4


def test_untested_cells_stay_out_of_the_family():
    found = holm([[0.03, nan], [nan, 0.01]])
    np.testing.assert_allclose(found.adjusted, [[0.03, nan], [nan, 0.02]])
    assert found.tested.tolist() == [[True, False], [False, True]]
    assert found.size == 2


def test_a_family_of_none():
    found = holm([nan, nan])
    assert found.size == 0
    assert np.isnan(found.adjusted).all()
    assert holm([]).size == 0


@given(shares)
def test_adjusted_values_keep_the_order_and_lie_between_plain_and_bonferroni(p_values):
    plain = np.array(p_values)
    adjusted = holm(plain).adjusted
    order = np.argsort(plain, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= plain).all()
    assert (adjusted <= np.minimum(1, len(plain) * plain) + 1e-12).all()


@given(shares, st.floats(0.01, 0.2))
def test_rejects_what_the_step_down_procedure_rejects(p_values, level):
    rejected, left = set(), sorted(range(len(p_values)), key=lambda index: p_values[index])
    while left and p_values[left[0]] * len(left) <= level:
        rejected.add(left.pop(0))
    assert {index for index, p in enumerate(holm(p_values).adjusted) if p <= level} == rejected


def test_chance_of_any_false_alarm_in_a_table():
    p_values = np.random.default_rng(0).random((2000, 36))
    any_alarm = [(holm(row).adjusted <= 0.05).any() for row in p_values]
    assert np.mean(any_alarm) == pytest.approx(0.05, abs=0.015)
    assert np.mean((p_values <= 0.05).any(axis=1)) > 0.8


@pytest.mark.parametrize("bad", [[-0.1], [0.2, 1.5]])
def test_what_is_no_p_value_is_refused(bad):
    with pytest.raises(DataError, match="0 to 1"):
        holm(bad)
