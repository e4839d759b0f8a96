import pytest
import torch
from pydantic import ValidationError

import oracles
import oracles_one_view
from known import CASES, expected, tensor
from one_view import START, build, problem
from sharprecl.config.methods import SupervisedContrastiveConfig
from sharprecl.methods.base import Batch
from sharprecl.methods.scl_ce import SupervisedContrastive
from sharprecl.models.features import Features

COUNTS = [9, 4, 2]


def known(case, **settings):
    inputs = CASES[case]["inputs"]
    x_NH = tensor(inputs["features"]).requires_grad_()
    s_NC = tensor(inputs["logits"]) if "logits" in inputs else torch.zeros(6, 6, dtype=torch.float64)
    method = build(SupervisedContrastive, COUNTS, **settings)
    terms = method.loss(Batch(torch.tensor(inputs["labels"]), 1), Features(x_NH, s_NC, torch.zeros(3, 4)), START)
    return terms, x_NH


@pytest.mark.parametrize(
    ("reduce", "contrastive", "total"),
    [
        ("mean", "scl_mean_over_batch", "total_mean_over_batch"),
        ("mean_of_valid", "scl_mean_over_valid_anchors", None),
        ("sum", "scl_sum_over_anchors", "total_sum"),
    ],
)
def test_known_answers(reduce, contrastive, total):
    terms, _ = known("sclce", reduce=reduce)
    assert terms["contrastive"].item() == pytest.approx(expected("sclce", contrastive), rel=1e-6)
    assert terms["classification"].item() == pytest.approx(expected("sclce", "ce"), rel=1e-6)
    if total is not None:
        assert terms["total"].item() == pytest.approx(expected("sclce", total), rel=1e-6)


def test_known_answer_of_a_single_class():
    terms, _ = known("sclce_single_class_batch")
    assert terms["contrastive"].item() == pytest.approx(expected("sclce_single_class_batch", "scl_mean"), rel=1e-6)


@pytest.mark.parametrize("reduce", ["mean", "mean_of_valid", "sum"])
def test_known_answer_without_positives(reduce):
    terms, x_NH = known("sclce_no_positive_batch", reduce=reduce)
    assert terms["contrastive"].item() == expected("sclce_no_positive_batch", "scl_mean_over_batch") == 0.0
    terms["contrastive"].backward()
    assert x_NH.grad.abs().max().item() == 0.0


@pytest.mark.parametrize("reduce", ["mean", "mean_of_valid", "sum"])
@pytest.mark.parametrize(("weight", "temperature"), [(0.9, 0.3), (0.2, 0.1), (0.0, 0.3), (0.99, 0.3)])
def test_equals_the_oracles(reduce, weight, temperature):
    batch, features = problem(SupervisedContrastive, [0, 1, 0, 2, 1, 0], 3)
    method = build(SupervisedContrastive, COUNTS, reduce=reduce, weight=weight, temperature=temperature)
    terms = method.loss(batch, features, START)
    l_N = oracles_one_view.supervised_contrastive(features.x_NH, batch.y_B, temperature)
    contrastive = {"mean": l_N.mean(), "mean_of_valid": l_N.sum() / 5, "sum": l_N.sum()}[reduce].item()
    classification = oracles.cross_entropy(features.s_NC, batch.y_B).mean().item()
    assert terms["contrastive"].item() == pytest.approx(contrastive, abs=1e-10)
    assert terms["total"].item() == pytest.approx((1 - weight) * classification + weight * contrastive, abs=1e-10)


def test_the_length_of_a_feature_plays_no_part_in_the_contrast():
    batch, features = problem(SupervisedContrastive, [0, 1, 0, 2, 1], 3)
    longer = Features(7 * features.x_NH, features.s_NC, features.w_CH)
    losses = [build(SupervisedContrastive, COUNTS).loss(batch, f, START)["total"].item() for f in (features, longer)]
    assert losses[0] == pytest.approx(losses[1], abs=1e-10)


@pytest.mark.parametrize("setting", [{"weight": 1.1}, {"temperature": 0.0}, {"reduce": "median"}])
def test_unfit_settings_are_refused(setting):
    with pytest.raises(ValidationError):
        SupervisedContrastiveConfig(**setting)


def test_answers_with_the_bare_logits_and_keeps_nothing():
    _, features = problem(SupervisedContrastive, [0, 1], 3)
    method = build(SupervisedContrastive, COUNTS)
    assert method.logits(features) is features.s_NC
    assert method.state_dict() == {}


def test_a_share_of_one_would_leave_the_classifier_untrained():
    with pytest.raises(ValueError, match="less than 1"):
        SupervisedContrastiveConfig(weight=1.0)
