from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_prototypes as oracles
from known import CASES, tensor
from sharprecl.config.methods import DualCLConfig
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.dualcl import DualCL
from sharprecl.models import stock
from sharprecl.models.backbone import open_backbone
from sharprecl.models.features import Features
from tiny import tiny_encoder

START = Progress(step=0, total_steps=10, epoch=0, total_epochs=2)
WIDTH = 6


def build(classes, **settings):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=classes)
    return DualCL.build(backbone, np.full(classes, 3), DualCLConfig(**settings), 0)


def read(x_NH, t_NCH):
    return Features(x_NH, torch.einsum("nh,nch->nc", x_NH, t_NCH), torch.zeros(t_NCH.shape[1:]), t_NCH)


def problem(labels, classes, seed=0, dtype=torch.float64, width=WIDTH):
    generator = torch.Generator().manual_seed(seed)
    x_NH = torch.randn(len(labels), width, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
    t_NCH = torch.randn(len(labels), classes, width, generator=generator, dtype=torch.float64).to(dtype)
    return Batch(torch.tensor(labels), 1), read(x_NH, t_NCH.requires_grad_())


def gradients(total, features):
    return torch.autograd.grad(total, [features.x_NH, features.t_NCH], retain_graph=True)


@pytest.mark.parametrize(("own_pair", "key"), [("exclude", "own_pair_excluded(paper)"), ("zero_logit", "code")])
@pytest.mark.parametrize("case", ["dualcl", "dualcl_with_no_positive_anchor"])
def test_known_answer_dualcl(case, own_pair, key):
    inputs, wanted = CASES[case]["inputs"], CASES[case]["expected"]
    params = CASES[case]["params"]
    method = build(2, own_pair=own_pair, temperature=params["tau"], alpha=params["alpha"])
    features = read(tensor(inputs["cls_feats"]), tensor(inputs["label_feats"]))
    terms = method.loss(Batch(torch.tensor(inputs["labels"]), 1), features, START)
    assert terms["classification"].item() == pytest.approx(wanted["ce"], rel=1e-6)
    assert terms["contrastive_labels"].item() == pytest.approx(wanted[key]["cl_theta_anchor"], rel=1e-6)
    assert terms["contrastive_texts"].item() == pytest.approx(wanted[key]["cl_z_anchor"], rel=1e-6)
    assert terms["total"].item() == pytest.approx(wanted[key]["total"], rel=1e-6)
    torch.testing.assert_close(method.logits(features), tensor(wanted["predict_logits"]), rtol=1e-6, atol=0)
    assert method.logits(features).argmax(1).tolist() == wanted["argmax"]


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("tau", [0.07, 0.5])
@pytest.mark.parametrize("own_pair", ["exclude", "zero_logit"])
def test_equals_the_oracles(alpha, tau, own_pair):
    batch, features = problem([0, 1, 0, 2, 1], 3)
    total = build(3, alpha=alpha, temperature=tau, own_pair=own_pair).loss(batch, features, START)["total"]
    theta_NH = torch.stack([t_CH[y] for t_CH, y in zip(features.t_NCH, batch.y_B, strict=True)])
    ce = oracles.cross_entropy(features.s_NC, batch.y_B).mean()
    pairs = ((theta_NH, features.x_NH), (features.x_NH, theta_NH))
    both = sum(oracles.dual_contrastive(a, t, batch.y_B, tau, own_pair).mean() for a, t in pairs)
    expected = (1 - alpha) * ce + alpha / 2 * both
    assert total.item() == pytest.approx(expected.item(), rel=1e-10)
    for mine, theirs in zip(gradients(total, features), gradients(expected, features), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("own_pair", ["exclude", "zero_logit"])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 2), ([0], 2), ([0], 1), ([5, 999, 5], 1000)],
    ids=["one class", "no positives", "one text", "a single class", "1000 classes"],
)
def test_degenerate_batches_are_finite(labels, classes, own_pair):
    batch, features = problem(labels, classes, dtype=torch.float32)
    terms = build(classes, own_pair=own_pair).loss(batch, features, START)
    assert all(term.isfinite() for term in terms.values())
    assert all(gradient.isfinite().all() for gradient in gradients(terms["total"], features))


def test_without_positives_only_classification_is_left():
    terms = build(3, alpha=0.4).loss(*problem([0, 1, 2], 3), START)
    assert terms["contrastive_labels"].item() == terms["contrastive_texts"].item() == 0.0
    assert terms["total"].item() == pytest.approx(0.6 * terms["classification"].item())


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100))
def test_permuting_the_batch_changes_nothing(order, seed):
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    permuted = read(features.x_NH[order], features.t_NCH[order])
    ours = build(3).loss(Batch(batch.y_B[order], 1), permuted, START)["total"]
    torch.testing.assert_close(ours, build(3).loss(batch, features, START)["total"], rtol=0, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(names=st.permutations(range(3)), seed=st.integers(0, 100))
def test_relabelling_the_classes_changes_nothing(names, seed):
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    moved = read(features.x_NH, features.t_NCH[:, np.argsort(names)])
    ours = build(3).loss(Batch(torch.tensor(names)[batch.y_B], 1), moved, START)["total"]
    torch.testing.assert_close(ours, build(3).loss(batch, features, START)["total"], rtol=0, atol=1e-10)


def test_float32_agrees_with_float64():
    single = build(3).loss(*problem([0, 1, 1, 2], 3, dtype=torch.float32), START)["total"]
    double = build(3).loss(*problem([0, 1, 1, 2], 3), START)["total"]
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-5)


def test_autocast_does_not_touch_the_loss():
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.float32)
    plain = build(3)(batch, features, START)["total"]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = build(3)(batch, features, START)["total"]
    assert mixed.dtype == torch.float32
    assert mixed.item() == plain.item()


def test_bfloat16_features_are_compared_in_float32():
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.bfloat16)
    terms = build(3)(batch, features, START)
    assert {term.dtype for term in terms.values()} == {torch.float32}
    wide = read(features.x_NH.detach().float(), features.t_NCH.detach().float())
    assert terms["contrastive_texts"].item() == build(3)(batch, wide, START)["contrastive_texts"].item()


def test_it_leaves_the_linear_layer_alone_and_keeps_no_state():
    method, layer = build(3), torch.nn.Linear(WIDTH, 3)
    before = layer.weight.clone()
    method.finalize(layer)
    assert torch.equal(layer.weight, before)
    assert method.state_dict() == {}
    assert DualCL.reading == "label_tokens"
    assert DualCL.not_exportable_because


@pytest.mark.parametrize(("position", "places"), [("next", [0, 1, 1, 2]), ("first", [0, 0, 0, 1])])
def test_the_labels_position_reaches_the_backbone(tmp_path, position, places):
    source = tiny_encoder(tmp_path)
    backbone = open_backbone(source, ("refund", "parcel"), "cls", "label_tokens", stock.load_tokenizer(source))
    DualCL.build(backbone, np.array([3, 2]), DualCLConfig(label_position=position), 0)
    assert backbone._label_tokens.positions(4).tolist() == places
