import numpy as np
import pytest

from sharprecl.decision.abstention import bar_of_coverage, bar_of_precision
from sharprecl.errors import ConfigError


def test_the_bar_of_a_coverage_is_reached_by_that_share() -> None:
    confidence = np.random.default_rng(0).permutation(np.arange(1, 101) / 100)
    for share in (0.01, 0.5, 0.9, 0.995):
        bar = bar_of_coverage(confidence, np.ones(100), share)
        assert (confidence >= bar).mean() == pytest.approx(np.ceil(share * 100) / 100)


def test_weights_count() -> None:
    assert bar_of_coverage(np.array([0.9, 0.8, 0.7]), np.array([1.0, 1.0, 8.0]), 0.2) == 0.8


def test_a_promised_precision_is_broken_one_time_in_ten_at_most() -> None:
    broken, coverage = 0, []
    for seed in range(300):
        generator = np.random.default_rng(seed)
        confidence = generator.beta(4, 1, 400)
        right = generator.random(400) < confidence
        try:
            bar = bar_of_precision(confidence, right, np.ones(400), 0.9)
        except ConfigError:
            continue
        # Of Beta(4, 1) the mean above b is known: the integral of 4 x^4 over that of 4 x^3.
        broken += 0.8 * (1 - bar**5) / (1 - bar**4) < 0.9
        coverage.append(1 - bar**4)
    assert broken <= 0.13 * 300
    assert np.mean(coverage) > 0.2


def test_a_precision_that_cannot_be_promised_is_refused() -> None:
    confidence = np.linspace(0.5, 1, 200)
    with pytest.raises(ConfigError, match=r"a precision of 0.99 cannot be promised"):
        bar_of_precision(confidence, np.arange(200) % 2 == 0, np.ones(200), 0.99)


def test_a_model_that_is_always_right_answers_all() -> None:
    confidence = np.linspace(0.2, 1, 500)
    assert bar_of_precision(confidence, np.ones(500, dtype=bool), np.ones(500), 0.95) == pytest.approx(0.2)
