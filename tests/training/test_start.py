"""Prototypes that know their class before the first step."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from sharprecl.training.start import LENGTH, ClassNames, start_at_means
from tiny import tiny_tokenizer


def loop(x_NH, y_N, num_classes, named=None):
    """The equations, class by class."""
    means = []
    for c in range(num_classes):
        rows = [x_NH[n] for n in range(len(y_N)) if y_N[n] == c]
        if named is not None and len(rows) < 5 and not np.isnan(named[c]).any():
            rows.append(named[c])
        means.append(sum(rows) / len(rows))
    grand = sum(means) / num_classes
    rows = [LENGTH * (m - grand) / np.linalg.norm(m - grand) for m in means]
    return np.array(rows), np.array([-row @ grand for row in rows])


@given(st.integers(2, 6), st.integers(0, 99), st.booleans())
def test_equals_the_loop(num_classes, seed, names):
    rng = np.random.default_rng(seed)
    y_N = np.concatenate([np.arange(num_classes), rng.integers(num_classes, size=20)])
    x_NH = rng.normal(size=(len(y_N), 7))
    named = rng.normal(size=(num_classes, 7)) if names else None
    if names:
        named[0] = np.nan
    layer = nn.Linear(7, num_classes).double()
    start_at_means(layer, x_NH, y_N, named)
    w_CH, b_C = loop(x_NH, y_N, num_classes, named)
    np.testing.assert_allclose(layer.weight.detach(), w_CH, atol=1e-12)
    np.testing.assert_allclose(layer.bias.detach(), b_C, atol=1e-12)


def test_a_text_in_the_middle_scores_alike_and_a_mean_its_own_class():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(4, 9))
    y_N = np.repeat(np.arange(4), [30, 3, 1, 8])
    x_NH = centres[y_N] + 0.01 * rng.normal(size=(42, 9))
    layer = nn.Linear(9, 4).double()
    start_at_means(layer, x_NH, y_N)
    means = np.stack([x_NH[y_N == c].mean(0) for c in range(4)])
    assert layer(torch.from_numpy(means.mean(0))).abs().max().item() < 1e-12
    assert layer(torch.from_numpy(means)).argmax(1).tolist() == [0, 1, 2, 3]


def test_equal_classes_and_layers_without_bias_are_no_accident():
    layer = nn.Linear(3, 2, bias=False)
    start_at_means(layer, np.ones((4, 3)), np.array([0, 0, 1, 1]))
    assert torch.equal(layer.weight, torch.zeros(2, 3))


@pytest.mark.parametrize(("name", "told"), [("money-fx", True), ("order late", True), ("C09", False), ("x", False)])
def test_which_names_speak(name, told):
    names = ClassNames.of([name], tiny_tokenizer(), 16)
    assert names.speaks_C.tolist() == [told]
    assert len(names.tokens) == 1
