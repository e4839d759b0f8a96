import numpy as np
import pytest
import torch

from known import CASES, expected, tensor
from one_view import START, build, of_logits, problem
from sharprecl.methods.base import Batch
from sharprecl.methods.class_balanced_sampling import ClassBalancedSampling

COUNTS = [50, 10, 5]
LABELS = np.repeat(np.arange(3), COUNTS)


def test_the_loss_is_the_known_cross_entropy():
    inputs = CASES["ce"]["inputs"]
    batch = Batch(torch.tensor(inputs["labels"]), 1)
    total = build(ClassBalancedSampling, COUNTS).loss(batch, of_logits(tensor(inputs["logits"])), START)["total"]
    assert total.item() == pytest.approx(expected("ce", "loss_mean"), rel=1e-6)


def test_draws_as_many_rows_as_there_are_texts_and_every_class_alike():
    method = build(ClassBalancedSampling, COUNTS)
    drawn = [method.draw(LABELS, epoch) for epoch in range(300)]
    assert all(d.extra is None and len(d.rows) == len(LABELS) for d in drawn)
    rows = np.concatenate([d.rows for d in drawn])
    # Six standard deviations of the share of a class in 300 epochs.
    known = expected("class_balanced_sampler", "class_probability")
    assert np.bincount(LABELS[rows]) / len(rows) == pytest.approx(known, abs=6 * (2 / 9 / len(rows)) ** 0.5)


def test_is_a_function_of_seed_and_epoch():
    def rows(seed, epoch):
        return build(ClassBalancedSampling, COUNTS, seed=seed).draw(LABELS, epoch).rows.tolist()

    assert rows(3, 2) == rows(3, 2)
    assert len({tuple(rows(seed, epoch)) for seed in (3, 4) for epoch in (0, 1)}) == 4
    method = build(ClassBalancedSampling, COUNTS, seed=3)
    method.draw(LABELS, 0)
    assert method.draw(LABELS, 2).rows.tolist() == rows(3, 2)


def test_answers_with_the_bare_logits_and_keeps_nothing():
    _, features = problem(ClassBalancedSampling, [0, 1], 3)
    method = build(ClassBalancedSampling, COUNTS)
    assert method.logits(features) is features.s_NC
    assert method.state_dict() == {}
