import pytest
import torch
import torch.nn.functional as F

import oracles
import oracles_one_view
from known import CASES, expected, tensor
from one_view import START, WIDTH, build, problem
from sharprecl.config.methods import SimCSEConfig
from sharprecl.methods.base import Batch
from sharprecl.methods.simcse import SimCSE
from sharprecl.models.features import Features

COUNTS = [9, 4, 2]


@pytest.mark.parametrize(("symmetric", "key"), [(False, "ucl"), (True, "ucl_symmetric_mean")])
def test_known_answers(symmetric, key):
    inputs = CASES["simcse"]["inputs"]
    method = SimCSE(SimCSEConfig(weight=0.5, symmetric=symmetric), torch.nn.Identity())
    x_NH = tensor(inputs["z1"] + inputs["z2"])
    s_NC = tensor(inputs["logits"] + [[0.0, 0.0, 0.0]] * 4)
    terms = method.loss(Batch(torch.tensor(inputs["labels"]), 2), Features(x_NH, s_NC, torch.zeros(3, 4)), START)
    contrastive, classification = terms["contrastive"].item(), terms["classification"].item()
    assert contrastive == pytest.approx(CASES["simcse"]["expected"][key], rel=1e-6)
    assert classification == pytest.approx(expected("simcse", "ce"), rel=1e-6)
    if not symmetric:
        assert terms["total"].item() == pytest.approx(expected("simcse", "total_(1-l)CE+lUCL"), rel=1e-6)
        assert classification + 0.1 * contrastive == pytest.approx(expected("simcse", "total_CE+0.1UCL"), rel=1e-6)


@pytest.mark.parametrize("views", ["first", "both"])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize(("weight", "temperature"), [(0.1, 0.05), (0.7, 0.5), (0.0, 0.3), (0.99, 0.3)])
def test_equals_the_oracles(views, symmetric, weight, temperature):
    method = build(SimCSE, COUNTS, ce_views=views, symmetric=symmetric, weight=weight, temperature=temperature)
    batch, features = problem(SimCSE, [0, 1, 0, 2, 1], 3)
    terms = method.loss(batch, features, START)
    first_BH, second_BH = (
        torch.tanh(features.x_NH[rows] @ method.head[0].weight.T + method.head[0].bias)
        for rows in (slice(0, 5), slice(5, 10))
    )
    contrastive = oracles_one_view.info_nce(first_BH, second_BH, temperature, symmetric).mean().item()
    rows = 10 if views == "both" else 5
    classification = oracles.cross_entropy(features.s_NC[:rows], batch.y_N[:rows]).mean().item()
    assert terms["contrastive"].item() == pytest.approx(contrastive, abs=1e-10)
    assert terms["classification"].item() == pytest.approx(classification, abs=1e-10)
    total = (1 - weight) * classification + weight * contrastive
    assert terms["total"].item() == pytest.approx(total, abs=1e-10)


def test_one_text_leaves_only_cross_entropy():
    terms = build(SimCSE, COUNTS).loss(*problem(SimCSE, [1], 3), START)
    assert terms["contrastive"].item() == 0.0
    assert terms["total"].item() == pytest.approx(0.9 * terms["classification"].item())


def test_the_head_is_seeded_and_the_classifier_does_not_see_it():
    one, two, other = (build(SimCSE, COUNTS, seed=seed).head[0].weight for seed in (7, 7, 8))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)
    assert one.shape == (WIDTH, WIDTH)
    _, features = problem(SimCSE, [0, 1], 3)
    assert build(SimCSE, COUNTS).logits(features) is features.s_NC


def test_equal_passes_are_found_at_once():
    method = build(SimCSE, COUNTS)
    batch, random = problem(SimCSE, [0, 1, 2], 3)
    x_NH = F.normalize(random.x_NH.detach()[:3], dim=1).repeat(2, 1)
    equal = method.loss(batch, Features(x_NH, random.s_NC, random.w_CH), START)["contrastive"]
    assert equal.item() < method.loss(batch, random, START)["contrastive"].item()
