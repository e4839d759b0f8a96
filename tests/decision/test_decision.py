"""Decisions are affine, and one behind the other is one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.decision import Decision

S_NC = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32) * 5


def test_the_neutral_one_changes_no_bit() -> None:
    assert Decision.neutral(3).is_neutral
    assert Decision.neutral(3).apply(S_NC) is S_NC
    assert Decision(1.0, np.full(3, 7.0)).is_neutral, "what all classes share prefers none"


def test_it_is_affine() -> None:
    found = Decision(2.0, np.array([0.0, 1.0, -1.0])).apply(S_NC)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, S_NC / 2 + [0.0, 1.0, -1.0], rtol=1e-6)


def test_a_temperature_alone_changes_no_answer() -> None:
    assert (Decision(3.0, np.zeros(3)).apply(S_NC).argmax(1) == S_NC.argmax(1)).all()


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.integers(0, 1000))
def test_one_behind_the_other_is_one(first: float, second: float, seed: int) -> None:
    shifts = np.random.default_rng(seed).normal(size=(2, 3))
    one, two = Decision(first, shifts[0]), Decision(second, shifts[1])
    s_NC = S_NC.astype(np.float64)
    np.testing.assert_allclose(one.then(two).apply(s_NC), two.apply(one.apply(s_NC)), atol=1e-9)
