import pytest
import torch
from pydantic import ValidationError

import oracles
import oracles_one_view
from known import CASES, expected, tensor
from one_view import START, build, of_logits, problem
from sharprecl.config.methods import DiceConfig
from sharprecl.methods.base import Batch
from sharprecl.methods.dice import Dice

COUNTS = [9, 4, 2]


@pytest.mark.parametrize(
    ("form", "key"),
    [
        ("square", "square_per_sample"),
        ("paper", "paper_per_sample"),
        ("code", "official_code_without_square"),
        ("set_level", "batch_level_DL"),
    ],
)
def test_known_answers(form, key):
    inputs = CASES["dice"]["inputs"]
    batch = Batch(torch.tensor(inputs["labels"]), 1)
    terms = build(Dice, COUNTS, form=form).loss(batch, of_logits(tensor(inputs["logits"])), START)
    assert terms["total"].item() == pytest.approx(expected("dice", key), rel=1e-6)
    assert terms["dice"].item() == terms["total"].item()


@pytest.mark.parametrize("form", ["square", "paper", "code", "set_level"])
@pytest.mark.parametrize(("alpha", "smooth", "ce_weight"), [(0.01, 1.0, 0.0), (0.6, 0.1, 0.7)])
def test_equals_the_oracles(form, alpha, smooth, ce_weight):
    method = build(Dice, COUNTS, form=form, alpha=alpha, smooth=smooth, ce_weight=ce_weight)
    batch, features = problem(Dice, [0, 1, 0, 2, 1], 3)
    terms = method.loss(batch, features, START)
    parts = oracles_one_view.dice(features.s_NC, batch.y_B, alpha, smooth, form)
    dice = (parts.sum() if form == "set_level" else parts.mean()).item()
    cross_entropy = oracles.cross_entropy(features.s_NC, batch.y_B).mean().item()
    assert terms["dice"].item() == pytest.approx(dice, abs=1e-10)
    assert terms["classification"].item() == pytest.approx(cross_entropy, abs=1e-10)
    assert terms["total"].item() == pytest.approx(dice + ce_weight * cross_entropy, abs=1e-10)


def test_cross_entropy_pulls_back_a_text_that_is_surely_wrong():
    gradients = []
    for weight in (0.0, 1.0):
        s_NC = torch.tensor([[30.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
        terms = build(Dice, COUNTS, ce_weight=weight).loss(Batch(torch.tensor([1]), 1), of_logits(s_NC), START)
        terms["total"].backward()
        gradients.append(s_NC.grad[0, 1].item())
    # Alone, the loss hardly pulls at the label; what is left comes from (1 - p)^alpha and even pushes it away.
    assert 0 < gradients[0] < 0.01
    assert gradients[1] == pytest.approx(-1.0, abs=0.01)


@pytest.mark.parametrize("setting", [{"smooth": 0.0}, {"alpha": -0.1}, {"form": "cube"}, {"ce_weight": -1.0}])
def test_unfit_settings_are_refused(setting):
    with pytest.raises(ValidationError):
        DiceConfig(**setting)


def test_defaults_are_the_published_scripts():
    config = DiceConfig()
    assert (config.form, config.alpha, config.smooth, config.ce_weight) == ("square", 0.01, 1.0, 0.0)
