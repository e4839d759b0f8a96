"""Offsets that follow from what answers are worth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.decision.objectives import MacroF1, balanced_accuracy, cost_of_answers


@given(st.lists(st.floats(0.1, 50), min_size=2, max_size=6), st.integers(0, 2**32 - 1))
def test_usual_offsets_answer_what_is_worth_most(costs: list[float], seed: int) -> None:
    C = len(costs)
    names = [str(label) for label in range(C)]
    utility = cost_of_answers(dict(zip(names, costs, strict=True)), names)
    p_NC = np.random.default_rng(seed).dirichlet(np.ones(C), 50)
    worth_NC = p_NC @ utility.worth_CC
    answers_N = (np.log(p_NC) + utility.usual_offsets(C)).argmax(1)
    best_N = worth_NC.max(1)
    np.testing.assert_allclose(worth_NC[np.arange(50), answers_N], best_N, atol=1e-9)


def test_usual_offsets_leave_out_what_has_no_texts_and_what_has_no_offsets() -> None:
    y = np.array([0, 0, 0, 0, 1, 3])
    offset_C = balanced_accuracy(y, np.ones(6), 4).usual_offsets(4)
    assert offset_C[2] == 0
    assert offset_C.sum() == pytest.approx(0)
    assert offset_C[1] - offset_C[0] == pytest.approx(np.log(4))
    pairs = {
        "a": {"a": 0.0, "b": 1.0, "c": 9.0},
        "b": {"a": 1.0, "b": 0.0, "c": 1.0},
        "c": {"a": 1.0, "b": 1.0, "c": 0.0},
    }
    assert not cost_of_answers(pairs, ["a", "b", "c"]).usual_offsets(3).any()
    assert not MacroF1(3).usual_offsets(3).any()
