"""The forecast_batches carries the figures of ``batch_statistics`` under the names of the classes."""

import math

import pytest

from sharprecl.doctor.batch_forecast import forecast_batches
from sharprecl.errors import ConfigError


def test_small_batches_by_hand() -> None:
    found = forecast_batches({"a": 3, "b": 2, "c": 1}, 2)
    # A pair of 6 texts is one of 15; two of one class are 3 + 1 of them.
    assert found.expected_classes == pytest.approx(2 - 4 / 15)
    assert list(found.alone) == ["a", "b", "c"]
    assert [found.alone[name] for name in "abc"] == pytest.approx([3 / 5, 4 / 5, 1.0])
    assert found.pair_ratio == pytest.approx(3.0), "3 * 2 over 2 * 1; c has no pair"
    # Two views: 4 pairs for two texts of a class in the batch, and two for each text with itself.
    pairs = {"a": 4 * 2 * 3 / 15 + 2 * 3 / 3, "c": 2 * 1 / 3}
    assert found.two_view_pair_ratio == pytest.approx(pairs["a"] / pairs["c"])
    # With prototypes and ten targets: 4 k (k - 1) + 2 * 3 k pairs of items, and ten of each of 2 k + 1 items.
    a, c = 8 * 3 / 15 + 6 * 1 + 10 * 3, 0 + 6 / 3 + 10 * (2 / 3 + 1)
    assert found.balanced_pair_ratio == pytest.approx(a / c)
    assert (found.rebalanced_pair_ratio, found.classes_with_prototypes, found.batch_size) == (1.0, 3, 2)


def test_a_batch_of_everything_and_no_pairs_at_all() -> None:
    assert forecast_batches({"a": 2, "b": 2}, 1000).alone == {"a": 0.0, "b": 0.0}
    found = forecast_batches({"a": 1, "b": 1}, 2)
    assert found.pair_ratio is None
    assert found.two_view_pair_ratio == 1.0
    assert math.isclose(found.expected_classes, 2.0)
    with pytest.raises(ConfigError, match="batch size"):
        forecast_batches({"a": 1, "b": 1}, 0)
