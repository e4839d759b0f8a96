"""Offsets against every offset there is, tried one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.decision.objectives import MacroF1, Objective, balanced_accuracy, cost_of_answers
from sharprecl.decision.optimising import folds, optimise
from sharprecl.decision.thresholds import FARTHEST, best_offsets, recall_offset
from sharprecl.errors import ConfigError


def drawn(seed: int, n: int = 40, c: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    y = generator.integers(0, c, n) * (generator.random(n) < 0.5)
    z = generator.normal(size=(n, c)) + 1.5 * np.eye(c)[y]
    return z - np.log(np.exp(z).sum(1, keepdims=True)), y, generator.integers(1, 4, n).astype(float)


def macro_f1_by_loops(y: np.ndarray, answers: np.ndarray, weight: np.ndarray, c: int) -> float:
    total = 0.0
    for label in range(c):
        tp = sum(w for t, a, w in zip(y, answers, weight, strict=True) if t == label == a)
        either = sum(w * (int(t == label) + int(a == label)) for t, a, w in zip(y, answers, weight, strict=True))
        total += 2 * tp / either if either else 0.0
    return total / c


def objectives(y: np.ndarray, weight: np.ndarray) -> list[Objective]:
    costs = {"a": 1.0, "b": 5.0, "c": 2.0, "d": 9.0}
    return [MacroF1(4), balanced_accuracy(y, weight, 4), cost_of_answers(costs, list("abcd"))]


@given(st.integers(0, 10_000))
def test_macro_f1_is_that_of_plain_loops(seed: int) -> None:
    z, y, weight = drawn(seed)
    assert MacroF1(4).value(y, z.argmax(1), weight) == pytest.approx(macro_f1_by_loops(y, z.argmax(1), weight, 4))


@given(st.integers(0, 10_000), st.integers(0, 3))
def test_a_scan_is_the_figure_after_every_text_that_comes_over(seed: int, label: int) -> None:
    z, y, weight = drawn(seed)
    rival = np.where(np.arange(4) == label, -np.inf, z).argmax(1)
    for objective in objectives(y, weight):
        gains = objective.scan(y, rival, weight, label)
        for number in range(len(y) + 1):
            answers = np.where(np.arange(len(y)) < number, label, rival)
            change = objective.value(y, answers, weight) - objective.value(y, rival, weight)
            assert gains[number] == pytest.approx(change, abs=1e-9)


@given(st.integers(0, 10_000))
def test_no_single_offset_is_better_than_what_ascent_ends_with(seed: int) -> None:
    z, y, weight = drawn(seed, n=15)
    for objective in objectives(y, weight):
        offset = best_offsets(z, y, weight, objective)
        reached = objective.value(y, (z + offset).argmax(1), weight)
        assert reached >= objective.value(y, z.argmax(1), weight) - 1e-9
        for label in np.unique(y):
            for tried in np.linspace(-FARTHEST, FARTHEST, 17):
                other = offset.copy()
                other[label] = tried
                assert objective.value(y, (z + other).argmax(1), weight) <= reached + 1e-9


def test_a_class_without_held_out_texts_is_neither_boosted_nor_suppressed() -> None:
    z, y, weight = drawn(3)
    there = y != 2
    offset = best_offsets(z[there], y[there], weight[there], MacroF1(4))
    assert offset[2] == 0
    assert optimise(z[there], y[there], weight[there], MacroF1(4)).offset_C[2] == 0


def test_what_is_learnt_from_noise_is_not_taken_as_a_gain() -> None:
    """Scores that say nothing: what the texts chose themselves is flattered, the nested figure is not."""
    taken, flattery, truth = 0, [], []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        y = generator.integers(0, 6, 120)
        z = np.log(generator.dirichlet(np.full(6, 20.0), 120))
        fresh_y = generator.integers(0, 6, 4000)
        fresh = np.log(generator.dirichlet(np.full(6, 20.0), 4000))
        found = optimise(z, y, np.ones(120), MacroF1(6), seed)
        offset = best_offsets(z, y, np.ones(120), MacroF1(6))
        flattery.append(MacroF1(6).value(y, (z + offset).argmax(1), np.ones(120)) - found.before)
        new = MacroF1(6).value(fresh_y, (fresh + found.offset_C).argmax(1), np.ones(4000))
        truth.append(new - MacroF1(6).value(fresh_y, fresh.argmax(1), np.ones(4000)))
        taken += found.kept
    assert np.mean(flattery) > 0.05
    assert np.mean(truth) > -0.01
    assert taken <= 6


def test_offsets_that_help_are_found_and_their_gain_is_true() -> None:
    generator = np.random.default_rng(0)
    shares = np.array([0.9, 0.08, 0.02])
    y, fresh_y = (generator.choice(3, 3000, p=shares) for _ in range(2))
    # Scores as calibrated for the prior as can be: macro-F1 wants rare classes sooner.
    z, fresh = (generator.normal(size=(3000, 3)) + 1.7 * np.eye(3)[ids] for ids in (y, fresh_y))
    z, fresh = (1.7 * scores + np.log(shares) for scores in (z, fresh))
    found = optimise(z, y, np.ones(3000), MacroF1(3))
    new = MacroF1(3).value(fresh_y, (fresh + found.offset_C).argmax(1), np.ones(3000))
    gain = new - MacroF1(3).value(fresh_y, fresh.argmax(1), np.ones(3000))
    assert found.kept
    assert gain > 0.02
    assert found.interval[0] <= gain <= found.interval[1]
    assert found.before < found.nested <= found.after


def test_a_recall_is_kept_for_new_texts() -> None:
    """The mean over many held-out sets, for that is what is promised: between k / (n + 1) and (k + 1) / (n + 1)."""
    recalls = []
    for seed in range(400):
        generator = np.random.default_rng(seed)
        z, fresh = (generator.normal(size=(19, 3)) + np.array([0.5, 0, 0]) for _ in range(2))
        offset = recall_offset(z, np.zeros(19, dtype=np.int64), 0, 0.9, "a")
        recalls.append(np.mean((fresh + offset).argmax(1) == 0))
    assert 0.89 <= np.mean(recalls) <= 0.96


def test_a_recall_that_nobody_can_promise_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'a' has 8 held-out texts, and a recall of 0.9 can be promised from 9 on"):
        recall_offset(np.zeros((8, 2)), np.zeros(8, dtype=np.int64), 0, 0.9, "a")
    assert recall_offset(np.zeros((9, 2)), np.ones(9, dtype=np.int64), 1, 0.9, "b")[1] > 0


@pytest.mark.parametrize(
    "costs", [{"a": 1.0}, {"a": 1.0, "b": 2.0, "z": 1.0}, {"a": {"a": 0.0}, "b": {"a": 1.0, "b": 0.0}}]
)
def test_costs_name_every_label_and_no_other(costs: dict) -> None:
    with pytest.raises(ConfigError, match="cost for"):
        cost_of_answers(costs, ["a", "b"])


def test_a_matrix_of_costs_is_read_by_true_and_answered_label() -> None:
    utility = cost_of_answers({"a": {"a": 0.0, "b": 3.0}, "b": {"a": 10.0, "b": 1.0}}, ["a", "b"])
    assert utility.value(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.ones(4)) == pytest.approx(-3.5)


def test_folds_spread_every_class() -> None:
    y = np.repeat([0, 1, 2], [10, 5, 2])
    held = np.concatenate([held for _, held in folds(y, 5, 0)])
    assert sorted(held) == list(range(17))
    assert all((y[held] == 1).sum() == 1 and (y[held] == 0).sum() == 2 for _, held in folds(y, 5, 0))
