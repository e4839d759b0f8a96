import numpy as np
import pytest

from sharprecl.decision.conformal import fewest_texts, set_bars


def world(generator: np.random.Generator, n: int, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    y = generator.choice(len(shares), n, p=shares)
    z = generator.normal(size=(n, len(shares))) + 2 * np.eye(len(shares))[y] + np.log(shares)
    p = np.exp(z)
    return p / p.sum(1, keepdims=True), y


@pytest.mark.parametrize(("level", "least"), [(0.9, 9), (0.95, 19), (0.5, 1), (0.8, 4), (0.99, 99)])
def test_from_which_number_on_a_class_has_a_promise_of_its_own(level: float, least: int) -> None:
    assert fewest_texts(level) == least


def test_bars_are_order_statistics() -> None:
    p = np.array([[v, 1 - v] for v in np.arange(1, 20) / 20])
    bars = set_bars(p, np.zeros(19, dtype=np.int64), 0.9)
    # floor(20 * 0.1) = 2: the second smallest.
    assert bars.bar_C[0] == pytest.approx(0.1)
    assert bars.own_C.tolist() == [True, False]


def test_every_class_gets_what_is_promised_and_rare_ones_do_together() -> None:
    shares = np.array([0.6, 0.3, 0.05, 0.02, 0.01, 0.01, 0.01])
    own, rare, size = [], [], []
    for seed in range(150):
        generator = np.random.default_rng(seed)
        p, y = world(generator, 300, shares)
        new_p, new_y = world(generator, 2000, shares)
        bars = set_bars(p, y, 0.9)
        sets = new_p >= bars.bar_C
        held = sets[np.arange(2000), new_y]
        of_rare = ~bars.own_C[new_y]
        own.append([held[new_y == label].mean() for label in (0, 1)])
        rare.append(held[of_rare].mean())
        size.append(sets.sum(1).mean())
    assert (np.mean(own, axis=0) > 0.895).all()
    assert (np.mean(own, axis=0) < 0.93).all()
    assert np.mean(rare) > 0.895
    # A bar of each class's own would put four or five of the seven into every set.
    assert np.mean(size) < 3


def test_a_class_without_held_out_texts_shares_the_bar_of_rare_ones() -> None:
    p, y = world(np.random.default_rng(0), 200, np.array([0.5, 0.3, 0.1, 0.05, 0.05]))
    there = y != 4
    bars = set_bars(p[there], y[there], 0.95)
    rare = [label for label in range(4) if not bars.own_C[label]]
    assert rare
    assert bars.bar_C[4] >= bars.bar_C[rare].max()
    assert bars.bar_C[4] > 0


def test_the_more_texts_the_closer_the_bar_to_the_lowest_of_the_class() -> None:
    p = np.full((30, 3), 0.0)
    y = np.repeat([0, 1, 2], [20, 8, 2])
    p[np.arange(30), y] = np.concatenate([np.linspace(0.5, 0.9, 20), np.linspace(0.1, 0.8, 8), [0.02, 0.9]])
    bars = set_bars(p, y, 0.9)
    shared = 0.02  # the smallest of the ten rare texts
    assert bars.bar_C[1] == pytest.approx(shared)
    assert bars.bar_C[2] == pytest.approx(shared)
    assert bars.own_C.tolist() == [True, False, False]
