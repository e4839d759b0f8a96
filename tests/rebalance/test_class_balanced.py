import numpy as np
import pytest

from known import CASES
from sharprecl.rebalance.class_balanced import class_balanced_rows

CASE = CASES["class_balanced_sampler"]


def draw(labels, count, seed=0):
    return class_balanced_rows(np.array(labels), count, np.random.default_rng(seed))


def test_known_probabilities_of_texts_and_classes():
    counts = CASE["inputs"]["class_counts"]
    labels = np.random.default_rng(3).permutation(np.repeat(np.arange(len(counts)), counts))
    draws = 200_000
    rows = draw(labels, draws)
    share_N = np.bincount(rows, minlength=len(labels)) / draws
    p_N = np.array(CASE["expected"]["per_sample_weight"])[labels]
    # Six standard deviations of a share; a plain draw would be off by dozens of them.
    assert (np.abs(share_N - p_N) < 6 * np.sqrt(p_N / draws)).all()
    share_C = np.bincount(labels[rows]) / draws
    assert share_C == pytest.approx(CASE["expected"]["class_probability"], abs=6 * (2 / 9 / draws) ** 0.5)


def test_a_class_of_one_text_and_an_absent_class():
    labels = np.array([4, 4, 4, 1, 4])
    rows = draw(labels, 1000)
    assert set(rows) == {0, 1, 2, 3, 4}
    assert 400 < (rows == 3).sum() < 600


def test_one_class_is_drawn_uniformly():
    rows = draw([2, 2, 2], 3000)
    assert (np.bincount(rows, minlength=3) > 800).all()


def test_the_same_generator_state_gives_the_same_rows():
    labels = [0, 0, 0, 1, 1, 2]
    assert draw(labels, 50, 1).tolist() == draw(labels, 50, 1).tolist()
    assert draw(labels, 50, 1).tolist() != draw(labels, 50, 2).tolist()
    assert draw(labels, 50).dtype == np.int64
