import numpy as np

from sharprecl.decision.shift import estimate_prior


def stream(seed: int, shares: np.ndarray, n: int, known: np.ndarray) -> np.ndarray:
    """Exact log-posteriors under the known prior of texts that come by other shares."""
    generator = np.random.default_rng(seed)
    y = generator.choice(len(shares), n, p=shares)
    x = generator.normal(size=(n, len(shares))) + 2 * np.eye(len(shares))[y]
    # log N(x; 2 e_c, I) = 2 x_c + what does not depend on c.
    return 2 * x + np.log(known)


def test_shares_are_found_and_lie_in_their_intervals() -> None:
    known, true = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    inside = []
    for seed in range(15):
        found = estimate_prior(stream(seed, true, 500, known), known, seed=seed)
        np.testing.assert_allclose(found.shares_C, true, atol=0.12)
        assert abs(found.shares_C.sum() - 1) < 1e-6
        inside.append((found.low_C <= true) & (true <= found.high_C))
    assert np.mean(inside) > 0.85


def test_a_constant_a_row_and_rows_of_nan_change_nothing() -> None:
    known = np.array([0.5, 0.3, 0.2])
    z = stream(0, known, 300, known)
    shifted = np.concatenate([z + np.arange(300)[:, None], np.full((2, 3), np.nan)])
    np.testing.assert_allclose(estimate_prior(z, known).shares_C, estimate_prior(shifted, known).shares_C, atol=1e-9)


def test_a_second_estimate_tells_whether_to_believe_the_first() -> None:
    known, true = np.array([0.7, 0.2, 0.1]), np.array([0.2, 0.3, 0.5])
    generator = np.random.default_rng(1)
    y = generator.choice(3, 800, p=known)
    held = 2 * (generator.normal(size=(800, 3)) + 2 * np.eye(3)[y]) + np.log(known)
    new = stream(0, true, 500, known)
    good = estimate_prior(new, known, (held, y))
    assert good.disagreement is not None
    assert not good.doubtful
    # Scores that are far from calibrated mislead the likelihood, but not the answers.
    bad = estimate_prior(0.2 * new, known, (0.2 * held, y))
    assert bad.doubtful
    assert estimate_prior(new, known).disagreement is None


def test_without_texts_the_known_prior_stays() -> None:
    known = np.array([0.5, 0.3, 0.2])
    np.testing.assert_allclose(estimate_prior(np.empty((0, 3)), known).shares_C, known)


def test_few_held_out_texts_of_a_class_leave_it_in_doubt() -> None:
    # CR at 50 to 1: out-of-fold models found 5 of 43 rare texts, the final model a quarter, and both estimates said
    # that nearly all texts were rare ones.
    generator = np.random.default_rng(2)
    known = np.array([0.02, 0.98])
    y = np.repeat([0, 1], [43, 2165])
    held = np.log(known) + np.stack(
        [np.where(np.arange(2208) < 5, 8.0, generator.normal(-1, 1, 2208)), np.zeros(2208)], 1
    )
    new = np.log(known) + np.stack([np.where(np.arange(376) < 39, 8.0, 3.5), np.zeros(376)], 1)
    found = estimate_prior(new, known, (held, y))
    assert found.shares_C[0] > 0.9
    assert found.doubtful
