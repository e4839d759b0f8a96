"""A new row competes with the old ones at the right level, whatever the features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.adaptation.new_rows import OldTexts, new_rows

C, H = 5, 24


def world(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, OldTexts, np.random.Generator]:
    """Gaussian classes C + 2 in number, and the best linear classifier of the first C."""
    rng = np.random.default_rng(seed)
    means = 3 * rng.normal(size=(C + 2, H)) / np.sqrt(H) + 4
    w_CH, b_C = 4 * means[:C], -2 * (means[:C] ** 2).sum(1)
    x_RH = np.repeat(means[:C], 40, axis=0) + rng.normal(size=(40 * C, H)) / 2
    old = OldTexts(x_RH, x_RH @ w_CH.T + b_C, np.full(len(x_RH), 1 / len(x_RH)), 8.0)
    return means, w_CH, b_C, old, rng


@pytest.mark.parametrize(("number", "least", "most_lost"), [(1, 0.5, 0.2), (3, 0.75, 0.1), (20, 0.85, 0.1)])
def test_new_classes_are_found_and_the_others_kept(number: int, least: float, most_lost: float) -> None:
    found, kept = [], []
    for seed in range(5):
        means, w_CH, b_C, old, rng = world(seed)
        k_N = np.repeat([0, 1], number)
        x_NH = means[C + k_N] + rng.normal(size=(len(k_N), H)) / 2
        w_KH, b_K = new_rows(x_NH, x_NH @ w_CH.T + b_C, k_N, old, np.full(2, 1 / (C + 2)))
        y_M = np.repeat(np.arange(C + 2), 100)
        x_MH = means[y_M] + rng.normal(size=(len(y_M), H)) / 2
        answers = np.concatenate([x_MH @ w_CH.T + b_C, x_MH @ w_KH.T + b_K], axis=1).argmax(1)
        found.append((answers == y_M)[y_M >= C].mean())
        kept.append((answers < C)[y_M < C].mean())
    assert np.mean(found) > least
    assert np.mean(kept) > 1 - most_lost


def test_a_larger_share_finds_more_and_takes_more() -> None:
    means, w_CH, b_C, old, rng = world()
    # Halfway to an old class, so that there is something to be decided.
    means[C] = (means[C] + 2 * means[0]) / 3
    x_NH = means[C] + rng.normal(size=(10, H)) / 2
    x_MH = means[np.repeat([0, C], 500)] + rng.normal(size=(1000, H)) / 2
    given = []
    for share in (0.02, 0.2, 0.6):
        w_KH, b_K = new_rows(x_NH, x_NH @ w_CH.T + b_C, np.zeros(10, dtype=np.int64), old, np.array([share]))
        won = (x_MH @ w_KH.T + b_K)[:, 0] > (x_MH @ w_CH.T + b_C).max(1)
        given.append([won[:500].mean(), won[500:].mean()])
    assert (np.diff(given, axis=0) > 0).all()


@settings(max_examples=20)
@given(shift=st.floats(-50, 50), seed=st.integers(0, 9))
def test_what_all_scores_share_does_not_count(shift: float, seed: int) -> None:
    """Old scores moved by a constant move the new ones along, and the answers stay."""
    means, w_CH, b_C, old, rng = world(seed)
    x_NH = means[C] + rng.normal(size=(4, H)) / 2
    share, k_N, s_NC = np.array([0.1]), np.zeros(4, dtype=np.int64), x_NH @ w_CH.T + b_C
    moved = OldTexts(old.x_RH, old.s_RC + shift, old.weight_R, old.length)
    (w_KH, b_K), (v_KH, c_K) = new_rows(x_NH, s_NC, k_N, old, share), new_rows(x_NH, s_NC + shift, k_N, moved, share)
    np.testing.assert_allclose(old.x_RH @ v_KH.T + c_K, old.x_RH @ w_KH.T + b_K + shift, rtol=1e-2, atol=0.2)
