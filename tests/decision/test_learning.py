"""What was asked for becomes one decision."""

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from sharprecl.config import DecisionConfig
from sharprecl.decision import Learned, check_prior, learn
from sharprecl.errors import ConfigError

NAMES, COUNTS = ("a", "b"), np.array([90, 10])
UNIFORM = np.array([0.5, 0.5])


def learnt(known: np.ndarray | None, held_out: Any = None, **asked: Any) -> Learned:
    return learn(DecisionConfig(**asked), NAMES, COUNTS, known, held_out)


def texts(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    s_NC = rng.normal(size=(n, 2)) * 3
    return s_NC, (rng.random(n) > softmax(s_NC / 2 + np.log([0.9, 0.1]), 1)[:, 0]).astype(np.int64)


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
        check_prior(DecisionConfig(prior="train"), "dice", NAMES, COUNTS, known=False)
    check_prior(DecisionConfig(prior="train", calibrate=True), "dice", NAMES, COUNTS, known=False)
    check_prior(DecisionConfig(), "dice", NAMES, COUNTS, known=False)
    found = learnt(None, texts(5), calibrate=True, prior="train")
    assert found.decision.is_neutral
    assert found.prior_C is None
    assert "was not applied" in found.notes[1]
