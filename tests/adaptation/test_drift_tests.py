"""Every test notices what it is for, and its threshold and p-value say the same."""

from collections.abc import Callable

import numpy as np
import pytest

from sharprecl.adaptation import drift_tests
from sharprecl.adaptation.drift_tests import Compared

LEVEL = 0.05
Sampler = Callable[[np.random.Generator, bool], Compared]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift_tests, "DRAWS", 199)


def shares(rng: np.random.Generator, drifts: bool) -> Compared:
    usual = np.array([0.7, 0.2, 0.1])
    now = usual[::-1] if drifts else usual
    return drift_tests.compare_shares(rng.choice(3, 90, p=usual), rng.choice(3, 70, p=now), 3, LEVEL)


def values(rng: np.random.Generator, drifts: bool) -> Compared:
    return drift_tests.compare_values(rng.normal(size=90), rng.normal(1.0 * drifts, size=70), LEVEL)


def features(rng: np.random.Generator, drifts: bool) -> Compared:
    return drift_tests.compare_features(rng.normal(size=(50, 4)), rng.normal(0.8 * drifts, size=(40, 4)), LEVEL)


def counts(rng: np.random.Generator, drifts: bool) -> Compared:
    new = int(rng.binomial(70, 0.4 if drifts else 0.1))
    return drift_tests.compare_counts(int(rng.binomial(90, 0.1)), 90, new, 70, LEVEL)


def far(rng: np.random.Generator, drifts: bool) -> Compared:
    old, new = rng.normal(size=(120, 4)), rng.normal(size=(70, 4))
    new[: 30 * drifts] += 5
    return drift_tests.compare_distances(drift_tests.distances(old), drift_tests.distances(old, new), LEVEL)


@pytest.mark.parametrize("sample", [shares, values, features, counts, far])
def test_alarms_are_rarely_false_and_drift_is_seen(sample: Sampler) -> None:
    rng = np.random.default_rng(0)
    same = [sample(rng, False) for _ in range(60)]
    drifted = [sample(rng, True) for _ in range(10)]
    # 8 of 60 would come from a test of level 5 % once in 100 trials.
    assert sum(found.p <= LEVEL for found in same) < 8
    assert sum(found.p <= LEVEL for found in drifted) >= 9
    # A quantile of permutations is an alarm only above it, a number of texts from it on.
    discrete = sample in (counts, far)
    for found in [*same, *drifted]:
        beyond = found.figure > found.threshold - 1e-9 if discrete else found.figure > found.threshold
        assert beyond == (found.p <= LEVEL), found


def test_equal_rows_of_any_number_are_no_alarm() -> None:
    ids, rows = np.zeros(60, dtype=np.int64), np.ones((60, 3))
    for found in (
        drift_tests.compare_shares(ids, ids[:50], 4, LEVEL),
        drift_tests.compare_values(ids, ids, LEVEL),
        drift_tests.compare_features(rows, rows, LEVEL),
        drift_tests.compare_counts(0, 60, 0, 60, LEVEL),
        drift_tests.compare_distances(drift_tests.distances(rows), drift_tests.distances(rows, rows), LEVEL),
    ):
        assert (found.figure, found.p) == (pytest.approx(0, abs=1e-12), 1)
