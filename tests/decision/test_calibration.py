"""Calibration against known answers, a plain grid, and what must hold of any scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax

from sharprecl.decision import calibrate
from sharprecl.decision.calibration import COLDEST, FEWEST

PRIOR = np.array([0.6, 0.25, 0.1, 0.05])


def drawn(n: int, temperature: float, strength: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores s, and labels drawn from softmax(s / T + k log P)."""
    rng = np.random.default_rng(seed)
    s_NC = rng.normal(size=(n, len(PRIOR))) * 4
    p_NC = softmax(s_NC / temperature + strength * np.log(PRIOR), axis=1)
    y_N = (p_NC.cumsum(1) < rng.random(n)[:, None]).sum(1)
    return s_NC, y_N


def log_loss(s_NC: np.ndarray, y_N: np.ndarray, temperature: float, strength: float) -> float:
    """The plain formula."""
    l_NC = log_softmax(s_NC / temperature + strength * np.log(PRIOR), axis=1)
    return float(-l_NC[np.arange(len(y_N)), y_N].mean())


@pytest.mark.parametrize(("temperature", "strength"), [(1.0, 0.0), (2.5, 1.0), (0.5, 0.3), (1.5, -0.5)])
def test_temperature_and_strength_are_recovered(temperature: float, strength: float) -> None:
    found = calibrate(*drawn(40_000, temperature, strength), PRIOR)
    assert found.fitted
    assert found.temperature == pytest.approx(temperature, rel=0.05)
    assert found.strength == pytest.approx(strength, abs=0.05)


def test_no_point_of_a_grid_is_better() -> None:
    s_NC, y_N = drawn(300, 2.0, 0.7, seed=3)
    found = calibrate(s_NC, y_N, PRIOR)
    assert found.log_loss_before == pytest.approx(log_loss(s_NC, y_N, 1.0, 0.0), abs=1e-12)
    assert found.log_loss_after == pytest.approx(log_loss(s_NC, y_N, found.temperature, found.strength), abs=1e-12)
    grid = [log_loss(s_NC, y_N, t, k) for t in np.geomspace(0.2, 10, 80) for k in np.linspace(-2, 3, 80)]
    assert found.log_loss_after <= min(grid)
    assert found.log_loss_after == pytest.approx(min(grid), abs=1e-3)


def test_the_decision_gives_the_calibrated_probabilities() -> None:
    s_NC, y_N = drawn(500, 3.0, 1.0)
    found = calibrate(s_NC, y_N, PRIOR)
    expected = softmax(s_NC / found.temperature + found.strength * np.log(PRIOR), axis=1)
    np.testing.assert_allclose(softmax(found.decision.apply(s_NC), axis=1), expected, atol=1e-12)


@given(st.integers(0, 10_000), st.integers(FEWEST, 80), st.floats(0.01, 30))
def test_the_log_loss_never_rises(seed: int, n: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    s_NC, y_N = rng.normal(size=(n, 4)) * size, rng.integers(4, size=n)
    found = calibrate(s_NC, y_N, PRIOR)
    assert found.log_loss_after <= found.log_loss_before
    assert found.temperature > 0


@given(st.integers(0, 10_000))
def test_what_all_classes_share_does_not_count(seed: int) -> None:
    s_NC, y_N = drawn(60, 1.5, 0.5, seed)
    constant_N = np.random.default_rng(seed).normal(size=(60, 1)) * 100
    found, moved = calibrate(s_NC, y_N, PRIOR), calibrate(s_NC + constant_N, y_N, PRIOR)
    assert moved.log_loss_after == pytest.approx(found.log_loss_after, abs=1e-9)
    assert moved.temperature == pytest.approx(found.temperature, rel=1e-3)


def test_equal_classes_have_no_prior_to_fit() -> None:
    s_NC, y_N = drawn(200, 2.0, 0.0)
    assert calibrate(s_NC, y_N, np.full(4, 0.25)).strength == 0.0


def test_scores_that_tell_all_apart_stop_at_the_bound() -> None:
    y_N = np.arange(40) % 4
    found = calibrate(np.eye(4)[y_N], y_N, PRIOR)
    assert found.temperature == pytest.approx(COLDEST)


@pytest.mark.parametrize("n", [0, 1, FEWEST - 1])
def test_too_few_texts_change_nothing_and_say_so(n: int) -> None:
    found = calibrate(*drawn(n, 3.0, 1.0), PRIOR)
    assert not found.fitted
    assert (found.temperature, found.strength) == (1.0, 0.0)
    assert found.decision.is_neutral
    assert f"{n} held-out texts are too few" in found.sentence


def test_scores_of_single_precision_are_fitted_in_double() -> None:
    s_NC, y_N = drawn(200, 2.0, 0.5)
    narrow = calibrate(s_NC.astype(np.float32), y_N, PRIOR)
    assert narrow.temperature == pytest.approx(calibrate(s_NC, y_N, PRIOR).temperature, rel=1e-4)
