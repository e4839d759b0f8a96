import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from known import CASES, expected, tensor
from one_view import START, WIDTH, build, of_logits, problem
from sharprecl.config.methods import LogitAdjustmentConfig
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch
from sharprecl.methods.logit_adjustment import LogitAdjustment

COUNTS = [50, 10, 5]


def test_trains_with_the_known_cross_entropy():
    inputs = CASES["ce"]["inputs"]
    batch = Batch(torch.tensor(inputs["labels"]), 1)
    total = build(LogitAdjustment, COUNTS).loss(batch, of_logits(tensor(inputs["logits"])), START)["total"]
    assert total.item() == pytest.approx(expected("ce", "loss_mean"), rel=1e-6)


@pytest.mark.parametrize("tau", [0.0, 1.0, 1.5])
def test_answers_with_the_prior_taken_off(tau):
    _, features = problem(LogitAdjustment, [0, 1], 3)
    theirs = [[s - tau * math.log(n / 65) for s, n in zip(row, COUNTS, strict=True)] for row in features.s_NC.tolist()]
    # The discount is kept in float32, hence 1e-6.
    torch.testing.assert_close(
        build(LogitAdjustment, COUNTS, tau=tau).logits(features), tensor(theirs), rtol=0, atol=1e-6
    )


def test_logits_that_are_the_log_prior_become_a_tie():
    s_NC = tensor([[math.log(n / 65) for n in COUNTS]])
    assert build(LogitAdjustment, COUNTS).logits(of_logits(s_NC)).tolist() == [pytest.approx([0.0] * 3, abs=1e-6)]


def test_settling_moves_the_bias_alone():
    layer = torch.nn.Linear(WIDTH, 3).double()
    weight, bias = layer.weight.clone(), layer.bias.clone()
    build(LogitAdjustment, COUNTS).finalize(layer)
    assert torch.equal(layer.weight, weight)
    moved = (layer.bias - bias).tolist()
    assert moved == pytest.approx([-math.log(n / 65) for n in COUNTS], abs=1e-6)
    assert layer.bias.requires_grad


def test_a_classifier_without_bias_is_refused_before_training_and_after():
    layer = torch.nn.Linear(WIDTH, 3, bias=False)
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=3, classifier=layer)
    with pytest.raises(ConfigError, match="choose balanced_softmax"):
        LogitAdjustment.build(backbone, np.array(COUNTS), LogitAdjustmentConfig(), 0)
    with pytest.raises(ConfigError, match="bias"):
        build(LogitAdjustment, COUNTS).finalize(layer)
    backbone.classifier = torch.nn.Linear(WIDTH, 3)
    LogitAdjustment.build(backbone, np.array(COUNTS), LogitAdjustmentConfig(), 0)
