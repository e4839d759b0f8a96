"""What was asked for becomes one decision."""

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from sharprecl.config import DecisionConfig
from sharprecl.decision import HeldOut, Learned, check_decision, learn
from sharprecl.errors import ConfigError

NAMES, COUNTS = ("a", "b"), np.array([90, 10])
UNIFORM = np.array([0.5, 0.5])


def learnt(known: np.ndarray | None, held_out: Any = None, **asked: Any) -> Learned:
    return learn(DecisionConfig(**asked), NAMES, COUNTS, known, held_out)


def texts(n: int) -> HeldOut:
    rng = np.random.default_rng(0)
    s_NC = rng.normal(size=(n, 2)) * 3
    ids = (rng.random(n) > softmax(s_NC / 2 + np.log([0.9, 0.1]), 1)[:, 0]).astype(np.int64)
    return HeldOut(s_NC, ids, np.ones(n))


def test_nothing_asked_changes_nothing() -> None:
    found = learnt(UNIFORM)
    assert found.decision.is_neutral
    assert found.prior_C is UNIFORM
    assert found.facts == {}


def test_bare_scores_are_turned_from_what_the_method_answers_for() -> None:
    np.testing.assert_allclose(np.diff(learnt(UNIFORM, prior="train").decision.shift_C), np.log(1 / 9))
    assert learnt(COUNTS / 100, prior="train").decision.is_neutral
    np.testing.assert_allclose(np.diff(learnt(COUNTS / 100, prior="uniform").decision.shift_C), np.log(9))


def test_calibrated_scores_are_turned_from_the_training_prior() -> None:
    held = texts(3000)
    plain, turned = learnt(None, held, calibrate=True), learnt(None, held, calibrate=True, prior="uniform")
    assert plain.calibration is not None
    assert plain.calibration.strength == pytest.approx(1.0, abs=0.15)
    np.testing.assert_allclose(plain.prior_C, [0.9, 0.1])
    np.testing.assert_allclose(np.diff(turned.decision.shift_C) - np.diff(plain.decision.shift_C), np.log(9))
    assert turned.decision.temperature == plain.decision.temperature
    assert "calibrated on 3000 held-out texts" in plain.notes[0]
    assert plain.facts["calibration"]["n_texts"] == 3000


def test_an_unknown_prior_is_told_before_and_after() -> None:
    with pytest.raises(ConfigError, match="scores of dice are for no known class prior"):
        check_decision(DecisionConfig(prior="train"), "dice", NAMES, COUNTS, known=False)
    check_decision(DecisionConfig(prior="train", calibrate=True), "dice", NAMES, COUNTS, known=False)
    check_decision(DecisionConfig(), "dice", NAMES, COUNTS, known=False)
    found = learnt(None, texts(5), calibrate=True, prior="train")
    assert found.decision.is_neutral
    assert found.prior_C is None
    assert "was not applied" in found.notes[1]


def test_all_decisions_rest_on_calibrated_held_out_scores() -> None:
    held = texts(2000)
    found = learnt(UNIFORM, held, optimise="balanced_accuracy", coverage=0.8, sets=0.9)
    assert found.calibration is not None
    assert found.policy.offset_C is not None
    answers = found.policy.answers(found.decision.apply(held.s_MC))
    # Offsets move answers, and no probability.
    plain = learnt(UNIFORM, held, calibrate=True)
    np.testing.assert_allclose(answers.probabilities_NC, softmax(plain.decision.apply(held.s_MC), 1), atol=1e-12)
    assert (answers.class_ids_N != plain.decision.apply(held.s_MC).argmax(1)).any()
    assert (~answers.abstained_N).mean() == pytest.approx(0.8, abs=0.001)
    assert answers.sets_NC is not None
    assert answers.sets_NC[np.arange(2000), held.label_ids].mean() >= 0.9
    assert answers.sets_NC[np.arange(2000), answers.class_ids_N].all()


def test_a_share_of_the_stream_is_weighed_as_its_prior_says() -> None:
    """The share of texts to be sure of is that of a stream with the prior asked for."""
    held = texts(4000)
    found = learnt(UNIFORM, held, prior="uniform", coverage=0.7)
    sure = ~found.policy.answers(found.decision.apply(held.s_MC)).abstained_N
    weight = (0.5 / np.array([0.9, 0.1]))[held.label_ids]
    assert np.average(sure, weights=weight) == pytest.approx(0.7, abs=0.002)


def test_too_few_held_out_texts_decide_nothing_and_say_so() -> None:
    found = learnt(UNIFORM, texts(20), optimise="macro_f1", coverage=0.8, sets=0.9)
    assert found.policy.is_neutral
    assert "20 held-out texts are too few" in found.notes[0]


def test_a_recall_is_asked_of_a_class_that_there_is() -> None:
    with pytest.raises(ConfigError, match=r"no training text is labelled 'bb' .did you mean 'b'"):
        check_decision(DecisionConfig(optimise="recall:bb>=0.9"), "frozen", NAMES, COUNTS, known=True)
    found = learnt(UNIFORM, texts(2000), optimise="recall:b>=0.9")
    assert found.policy.offset_C is not None
    assert found.policy.offset_C[1] > 0
    assert "'b' is found 90% of the time or more" in found.notes[1]
