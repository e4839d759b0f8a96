import pytest
import torch
from pydantic import ValidationError

import oracles_one_view as oracles
from known import CASES, expected, tensor
from one_view import START, build, of_logits, problem
from sharprecl.config.methods import FocalConfig
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch
from sharprecl.methods.focal import Focal

INPUTS = CASES["focal"]["inputs"]
COUNTS = [50, 10, 5]


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"gamma": 0}, "gamma0(=CE)"),
        ({}, "gamma2"),
        ({"alpha": INPUTS["class_alpha"]}, "gamma2_alpha"),
        ({"gamma": 4}, "gamma4"),
    ],
)
def test_known_answers(settings, key):
    batch = Batch(torch.tensor(INPUTS["labels"]), 1)
    terms = build(Focal, COUNTS, **settings).loss(batch, of_logits(tensor(INPUTS["logits"])), START)
    assert terms["total"].item() == pytest.approx(CASES["focal"]["expected"][key], rel=1e-6)
    assert terms["classification"] is terms["total"]


def test_gamma_0_is_the_known_cross_entropy():
    inputs = CASES["ce"]["inputs"]
    terms = build(Focal, COUNTS, gamma=0).loss(
        Batch(torch.tensor(inputs["labels"]), 1), of_logits(tensor(inputs["logits"])), START
    )
    assert terms["total"].item() == pytest.approx(expected("ce", "loss_mean"), rel=1e-6)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
@pytest.mark.parametrize("alpha", ["none", "inverse_frequency", [0.5, 2.0, 1.0]])
def test_equals_the_oracle(gamma, alpha):
    batch, features = problem(Focal, [0, 1, 0, 2, 1], 3)
    weights = {
        "none": None,
        "inverse_frequency": oracles.class_weights("inverse_frequency", COUNTS),
    }.get(str(alpha), alpha)
    total = build(Focal, COUNTS, gamma=gamma, alpha=alpha).loss(batch, features, START)["total"]
    # The weights are kept in float32, hence 1e-6.
    theirs = oracles.focal(features.s_NC, batch.y_B, gamma, weights).mean().item()
    assert total.item() == pytest.approx(theirs, rel=1e-6)


def test_as_many_weights_as_classes():
    with pytest.raises(ConfigError, match="has 2 numbers, but there are 3 classes"):
        build(Focal, COUNTS, alpha=[1.0, 2.0])


@pytest.mark.parametrize("setting", [{"gamma": -1.0}, {"alpha": [-1.0, 1.0, 1.0]}, {"alpha": "rare"}])
def test_unfit_settings_are_refused(setting):
    with pytest.raises(ValidationError):
        FocalConfig(**setting)
