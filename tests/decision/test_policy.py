import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.decision import NEUTRAL, Decision, HeldOut, Policy
from sharprecl.decision import held_out as held_out_module


def test_neutral_answers_are_the_most_probable_class_and_always_sure() -> None:
    found = NEUTRAL.answers(np.log([[0.7, 0.3], [0.2, 0.8]]))
    assert found.class_ids_N.tolist() == [0, 1]
    np.testing.assert_allclose(found.confidence_N, [0.7, 0.8])
    assert not found.abstained_N.any()
    assert found.sets_NC is None


def test_a_row_of_nan_is_no_answer_and_has_an_empty_set() -> None:
    policy = Policy(least_confidence=0.5, set_bar_C=np.array([0.1, 0.1]), set_level=0.9)
    found = policy.answers(np.array([[np.nan, np.nan], [2.0, 0.0]], dtype=np.float32))
    assert found.class_ids_N.tolist() == [-1, 0]
    assert np.isnan(found.confidence_N[0])
    assert found.abstained_N.tolist() == [True, False]
    assert found.sets_NC is not None
    assert found.sets_NC.tolist() == [[False, False], [True, True]]


def test_offsets_change_answers_and_leave_probabilities() -> None:
    offset = np.array([0.0, 2.0])
    log_p = np.log([[0.7, 0.3], [0.95, 0.05]])
    found = Policy(offset_C=offset, set_bar_C=np.array([0.99, 0.99])).answers(log_p + offset)
    assert found.class_ids_N.tolist() == [1, 0]
    np.testing.assert_allclose(found.confidence_N, [0.3, 0.95])
    # What is answered is in its set, although less probable than the bar.
    assert found.sets_NC is not None
    assert found.sets_NC.tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize(
    "policy", [NEUTRAL, Policy(np.array([0.0, 1.5]), 0.25, np.array([0.1, 0.2]), 0.9), Policy(least_confidence=0.5)]
)
def test_a_policy_comes_back_from_json(policy: Policy) -> None:
    back = Policy.from_dict(json.loads(json.dumps(policy.to_dict())))
    assert back.to_dict() == policy.to_dict()
    assert back.is_neutral == policy.is_neutral


@given(st.floats(0.1, 10), st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_a_decision_is_undone_by_its_inverse(temperature: float, shift: list[float]) -> None:
    s = np.random.default_rng(0).normal(size=(5, 3))
    decision = Decision(temperature, np.array(shift))
    np.testing.assert_allclose(decision.inverse().apply(decision.apply(s)), s, atol=1e-9)
    np.testing.assert_allclose(decision.then(decision.inverse()).apply(s), s, atol=1e-9)
    assert Decision.from_dict(decision.to_dict(), 3).to_dict() == decision.to_dict()


def test_held_out_scores_come_back_and_too_many_are_sampled_by_class(tmp_path, monkeypatch) -> None:
    rng = np.random.default_rng(0)
    ids = np.repeat([0, 1, 2], [900, 60, 3])
    held = HeldOut(rng.normal(size=(963, 3)).astype(np.float32), ids, np.ones(963))
    assert HeldOut.load(tmp_path) is None
    held.save(tmp_path)
    back = HeldOut.load(tmp_path)
    assert back is not None
    np.testing.assert_array_equal(back.s_MC, held.s_MC)
    monkeypatch.setattr(held_out_module, "MOST_SCORES", 300)
    held.save(tmp_path)
    back = HeldOut.load(tmp_path)
    assert back is not None
    assert back.s_MC.size <= 330
    texts = np.bincount(back.label_ids)
    assert texts[2] == 3
    assert texts[0] == texts[1]
    # Together the kept ones weigh what all weighed, class by class.
    np.testing.assert_allclose(np.bincount(back.label_ids, back.weight_M), [900, 60, 3])
