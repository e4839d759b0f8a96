"""Draws among the best scores: by their probability, and sure only where rounding has no say."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sharprecl.augment.draws import SAME, draw_among_best, gumbel

scores = arrays(
    np.float64, st.integers(1, 12), elements=st.sampled_from([-np.inf, 0.0, SAME / 3, SAME, 0.5, 1.0, 1.0005])
)


def test_the_draws_have_the_softmax_s_shares():
    scores_V = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    rng = np.random.default_rng(0)
    drawn = [draw_among_best(scores_V, rng.random(4, dtype=np.float32), 3)[0] for _ in range(4000)]
    shares = np.bincount(drawn, minlength=4) / 4000
    np.testing.assert_allclose(shares, np.array([0.5, 0.3, 0.15, 0]) / 0.95, atol=0.03)


def test_one_of_one_is_the_best_and_nothing_is_nothing():
    scores_V = np.array([0.0, 2.0, 1.0])
    assert draw_among_best(scores_V, np.array([0.9, 0.1, 0.9]), 1) == (1, True)
    assert draw_among_best(np.full(3, -np.inf), np.zeros(3), 5) == (None, True)
    assert draw_among_best(np.array([-np.inf, 1.0]), np.zeros(2), 5) == (1, True)


def test_what_is_near_is_not_sure():
    assert draw_among_best(np.array([1.0, 1.0 + SAME / 2]), np.full(2, 0.5), 2) == (1, False)
    # Nearly the same score at the edge of the n best, where the noise favours the one that is out by a hair.
    assert draw_among_best(np.array([1.0, 1.0 - SAME / 2]), np.array([0.5, 0.99]), 1) == (0, False)


@given(scores, st.integers(1, 12), st.integers(0, 99), st.integers(0, 99))
def test_what_is_sure_survives_rounding(scores_V, n, seed, other_seed):
    uniform_V = np.random.default_rng(seed).choice([0.2, 0.4, 0.6], len(scores_V))
    drawn, sure = draw_among_best(scores_V, uniform_V, n)
    assert (drawn is None) == bool(np.isneginf(scores_V).all())
    if drawn is not None:
        assert (scores_V > scores_V[drawn]).sum() < n
    if sure:
        moved_V = scores_V + np.random.default_rng(other_seed).uniform(-1, 1, len(scores_V)) * SAME * 0.49
        assert draw_among_best(moved_V, uniform_V, n)[0] == drawn


def test_noise_is_finite_and_float32():
    noise = gumbel(np.array([0, 1e-38, 0.5, np.nextafter(np.float32(1), np.float32(0))], np.float32))
    assert noise.dtype == np.float32
    assert np.isfinite(noise).all()
    assert (np.diff(noise) >= 0).all()
