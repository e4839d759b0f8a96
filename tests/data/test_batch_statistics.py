"""Expected batches: every figure against all batches counted one by one, against exact fractions, and against draws."""

import time
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.batch_statistics import (
    chance_alone,
    expected_anchors,
    expected_classes,
    expected_pairs,
    largest_over_smallest,
    presence,
)
from sharprecl.errors import ConfigError, DataError

few_texts = st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(lambda counts: 0 < sum(counts) <= 9)
TREC_50 = [1250, 571, 261, 119, 54, 25]
MILLION = np.array([600_000, 300_000, 90_000, 9_000, 950, 49, 1])


def every_batch(counts, size):
    """Texts of each class in every possible batch: [number of batches, C]."""
    labels = np.repeat(np.arange(len(counts)), counts)
    rows = combinations(range(len(labels)), min(size, len(labels)))
    return np.array([np.bincount(labels[list(row)], minlength=len(counts)) for row in rows])


def pairs_and_anchors(texts, views, prototypes, n_pos):
    """Positives counted anchor by anchor, as the loss counts them: (pairs, anchors with a positive) of one class."""
    items = [*range(views * texts), *(["prototype"] if prototypes else [])]
    positives = [sum(other != anchor for other in items) + n_pos for anchor in items]
    return sum(positives), sum(positive > 0 for positive in positives)


@given(few_texts, st.integers(1, 10))
def test_chances_by_enumeration(counts, size):
    batches = every_batch(counts, size)
    assert presence(counts, size) == pytest.approx((batches > 0).mean(axis=0), abs=1e-12)
    assert expected_classes(counts, size) == pytest.approx((batches > 0).sum(axis=1).mean(), abs=1e-12)
    for alone, n, texts in zip(chance_alone(counts, size), counts, batches.T, strict=True):
        if n == 0:
            assert np.isnan(alone)
        else:  # every text is in equally many batches, so the share of all its appearances will do
            assert alone == pytest.approx((texts == 1).sum() / texts.sum(), abs=1e-12)


@given(few_texts, st.integers(1, 10), st.sampled_from([1, 2, 3]), st.booleans(), st.sampled_from([0, 10]))
def test_pairs_and_anchors_by_enumeration(counts, size, views, prototypes, n_pos):
    batches = every_batch(counts, size)
    pairs, anchors = (
        np.array([[pairs_and_anchors(texts, views, prototypes, n_pos)[which] for texts in row] for row in batches])
        for which in (0, 1)
    )
    setting = (counts, size, views, prototypes, n_pos)
    assert expected_pairs(*setting) == pytest.approx(pairs.mean(axis=0), abs=1e-9)
    assert expected_anchors(*setting) == pytest.approx(anchors.mean(axis=0), abs=1e-9)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=30), st.integers(1, 400))
def test_chances_by_binomial_coefficients(counts, size):
    total = sum(counts)
    drawn = min(size, total)
    exact = [Fraction(comb(total - n, drawn), comb(total, drawn)) for n in counts]
    assert presence(counts, size) == pytest.approx([float(1 - chance) for chance in exact], rel=1e-12)
    exact = [Fraction(comb(total - n, drawn - 1), comb(total - 1, drawn - 1)) for n in counts]
    assert chance_alone(counts, size) == pytest.approx([float(chance) for chance in exact], rel=1e-12)


def test_a_million_texts_are_exact_to_nine_digits():
    def none_of(n, total, drawn):  # C(total - n, drawn) / C(total, drawn), as a product of few whole numbers
        few, many = sorted((n, drawn))
        top = bottom = 1
        for i in range(few):
            top *= total - many - i
            bottom *= total - i
        return Fraction(top, bottom)

    total, drawn = int(MILLION.sum()), 4096
    exact = [float(1 - none_of(n, total, drawn)) for n in MILLION.tolist()]
    assert presence(MILLION, drawn) == pytest.approx(exact, rel=1e-11)
    exact = [float(none_of(n - 1, total - 1, drawn - 1)) for n in MILLION.tolist()]
    assert chance_alone(MILLION, drawn)[2:] == pytest.approx(exact[2:], rel=1e-11)
    assert np.all(chance_alone(MILLION, drawn)[:2] < 1e-300)


def test_a_million_classes_take_a_moment():
    counts = np.random.Generator(np.random.PCG64(0)).zipf(1.3, 10**6).clip(max=2000)
    start = time.process_time()
    assert expected_classes(counts, 4096) < 4096
    assert chance_alone(counts, 4096).shape == expected_pairs(counts, 4096, 2).shape == (10**6,)
    assert time.process_time() - start < 10  # seconds; 1 here


