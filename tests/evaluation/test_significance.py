"""Paired bootstrap: every draw enumerated, closed forms, scipy, symmetry, false alarms on null data. Holm by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from sharprecl.errors import DataError
from sharprecl.evaluation import resampler
from sharprecl.evaluation.metrics import accuracy, balanced_accuracy, macro_f1
from sharprecl.evaluation.significance import holm, paired_bootstrap

GOLD = [0, 0, 1, 2]
FIRST = [[0, 0, 1, 2], [0, 1, 1, 0]]
SECOND = [[0, 1, 0, -1], [0, 0, 0, 2]]


def macro(gold, answers):
    total = 0.0
    for label in range(3):
        found, both = ((gold == label) & (answers == label)).sum(), (gold == label).sum() + (answers == label).sum()
        total += 2 * found / both if both else 0.0
    return total / 3


def share(gold, answers):
    return np.mean(gold == answers)


def enumerated(score, seeds):
    """p and sd from every draw of 4 items out of 4 (and, for two seeds, of one seed out of two), by loops."""
    gold, first, second = np.array(GOLD), np.array(FIRST), np.array(SECOND)

    def difference(items, rows):
        return np.mean([score(gold[items], first[s, items]) - score(gold[items], second[s, items]) for s in rows])

    rows = [[0, 1]] if seeds == "fixed" else [[0], [1]]
    plain = difference(range(4), [0, 1])
    draws = np.array([difference(list(items), s) for items in itertools.product(range(4), repeat=4) for s in rows])
    return plain, np.mean(abs(draws - plain) >= abs(plain) - 1e-9)


@pytest.mark.parametrize("seeds", ["fixed", "drawn"])
@pytest.mark.parametrize(("metric", "score"), [(accuracy, share), (macro_f1, macro)])
def test_equal_to_every_draw_enumerated(metric, score, seeds):
    plain, p = enumerated(score, seeds)
    found = paired_bootstrap(GOLD, FIRST, SECOND, 3, metric, seeds=seeds, n_resamples=40_000)
    assert found.difference == pytest.approx(plain)
    assert 0.02 < p < 0.98
    assert found.p == pytest.approx(p, abs=0.012)  # five standard errors


def test_by_hand():
    """One of two items differs: d = 1/2, d* is 0, 1/2, 1 with 1/4, 1/2, 1/4, and |d* - d| >= 1/2 in half the draws."""
    found = paired_bootstrap([0, 1], [0, 1], [0, 0], 2, accuracy, n_resamples=20_000)
    assert found.difference == 0.5
    assert found.p == pytest.approx(0.5, abs=0.02)
    assert found.interval == (0.0, 1.0)
    assert found.least_p == 1 / 20_001


def test_spread_of_accuracy_is_that_of_the_mean_item_difference_and_scipys():
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 3, 400)
    first, second = (np.where(generator.random((2, 400)) < share, gold, 0) for share in (0.8, 0.77))
    found = paired_bootstrap(gold, first, second, 3, accuracy, n_resamples=4_000)
    items = (first == gold).mean(axis=0) - (second == gold).mean(axis=0)
    half = found.interval[1] - found.difference
    assert half == pytest.approx(1.96 * items.std() / 20, rel=0.06)
    theirs = bootstrap((items,), np.mean, n_resamples=4_000, method="basic", rng=np.random.default_rng(1))
    assert half == pytest.approx((theirs.confidence_interval.high - theirs.confidence_interval.low) / 2, rel=0.06)


def test_drawn_seeds_carry_the_variance_of_a_mean_over_seeds():
    """Each seed is right on all items or on none beside its rival's half: only seeds vary, sd^2 = s^2 / S."""
    shares = np.array([0.2, 0.5, 0.6, 0.9])
    gold = np.zeros(2000, dtype=int)
    first = (np.arange(2000) >= shares[:, None] * 2000).astype(int)
    second = np.tile((np.arange(2000) >= 1000).astype(int), (4, 1))
    found = paired_bootstrap(gold, first, second, 2, accuracy, seeds="drawn", n_resamples=4_000)
    fixed = paired_bootstrap(gold, first, second, 2, accuracy, n_resamples=4_000)
    deviations = shares - 0.5
    # S - 1 = 3 of 4 draws: values are means of three of the four; 95 % of the enumerated distances.
    means = [np.mean(rows) for rows in itertools.product(deviations, repeat=3)]
    assert np.var(means) == pytest.approx(deviations.var(ddof=1) / 4)
    expected = np.quantile(np.abs(np.array(means) - deviations.mean()), 0.95, method="inverted_cdf")
    assert found.interval[1] - found.difference == pytest.approx(expected, abs=0.04)
    assert fixed.interval[1] - fixed.difference < expected / 4


items = st.lists(st.tuples(*[st.integers(0, 2)] + [st.integers(-1, 2)] * 4), min_size=1, max_size=12)


