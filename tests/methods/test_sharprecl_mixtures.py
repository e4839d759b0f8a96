"""SharpReCL's classifier learns from mixed texts; without them the loss is the paper's, to the bit."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from sharprecl.config import resolve
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.features import Features
from sharprecl.rebalance.mixtures import plan_mixtures

WIDTH = 6
BARE = {"n_pos": 3, "n_neg": 8, "top_k": 4, "projection_dim": 5, "mixtures": 0.0}
START = Progress(step=0, total_steps=10, epoch=0, total_epochs=2)


def build(counts, **settings):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=len(counts))
    return SharpReCL.build(backbone, np.array(counts), SharpReCLConfig(**{**BARE, **settings}), 0).double()


def problem(labels, classes):
    generator = torch.Generator().manual_seed(0)
    x_NH, w_CH = (
        torch.randn(rows, WIDTH, generator=generator, dtype=torch.float64).requires_grad_()
        for rows in (2 * len(labels), classes)
    )
    return Batch(torch.tensor(labels), 2), Features(x_NH, x_NH @ w_CH.T, w_CH)


def with_bias(features, seed=5):
    b_C = torch.randn(len(features.w_CH), generator=torch.Generator().manual_seed(seed), dtype=features.x_NH.dtype)
    return Features(features.x_NH, features.s_NC + b_C, features.w_CH, b_C=b_C.requires_grad_())


def test_mixtures_equal_the_loop():
    counts = [20, 6, 2]
    method = build(counts, mixtures=0.5, compensation=0.8, mu=0.0)
    batch, features = problem([0, 1, 0, 2, 1], 3)
    features = with_bias(features)
    generator = torch.Generator()
    generator.set_state(method.mixing.generator.get_state())
    plan = plan_mixtures(batch.y_N, 3, 0.5, generator)
    terms = method.loss(batch, features, START)
    p_C = torch.tensor(counts) / 28
    losses = []
    for i, j, a in zip(plan.i_S, plan.j_S, plan.a_S, strict=True):
        x_i, x_j = features.x_NH[i], features.x_NH[j]
        mixed = a * x_i + (1 - a) * x_j
        mixed = mixed / mixed.norm() * (a * x_i.norm() + (1 - a) * x_j.norm())
        s_C = features.w_CH @ mixed + features.b_C + 0.8 * p_C.log()
        log_p = s_C - s_C.exp().sum().log()
        losses.append(-a * log_p[batch.y_N[i]] - (1 - a) * log_p[batch.y_N[j]])
    assert terms["mixtures"].item() == pytest.approx(torch.stack(losses).mean().item(), rel=1e-6)
    total = terms["classification"] + 0.5 * terms["mixtures"]
    assert terms["total"].item() == pytest.approx(total.item(), abs=1e-12)
    terms["total"].backward()
    assert features.b_C.grad.abs().sum() > 0


@pytest.mark.parametrize("partners", ["balanced", "hard", "within"])
def test_without_mixtures_the_loss_is_the_old_one_to_the_bit(partners):
    batch, features = problem([0, 1, 0, 2, 1], 3)
    bare = build([20, 6, 2], mixture_partners=partners).loss(batch, features, START)
    mixed = build([20, 6, 2], mixtures=1.0, mixture_partners=partners).loss(batch, features, START)
    assert "mixtures" not in bare
    assert mixed["mixtures"] > 0
    for name in ("classification", "contrastive"):
        assert torch.equal(bare[name], mixed[name])


def test_the_default_mixes_and_speaks_quietly():
    config = SharpReCLConfig()
    assert (config.mu, config.temperature, config.compensation, config.mixtures) == (0.3, 0.7, 0.75, 1.0)


def test_the_profile_paper_does_not_drown_the_classification():
    counts = np.array([1250, 571, 261, 119, 54, 25])
    config = resolve({"profile": "paper"}).method
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=6)
    labels = np.random.default_rng(0).choice(6, 128, p=counts / counts.sum())
    terms = {}
    for positives in ("mean", "sum"):
        chosen = config.model_copy(update={"positives": positives})
        method = SharpReCL.build(backbone, counts, chosen, 0).double()
        terms[positives] = method.loss(*problem(labels.tolist(), 6), START)["contrastive"].item()
    assert terms["mean"] < 20 < 300 < terms["sum"]
