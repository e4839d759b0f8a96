"""Multiple comparisons with the best: by loops, the t-test, and how often a best system is lost."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t, ttest_1samp, ttest_ind

from sharprecl.errors import DataError
from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import accuracy, macro_f1

GOLD = np.array([0, 0, 1, 1])
ANSWERS = np.array(
    [
        [[0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1]],
        [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]],
        [[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 1, 0]],
    ]
)


def by_loops():
    """Every draw of four items out of four, and the residuals one by one."""
    scores = [[np.mean(row == GOLD) for row in system] for system in ANSWERS]
    means = [sum(row) / 3 for row in scores]
    residual = sum((scores[k][s] - means[k]) ** 2 for k in range(3) for s in range(3)) / 6
    best = max(range(3), key=means.__getitem__)
    found = []
    for k in range(3):
        gaps = []
        for draw in itertools.product(range(4), repeat=4):
            items = list(draw)
            gaps.append(np.mean(ANSWERS[best][:, items] == GOLD[items]) - np.mean(ANSWERS[k][:, items] == GOLD[items]))
        statistic = (means[best] - means[k]) / np.sqrt(2 * residual / 3 + np.var(gaps))
        found.append(1.0 if k == best else min(1.0, 4 * t.sf(statistic, 6)))
    return found


def test_equal_to_loops_over_every_draw():
    expected = by_loops()
    found = compare_with_best(GOLD, ANSWERS, 2, accuracy, n_resamples=200_000).p
    assert 0 < expected[2] < 0.5
    assert found == pytest.approx(expected, abs=2e-3)


RIGHT = np.array([[1, 1, 1, 0, 1, 1], [0, 1, 0, 0, 0, 1]])


def test_two_systems_without_noise_of_items_are_the_t_test():
    gold = np.ones(5, dtype=int)
    found = compare_with_best(gold, np.repeat(RIGHT[:, :, None], 5, axis=2), 2, accuracy)
    test = ttest_ind(*RIGHT)
    assert found.p == pytest.approx((1.0, test.pvalue))
    interval = test.confidence_interval(0.95)
    assert (found.behind[1] - found.margin[1], found.behind[1] + found.margin[1]) == pytest.approx(interval)


def test_a_system_without_chance_in_its_training_adds_no_noise_of_seeds():
    gold = np.ones(5, dtype=int)
    first = np.repeat(RIGHT[0][:, None], 5, axis=1)
    found = compare_with_best(gold, [first, [0, 0, 0, 0, 0]], 2, accuracy)
    assert found.p == pytest.approx((1.0, ttest_1samp(RIGHT[0], 0).pvalue))
    # A third system's seeds say something of the first one's.
    assert compare_with_best(gold, [first, [[0] * 5], first], 2, accuracy).p[1] < found.p[1]


def test_a_single_seed_has_the_noise_of_items_alone():
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 3, 600)
    systems = np.array([np.where(generator.random(600) < share, gold, 0) for share in (0.8, 0.77, 0.5)])
    found = compare_with_best(gold, systems, 3, accuracy, n_resamples=20_000).p
    for system, p in zip(systems[1:], found[1:], strict=True):
        gap = (systems[0] == gold).astype(float) - (system == gold)
        assert p == pytest.approx(min(1.0, 4 * norm.sf(gap.mean() / (gap.std() / np.sqrt(600)))), rel=0.1, abs=1e-9)
    assert found[2] <= 0.05
    assert (found == compare_with_best(gold, systems[:, None], 3, accuracy, n_resamples=20_000).p).all()


def test_where_nothing_varies_a_difference_is_certain_and_equals_may_both_be_best():
    right, wrong = [[0, 0], [0, 0]], [[1, 1], [1, 1]]
    found = compare_with_best([0, 0], [right, right, wrong], 2, accuracy).p
    assert found.tolist() == [1.0, 1.0, 0.0]
    level = compare_with_best([0, 0, 1], [[[0, 0, 0]], [[0, 0, 0]]], 2).p
    assert level.tolist() == [1.0, 1.0]


@settings(max_examples=40)
@given(st.integers(0, 2**31), st.integers(2, 6), st.integers(1, 4))
def test_the_leader_is_never_ruled_out_and_p_are_probabilities(seed, systems, seeds):
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 3, 40)
    answers = generator.integers(-1, 3, (systems, seeds, 40))
    whole = compare_with_best(gold, answers, 3, accuracy, n_resamples=50, seed=1)
    found = whole.p
    means = (answers == gold).mean(axis=(1, 2))
    assert found[np.isclose(means, means.max())].max() == 1
    assert ((found >= 0) & (found <= 1)).all()
    # One question, one answer: the interval leaves out 0 where p is small.
    assert ((found < 0.05) == (whole.behind > whole.margin + 1e-12)).all()
    # The order of the items is of no influence.
    order = generator.permutation(40)
    assert (compare_with_best(gold[order], answers[:, :, order], 3, accuracy, n_resamples=50, seed=1).p == found).all()


def test_a_best_system_is_rarely_lost_and_a_bad_one_is_ruled_out():
    generator = np.random.default_rng(5)
    lost, kept = 0, 0
    for _ in range(150):
        gold = generator.integers(0, 3, 200)
        skill = np.r_[0.85, 0.85, 0.85, 0.85, 0.6][:, None, None] + generator.normal(0, 0.03, (5, 3, 1))
        answers = np.where(generator.random((5, 3, 200)) < skill, gold, (gold + 1) % 3)
        found = compare_with_best(gold, answers, 3, macro_f1, n_resamples=99).p
        lost += found[0] <= 0.05
        kept += found[4] > 0.05
    assert lost <= 15  # 5 % of 150 are 7.5, and the chance of more than 15 is under 1 %
    assert kept == 0


def test_what_is_refused():
    with pytest.raises(DataError, match="two systems or more"):
        compare_with_best([0, 1], [[0, 1]], 2)
    with pytest.raises(DataError, match="of 1, 2 and 3 seeds"):
        compare_with_best([0, 1], [[[0, 1]] * 2, [[0, 1]], [[0, 1]] * 3], 2)
    with pytest.raises(DataError, match="different test sets"):
        compare_with_best([0, 1], [[0, 1, 1], [0, 0, 0]], 2)
    with pytest.raises(DataError, match="hold the id 2"):
        compare_with_best([0, 1], [[0, 1], [2, 0]], 2)
