"""The figures of a run by hand."""

import pytest

from sharprecl.experiments.measure import measure


def test_by_hand() -> None:
    # Class 0: 2 right of 3, nothing wrongly given. Class 1: 1 of 2, one false positive. Class 2: not answered.
    metrics, f1 = measure((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 0, -1), (150, 30, 3))
    assert f1 == pytest.approx((2 * 2 / (2 * 2 + 1 + 1), 2 / (2 + 1 + 1), 0.0))
    assert metrics["accuracy"] == pytest.approx(3 / 6)
    assert metrics["macro_f1"] == pytest.approx(sum(f1) / 3)
    assert metrics["balanced_accuracy"] == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert [metrics[name] for name in ("head", "medium", "tail")] == pytest.approx(list(f1))


def test_a_band_without_classes_has_no_figure() -> None:
    metrics, _ = measure((0, 1), (0, 1), (150, 200))
    assert metrics["head"] == 1.0
    assert metrics["medium"] is None
    assert metrics["tail"] is None