@settings(max_examples=80)
@given(
    items,
    st.integers(0, 9),
    st.sampled_from(["fixed", "drawn"]),
    st.sampled_from([20, 99]),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_items_has_no_influence_and_interval_and_p_agree(rows, seed, seeds, resamples, shuffler):
    def test(table):
        gold, *answers = np.array(table).T
        return paired_bootstrap(gold, answers[:2], answers[2:], 3, seeds=seeds, n_resamples=resamples, seed=seed)

    found = test(rows)
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert test(shuffled) == found
    assert found.least_p <= found.p <= 1
    low, high = found.interval
    assert low <= found.difference <= high
    assert (found.p <= 0.05) == (not low <= 0 <= high)


def test_swapping_the_systems_turns_the_sign():
    generator = np.random.default_rng(2)
    gold = generator.integers(0, 3, 200)
    first, second = (np.where(generator.random((3, 200)) < share, gold, 1) for share in (0.85, 0.8))
    one = paired_bootstrap(gold, first, second, 3)
    other = paired_bootstrap(gold, second, first, 3)
    assert one.difference == pytest.approx(-other.difference)
    assert one.p == pytest.approx(other.p, abs=0.02)


def test_seed_decides():
    one, again, other = (paired_bootstrap(GOLD, FIRST, SECOND, 3, n_resamples=999, seed=seed) for seed in (1, 1, 2))
    assert one == again != other


def test_drawing_in_chunks_draws_the_same(monkeypatch):
    whole = paired_bootstrap(GOLD, FIRST, SECOND, 3, seeds="drawn", n_resamples=500)
    monkeypatch.setattr(resampler, "CHUNK_CELLS", 100)
    assert paired_bootstrap(GOLD, FIRST, SECOND, 3, seeds="drawn", n_resamples=500) == whole


def test_equal_systems_do_not_differ():
    found = paired_bootstrap(GOLD, FIRST, FIRST, 3, n_resamples=99)
    assert (found.difference, found.interval, found.p) == (0, (0, 0), 1)


def test_a_clear_difference_reaches_the_least_p():
    found = paired_bootstrap([0, 1] * 100, [0, 1] * 100, [0, 0] * 100, 2, balanced_accuracy, n_resamples=999)
    assert found.p == found.least_p == 0.001
    assert found.interval[0] > 0.4


def test_systems_may_have_other_numbers_of_seeds_unless_seeds_are_drawn():
    assert paired_bootstrap(GOLD, FIRST, SECOND[0], 3, accuracy, n_resamples=99).difference == 0.5
    for first, second in ((FIRST, SECOND[0]), (FIRST[0], SECOND[0])):
        with pytest.raises(DataError, match="drawing seeds"):
            paired_bootstrap(GOLD, first, second, 3, seeds="drawn")


SIZES = np.array([138, 113, 94, 81, 65, 9])  # TREC's test, with a class of 9 items


def null_alarms(n_seeds, spread, seeds, sets=250):
    """Share of p <= 0.05 for accuracy and macro-F1 where two methods train models of one distribution of skill."""
    generator = np.random.default_rng(0)
    gold = np.repeat(np.arange(6), SIZES)
    alarms = []
    for draw in range(sets):
        ease = generator.normal(2, 1.5, len(gold))
        wrong = (gold + generator.integers(1, 6, len(gold))) % 6
        skill = generator.normal(0, spread, (2, n_seeds, 1))
        right = generator.random((2, n_seeds, len(gold))) < 1 / (1 + np.exp(-ease - skill))
        first, second = np.where(right, gold, wrong)
        tests = (
            paired_bootstrap(gold, first, second, 6, metric, seeds=seeds, n_resamples=199, seed=draw)
            for metric in (accuracy, macro_f1)
        )
        alarms.append([test.p <= 0.05 for test in tests])
    return np.mean(alarms, axis=0)


@pytest.mark.parametrize("n_seeds", [1, 3])
def test_false_alarms_stay_near_five_percent(n_seeds):
    """Standard error 1.4 points; a test without centring, or over the wrong items, is far outside."""
    shares = null_alarms(n_seeds, 0.0, "fixed")
    assert ((shares >= 0.01) & (shares <= 0.085)).all()


def test_only_drawn_seeds_keep_the_level_where_trainings_differ():
    assert (null_alarms(5, 0.4, "fixed", 100) > 0.2).all()
    assert (null_alarms(5, 0.4, "drawn", 100) <= 0.12).all()


shares = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand():
    # 0.01 * 4, 0.02 * 3, 0.03 * 2 but not under 0.06, 0.9 * 1; in the order given.
    assert holm([0.03, 0.01, 0.9, 0.02]) == pytest.approx([0.06, 0.04, 0.9, 0.06])
    assert holm([]).size == 0


@given(shares)
def test_adjusted_values_keep_the_order_and_lie_between_plain_and_bonferroni(p_values):
    plain = np.array(p_values)
    adjusted = holm(plain)
    order = np.argsort(plain, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert (adjusted >= plain).all()
    assert (adjusted <= np.minimum(1, len(plain) * plain) + 1e-12).all()


@given(shares, st.floats(0.01, 0.2))
def test_rejects_what_the_step_down_procedure_rejects(p_values, level):
    rejected, left = set(), sorted(range(len(p_values)), key=lambda index: p_values[index])
    while left and p_values[left[0]] * len(left) <= level:
        rejected.add(left.pop(0))
    assert {index for index, p in enumerate(holm(p_values)) if p <= level} == rejected


def test_chance_of_any_false_alarm_in_a_table():
    p_values = np.random.default_rng(0).random((2000, 36))
    any_alarm = [(holm(row) <= 0.05).any() for row in p_values]
    assert np.mean(any_alarm) == pytest.approx(0.05, abs=0.015)
    assert np.mean((p_values <= 0.05).any(axis=1)) > 0.8


@pytest.mark.parametrize("bad", [[-0.1], [0.2, 1.5]])
def test_what_is_no_p_value_is_refused(bad):
    with pytest.raises(DataError, match="0 to 1"):
        holm(bad)
