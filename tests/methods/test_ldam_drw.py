import pytest
import torch

import oracles_one_view as oracles
from one_view import START, WIDTH, build, problem
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Progress
from sharprecl.methods.ldam_drw import LdamDrw

COUNTS = [50, 10, 5]


def at(step):
    return Progress(step=step, total_steps=10, epoch=step // 2, total_epochs=5)


def oracle(batch, features, reweighted, max_margin=0.5, scale=30.0, beta=0.9999):
    l_N = oracles.ldam(features.x_NH, features.w_CH, batch.y_B, COUNTS, max_margin, scale)
    w_C = oracles.class_weights("effective_number", COUNTS, beta) if reweighted else [1.0] * 3
    weights = [w_C[y] for y in batch.y_B.tolist()]
    return sum(w * loss.item() for w, loss in zip(weights, l_N, strict=True)) / sum(weights)


@pytest.mark.parametrize("reweighted", [False, True])
@pytest.mark.parametrize("settings", [{}, {"max_margin": 0.2, "scale": 10.0, "beta": 0.9}, {"max_margin": 0.0}])
def test_equals_the_oracle(settings, reweighted):
    batch, features = problem(LdamDrw, [0, 1, 0, 2, 1], 3)
    total = build(LdamDrw, COUNTS, **settings).loss(batch, features, at(9 if reweighted else 0))["total"]
    # The margins and weights are kept in float32, hence 1e-6.
    assert total.item() == pytest.approx(oracle(batch, features, reweighted, **settings), rel=1e-6)


@pytest.mark.parametrize(("start", "first"), [(0.8, 8), (0.5, 5), (0.0, 0), (1.0, None)])
def test_reweighting_begins_where_it_is_told_to(start, first):
    batch, features = problem(LdamDrw, [0, 1, 0, 2, 1], 3)
    method = build(LdamDrw, COUNTS, drw_start=start)
    for step in range(10):
        reweighted = first is not None and step >= first
        total = method.loss(batch, features, at(step))["total"].item()
        assert total == pytest.approx(oracle(batch, features, reweighted), rel=1e-6)


@pytest.mark.parametrize(
    ("start", "epochs", "least"), [(0.8, 15, 12), (0.8, 3, 3), (0.5, 4, 2), (0.0, 5, 0), (1.0, 5, 0)]
)
def test_patience_is_not_lost_before_reweighting(start, epochs, least):
    assert build(LdamDrw, COUNTS, drw_start=start).least_epochs(epochs) == least


def test_answers_with_the_cosines_without_margins():
    _, features = problem(LdamDrw, [0, 1, 0, 2, 1], 3)
    s_NC = build(LdamDrw, COUNTS).logits(features)
    torch.testing.assert_close(s_NC, 30 * oracles.cosines(features.x_NH, features.w_CH), rtol=0, atol=1e-10)


def test_the_answer_is_the_same_after_settling_whatever_the_lengths_were():
    layer = torch.nn.Linear(WIDTH, 3).double()
    layer.weight.data *= torch.tensor([0.1, 1.0, 30.0])[:, None]
    layer.bias.data += torch.tensor([50.0, 0.0, 0.0])
    batch, features = problem(LdamDrw, [0, 1, 0, 2, 1], 3)
    features = type(features)(features.x_NH, features.s_NC, layer.weight)
    method = build(LdamDrw, COUNTS)
    method.loss(batch, features, START)
    answer = method.logits(features).argmax(1)
    method.finalize(layer)
    assert torch.equal(layer(features.x_NH).argmax(1), answer)
    assert layer.bias.tolist() == [0.0] * 3


def test_training_alone_tells_how_long_features_are():
    batch, features = problem(LdamDrw, [0, 1, 0, 2, 1], 3)
    method = build(LdamDrw, COUNTS)
    method.logits(features)
    assert method.cosine.mean_norm.item() == 0.0
    method.loss(batch, features, START)
    assert method.cosine.mean_norm.item() == pytest.approx(features.x_NH.norm(dim=1).mean().item())


def test_a_class_without_texts_is_refused():
    with pytest.raises(ConfigError, match=r"class ids \[1\]"):
        build(LdamDrw, [5, 0])
