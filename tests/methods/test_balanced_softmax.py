import pytest
import torch

import oracles
from known import CASES, expected, tensor
from one_view import START, WIDTH, build, of_logits, problem
from sharprecl.methods.balanced_softmax import BalancedSoftmax
from sharprecl.methods.base import Batch
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.features import Features

COUNTS = [50, 10, 5]


def test_known_answer_of_logit_compensation():
    inputs = CASES["logit_compensation"]["inputs"]
    batch = Batch(torch.tensor(inputs["labels"]), 1)
    total = build(BalancedSoftmax, COUNTS).loss(batch, of_logits(tensor(inputs["logits"])), START)["total"]
    assert total.item() == pytest.approx(CASES["logit_compensation"]["expected"]["loss_prior"], rel=1e-6)


@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0, 2.0])
def test_equals_the_oracle(tau):
    batch, features = problem(BalancedSoftmax, [0, 1, 0, 2, 1], 3)
    theirs = oracles.compensated_cross_entropy(features.s_NC, batch.y_B, COUNTS, tau).mean().item()
    total = build(BalancedSoftmax, COUNTS, tau=tau).loss(batch, features, START)["total"]
    # The prior is kept in float32, hence 1e-6.
    assert total.item() == pytest.approx(theirs, rel=1e-6)


def test_without_prior_it_is_the_known_cross_entropy():
    inputs = CASES["ce"]["inputs"]
    batch, features = Batch(torch.tensor(inputs["labels"]), 1), of_logits(tensor(inputs["logits"]))
    for method in (build(BalancedSoftmax, COUNTS, tau=0.0), build(BalancedSoftmax, [7, 7, 7])):
        total = method.loss(batch, features, START)["total"].item()
        assert total == pytest.approx(expected("ce", "loss_mean"), rel=1e-6)


@pytest.mark.parametrize("share", [0.75, 1.0])
def test_is_the_classification_loss_of_sharprecl(share):
    batch, features = problem(BalancedSoftmax, [0, 1, 0, 2], 3)
    two_views = Features(torch.zeros(8, WIDTH, dtype=torch.float64) + 1, features.s_NC.repeat(2, 1), features.w_CH)
    method = build(SharpReCL, COUNTS, compensation=share, n_pos=2, n_neg=2, top_k=2)
    theirs = method.loss(Batch(batch.y_B, 2), two_views, START)
    ours = build(BalancedSoftmax, COUNTS, tau=share).loss(batch, features, START)["total"]
    assert ours.item() == pytest.approx(theirs["classification"].item(), abs=1e-12)


def test_answers_with_the_bare_logits():
    _, features = problem(BalancedSoftmax, [0, 1], 3)
    assert build(BalancedSoftmax, COUNTS).logits(features) is features.s_NC
