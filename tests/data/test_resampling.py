"""Weighted epochs: floor or ceil of every share, exact in the mean, the same whenever asked."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from sharprecl.data.batches import ShuffledBatches
from sharprecl.data.resampling import ONE, Resampling, fixed_shares, systematic_counts

WEIGHTS = st.lists(st.floats(1e-6, 1e6) | st.sampled_from([1.0, 2.0, 0.1]), min_size=1, max_size=60).map(np.array)
SEEDS = st.integers(0, 2**31 - 1)


@given(WEIGHTS)
def test_shares_are_the_weights_scaled_to_mean_one(weight_N: np.ndarray) -> None:
    share_N = fixed_shares(weight_N)
    assert share_N.sum() == len(weight_N) * ONE
    np.testing.assert_allclose(share_N / ONE, weight_N / weight_N.mean(), rtol=1e-9, atol=len(weight_N) / ONE)
    assert (fixed_shares(np.full(len(weight_N), weight_N[0])) == ONE).all()


@given(st.lists(st.integers(0, 40), min_size=1, max_size=12).map(np.array), st.integers(1, 16))
def test_the_mean_over_all_offsets_is_exactly_the_share(share_N: np.ndarray, one: int) -> None:
    counts = np.array([systematic_counts(share_N, offset, one) for offset in range(one)])
    assert (counts.sum(0) == share_N).all()
    assert (counts >= share_N // one).all()
    assert (counts <= -(-share_N // one)).all()


@given(WEIGHTS, SEEDS, st.integers(0, 50))
def test_every_epoch_has_as_many_rows_as_texts_each_its_share_rounded(
    weight_N: np.ndarray, seed: int, epoch: int
) -> None:
    rows = Resampling(weight_N, seed).rows(epoch)
    share_N, count_N = fixed_shares(weight_N), np.bincount(rows, minlength=len(weight_N))
    assert len(rows) == len(weight_N)
    assert (count_N >= share_N // ONE).all()
    assert (count_N <= -(-share_N // ONE)).all()


@settings(max_examples=30)
@given(WEIGHTS, SEEDS, st.integers(1, 30))
def test_several_epochs_together_come_near_the_weights(weight_N: np.ndarray, seed: int, epochs: int) -> None:
    resampling = Resampling(weight_N, seed)
    count_N = sum(np.bincount(resampling.rows(epoch), minlength=len(weight_N)) for epoch in range(epochs))
    assert (np.abs(count_N - epochs * weight_N / weight_N.mean()) < 2.5).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_text_that_is_due_four_times_in_ten_comes_in_the_first_four_epochs(seed: int) -> None:
    weight_N = np.array([0.4] * 30 + [1.6] * 30)
    resampling = Resampling(weight_N, seed)
    seen = set().union(*(resampling.rows(epoch).tolist() for epoch in range(4)))
    assert seen == set(range(60))


@given(WEIGHTS, SEEDS)
def test_epochs_follow_from_the_seed_whenever_they_are_asked_for(weight_N: np.ndarray, seed: int) -> None:
    first, again = Resampling(weight_N, seed), Resampling(weight_N.copy(), seed)
    ahead = [first.rows(epoch).tolist() for epoch in (0, 1, 2, 3)]
    assert [again.rows(epoch).tolist() for epoch in (3, 1, 2, 0)] == [ahead[epoch] for epoch in (3, 1, 2, 0)]


def test_seeds_and_epochs_draw_otherwise() -> None:
    weight_N = np.linspace(0.1, 2.0, 100)
    drawn = {tuple(Resampling(weight_N, seed).rows(epoch).tolist()) for seed in (0, 1) for epoch in (0, 1, 2)}
    assert len(drawn) == 6


def test_integer_weights_are_drawn_as_repeated_rows_are() -> None:
    """Over many epochs the share of every text is that which an epoch over repeated rows has."""
    repeats = np.array([3, 1, 1, 2, 5, 1, 4, 1])
    resampling, epochs = Resampling(repeats.astype(float), 5), 500
    count_N = sum(np.bincount(resampling.rows(epoch), minlength=8) for epoch in range(epochs))
    np.testing.assert_allclose(count_N / count_N.sum(), repeats / repeats.sum(), atol=1e-3)


@given(st.integers(1, 80), st.integers(1, 20), SEEDS, st.floats(0.01, 100))
def test_equal_weights_make_the_batches_of_none(num_texts: int, size: int, seed: int, weight: float) -> None:
    plain = ShuffledBatches(num_texts, size, seed)
    weighted = ShuffledBatches(num_texts, size, seed, Resampling(np.full(num_texts, weight), seed))
    for epoch in range(3):
        for one, other in zip(plain.epoch(epoch), weighted.epoch(epoch), strict=True):
            assert one.tolist() == other.tolist()
