"""Bootstrap intervals: exact draws, perfect and hopeless predictions, absent classes, coverage of a plain share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.evaluation import intervals
from sharprecl.evaluation.bands import band_masks
from sharprecl.evaluation.intervals import bootstrap_intervals, f1_interval, headline, logit_interval, resample
from sharprecl.evaluation.metrics import counts_of, f1, macro_f1

CONFUSION = np.array([[50, 3, 1], [4, 9, 0], [1, 0, 1]])
BANDS = band_masks([500, 30, 2])


def test_resamples_keep_the_number_of_texts_and_average_to_the_confusion():
    draws = resample(CONFUSION, 4000, seed=0)
    assert draws.tp.shape == (4000, 3)
    assert ((draws.tp + draws.fn).sum(axis=1) == CONFUSION.sum()).all()
    assert (draws.fp.sum(axis=1) == draws.fn.sum(axis=1)).all()
    for drawn, plain in zip(draws, counts_of(CONFUSION), strict=True):
        np.testing.assert_allclose(drawn.mean(axis=0), plain, atol=0.3)


def test_drawing_in_chunks_draws_the_same(monkeypatch):
    whole = resample(CONFUSION, 50, seed=3)
    monkeypatch.setattr(intervals, "CHUNK_CELLS", 20)
    for one, other in zip(whole, resample(CONFUSION, 50, seed=3), strict=True):
        assert np.array_equal(one, other)


def test_seed_decides():
    assert bootstrap_intervals(CONFUSION, BANDS, 200, 1) == bootstrap_intervals(CONFUSION, BANDS, 200, 1)
    assert bootstrap_intervals(CONFUSION, BANDS, 200, 1) != bootstrap_intervals(CONFUSION, BANDS, 200, 2)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), min_size=3, max_size=3), st.integers(0, 9))
def test_perfect_predictions_leave_no_doubt(sizes, seed):
    found = bootstrap_intervals(np.diag(sizes), BANDS, 50, seed)
    assert set(found) == {"accuracy", "macro_f1", "balanced_accuracy", "head", "medium", "tail"}
    assert all(interval == (1.0, 1.0) for interval in found.values())


@settings(max_examples=50)
@given(st.lists(st.integers(0, 6), min_size=9, max_size=9).filter(any))
def test_intervals_hold_the_plain_estimate_and_stay_shares(cells):
    confusion = np.array(cells).reshape(3, 3)
    estimates = headline(counts_of(confusion), BANDS, np.ones(3, dtype=bool))
    for name, (low, high) in bootstrap_intervals(confusion, BANDS, 60).items():
        assert 0 <= low <= estimates[name] + 1e-12
        assert estimates[name] - 1e-12 <= high <= 1


def test_a_class_with_one_text_widens_the_interval():
    """Leaving lost classes out still lets them vary: the tail's single text, once found and once not, has a width."""
    low, high = bootstrap_intervals([[50, 3, 0], [4, 9, 1], [0, 0, 1]], BANDS)["tail"]
    assert high - low > 0.2


def test_a_class_that_a_resample_lost_is_left_out_of_that_resamples_mean():
    confusion = np.array([[50, 0, 1], [0, 30, 2], [0, 0, 1]])
    draws = resample(confusion, 300, seed=2)
    means = []
    for tp, fp, fn in zip(*draws, strict=True):
        means.append(np.mean([2 * a / (2 * a + b + c) for a, b, c in zip(tp, fp, fn, strict=True) if a + c > 0]))
    assert (draws.tp + draws.fn == 0).any(axis=1).mean() > 0.3
    expected = logit_interval(float(macro_f1(counts_of(confusion))), float(np.std(means)))
    assert bootstrap_intervals(confusion, {}, 300, seed=2)["macro_f1"] == pytest.approx(expected)


def test_class_absent_from_the_test_counts_zero_in_every_resample():
    """A third class without texts makes macro-F1, and so its spread, two thirds of what it is with two classes."""
    two = np.array([[40, 10], [5, 45]])
    three = np.pad(two, (0, 1))
    values = macro_f1(resample(two, 300, seed=5))
    expected = logit_interval(2 / 3 * float(macro_f1(counts_of(two))), 2 / 3 * float(values.std()))
    assert bootstrap_intervals(three, {}, 300, seed=5)["macro_f1"] == pytest.approx(expected)


def test_means_leave_out_the_classes_that_do_not_count():
    counts = counts_of([[8, 2, 0], [0, 5, 0], [0, 0, 0]])
    f1_of_two = f1(counts)[:2]
    every, without_third = np.ones(3, dtype=bool), np.array([True, True, False])
    bands = {"rare": np.array([False, True, True])}
    assert headline(counts, bands, every)["macro_f1"] == pytest.approx(f1_of_two.sum() / 3)
    assert headline(counts, bands, without_third)["macro_f1"] == pytest.approx(f1_of_two.mean())
    assert headline(counts, bands, every)["rare"] == pytest.approx(f1_of_two[1] / 2)
    assert headline(counts, bands, without_third)["rare"] == pytest.approx(f1_of_two[1])


def test_accuracy_interval_is_the_textbook_one():
    low, high = bootstrap_intervals([[180, 20], [20, 180]], {}, 4000)["accuracy"]
    # 0.9 of 400 on the logit scale: standard error 1 / sqrt(400 * 0.9 * 0.1).
    expected = 1 / (1 + np.exp(-(np.log(9) + np.array([-1, 1]) * 1.96 / 6)))
    assert (low, high) == pytest.approx(tuple(expected), abs=0.004)


def test_shares_without_spread_have_no_width():
    assert logit_interval(0.4, 0.0) == (0.4, 0.4)
    assert logit_interval(1.0, 0.1) == (1.0, 1.0)
    assert logit_interval(0.0, 0.1) == (0.0, 0.0)


def test_the_interval_of_one_class_is_wilson_s_of_its_share_of_texts() -> None:
    """By Wilson's formula for J = tp / (tp + fp + fn), turned into F1 = 2 J / (1 + J)."""
    for found, named in ((0, 1), (3, 6), (20, 20), (7, 50)):
        share, z2 = found / named, 1.959963984540054**2
        centre = (share + z2 / (2 * named)) / (1 + z2 / named)
        half = np.sqrt(z2) / (1 + z2 / named) * np.sqrt(share * (1 - share) / named + z2 / (4 * named**2))
        expected = [2 * end / (1 + end) for end in (centre - half, centre + half)]
        assert f1_interval(found, named) == pytest.approx(expected, abs=1e-12)
    assert f1_interval(0, 0) == (0.0, 1.0)