def test_against_draws():
    generator = np.random.Generator(np.random.PCG64(0))
    batches = generator.multivariate_hypergeometric(TREC_50, 64, size=40_000)
    for expected, drawn in (
        (presence(TREC_50, 64), batches > 0),
        (expected_pairs(TREC_50, 64, views=2), 2 * batches * (2 * batches - 1)),
        (expected_anchors(TREC_50, 64), batches * (batches > 1)),
    ):
        error = drawn.std(axis=0) / 200  # of the mean of 40,000
        assert np.all(np.abs(expected - drawn.mean(axis=0)) <= 5 * error + 1e-6)


def test_all_texts_as_one_batch():
    counts = [5, 3, 1]
    for size in (9, 10, 10**9):
        assert presence(counts, size).tolist() == [1.0, 1.0, 1.0]
        assert chance_alone(counts, size).tolist() == [0.0, 0.0, 1.0]
        assert expected_pairs(counts, size).tolist() == [20.0, 6.0, 0.0]
        assert expected_pairs(counts, size, 2, True, 10).tolist() == [11 * 20.0, 7 * 16.0, 3 * 12.0]
        assert expected_anchors(counts, size).tolist() == [5.0, 3.0, 0.0]


def test_batches_of_one_text():
    counts = [3, 1, 0]
    assert chance_alone(counts, 1)[:2].tolist() == [1.0, 1.0]
    assert expected_pairs(counts, 1).tolist() == [0.0, 0.0, 0.0]
    assert expected_pairs(counts, 1, views=2) == pytest.approx([1.5, 0.5, 0.0])
    assert expected_anchors(counts, 1).tolist() == [0.0, 0.0, 0.0]
    assert expected_classes(counts, 1) == 1.0
    assert expected_pairs([1], 1).tolist() == expected_anchors([1], 1).tolist() == [0.0]


def test_prototypes_and_rebalancing_reach_every_class():
    """A class that no batch is likely to hold has its prototype there, as an anchor with ten positives."""
    counts = [100_000, 1]
    assert presence(counts, 16)[1] < 2e-4
    assert expected_anchors(counts, 16, views=2, prototypes=True, n_pos=10)[1] == pytest.approx(1, abs=1e-3)
    assert expected_pairs(counts, 16, views=2, prototypes=True, n_pos=10)[1] == pytest.approx(10, abs=1e-2)


@given(few_texts, st.integers(1, 10), st.sampled_from([1, 2]), st.booleans(), st.sampled_from([0, 10]))
def test_larger_classes_have_no_fewer(counts, size, views, prototypes, n_pos):
    order = np.argsort(counts)
    for figure in (expected_pairs, expected_anchors):
        assert np.all(np.diff(figure(counts, size, views, prototypes, n_pos)[order]) >= -1e-12)


def test_largest_over_smallest():
    assert largest_over_smallest(np.array([0.0, 2.0, 6.0])) == 3.0
    assert largest_over_smallest(np.zeros(3)) is None
    assert largest_over_smallest(np.zeros(0)) is None


def test_the_page_has_these_figures():
    page = (Path(__file__).parents[2] / "docs" / "imbalance.md").read_text(encoding="utf-8")
    for figure, name, setting in (
        (expected_pairs, "one view", (1,)),
        (expected_pairs, "two views", (2,)),
        (expected_pairs, "two views and prototypes", (2, True)),
        (expected_pairs, "SharpReCL: two views, prototypes, 10 synthetic positives an anchor", (2, True, 10)),
        (expected_anchors, "one view", (1,)),
        (expected_anchors, "two views", (2,)),
        (expected_anchors, "two views and prototypes", (2, True)),
        (expected_anchors, "SharpReCL", (2, True, 10)),
    ):
        ratios = [largest_over_smallest(figure(TREC_50, size, *setting)) for size in (16, 64, 256)]
        assert f"| {name} | {' | '.join(f'{ratio:,.0f}' for ratio in ratios)} |" in page


@pytest.mark.parametrize("figure", [presence, expected_classes, chance_alone, expected_pairs, expected_anchors])
def test_impossible_arguments(figure):
    with pytest.raises(ConfigError, match="the batch size must be at least 1, but it is 0"):
        figure([3, 2], 0)
    with pytest.raises(DataError, match="a class has -2 texts"):
        figure([3, -2], 4)
    for nothing in ([], [0, 0]):
        with pytest.raises(DataError, match="a table without texts has no batches"):
            figure(nothing, 4)
