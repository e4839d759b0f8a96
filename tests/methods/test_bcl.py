import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_two_branch
from known import CASES, expected, tensor
from sharprecl.config import resolve
from sharprecl.errors import ConfigError
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.bcl import BCL
from sharprecl.models.features import Features

WIDTH = 6
START = Progress(step=0, total_steps=10, epoch=0, total_epochs=2)


def build(counts, seed=0, dtype=torch.float64, **settings):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=len(counts))
    config = BCL.Config(**{"projection_dim": 5, **settings})
    return BCL.build(backbone, np.array(counts), config, seed).to(dtype)


def problem(labels, classes, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    x_NH, w_CH = draw(2 * len(labels), WIDTH), draw(classes, WIDTH)
    return Batch(torch.tensor(labels), 2), Features(x_NH, x_NH @ w_CH.T, w_CH)


def gradients(method, terms, features):
    method.zero_grad()
    terms["total"].backward()
    return [features.x_NH.grad, features.w_CH.grad, *(p.grad for p in method.parameters())]


def test_known_answer_bcl_total(monkeypatch):
    """Logits and projections are given; what is left is the prior, the weight and the loss."""
    inputs = CASES["bcl"]["inputs"]
    method = build(inputs["class_counts"])
    center_rows = F.normalize(tensor(inputs["class_centers"]), dim=1)
    view_rows = F.normalize(tensor(inputs["z_view1"] + inputs["z_view2"]), dim=1)
    monkeypatch.setattr(method.feature_head, "forward", lambda x: view_rows)
    monkeypatch.setattr(method.center_head, "forward", lambda w: center_rows)
    contrastive = method._contrastive(torch.tensor(inputs["labels"] * 2), Features(view_rows, view_rows, center_rows))
    monkeypatch.setattr(method.cosine, "logits", lambda x, w, training: tensor(inputs["ce_logits"]))
    ce_labels = torch.tensor(inputs["ce_labels"])
    classification = method._classification(ce_labels, Features(view_rows, view_rows, center_rows))
    total = classification + method.config.contrastive_weight * contrastive
    # The class priors are kept in float32, hence no better than 1e-6.
    assert total.item() == pytest.approx(expected("bcl", "total"), rel=1e-6)


@pytest.mark.parametrize(("tau", "weight", "scale"), [(0.1, 0.35, 30.0), (0.3, 1.5, 8.0)])
def test_equals_the_oracles(tau, weight, scale):
    counts = [20, 6, 2]
    method = build(counts, temperature=tau, contrastive_weight=weight, scale=scale)
    batch, features = problem([0, 1, 0, 2, 1], 3)
    terms = method.loss(batch, features, START)
    z_ND, c_CD = method.feature_head(features.x_NH), method.center_head(features.w_CH)
    contrastive = oracles_two_branch.balanced(z_ND, c_CD, batch.y_N.tolist(), tau).mean()
    unit = oracles_two_branch.unit
    s_BC = torch.stack([torch.stack([scale * unit(x) @ unit(w) for w in features.w_CH]) for x in features.x_NH[:5]])
    classification = oracles.compensated_cross_entropy(s_BC, batch.y_B, counts).mean()
    # The class priors are kept in float32, hence 1e-6.
    assert terms["contrastive"].item() == pytest.approx(contrastive.item(), rel=1e-10)
    assert terms["classification"].item() == pytest.approx(classification.item(), rel=1e-6)
    total = terms["classification"] + weight * terms["contrastive"]
    assert terms["total"].item() == pytest.approx(total.item(), rel=1e-12)


def test_reaches_every_parameter_but_classifies_the_first_views_only():
    method = build([9, 4, 2])
    batch, features = problem([0, 1, 1, 2], 3)
    terms = method.loss(batch, features, START)
    (grad,) = torch.autograd.grad(terms["classification"], [features.x_NH], retain_graph=True)
    assert grad[:4].abs().sum() > 0
    assert grad[4:].abs().sum() == 0
    assert all(grad.abs().sum() > 0 for grad in gradients(method, terms, features))


def test_the_length_of_a_weight_row_does_not_matter_to_the_classification():
    batch, features = problem([0, 1, 1, 2], 3)
    w_CH = features.w_CH * torch.tensor([[3.0], [0.1], [1.0]])
    one, two = (
        build([9, 4, 2]).loss(batch, Features(features.x_NH, features.s_NC, w), START)["classification"].item()
        for w in (features.w_CH, w_CH)
    )
    assert one == pytest.approx(two, rel=1e-12)


@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100))
def test_permuting_the_batch_changes_nothing(order, seed):
    method = build([9, 4, 2])
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    rows = [*order, *(6 + k for k in order)]
    permuted = Features(features.x_NH[rows], features.s_NC[rows], features.w_CH)
    ours = method.loss(Batch(batch.y_B[list(order)], 2), permuted, START)["total"]
    torch.testing.assert_close(ours, method.loss(batch, features, START)["total"], rtol=0, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(names=st.permutations(range(3)), seed=st.integers(0, 100))
def test_relabelling_the_classes_changes_nothing(names, seed):
    counts = np.array([9, 4, 2])
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    back = np.argsort(names)
    relabelled = Features(features.x_NH, features.s_NC[:, back], features.w_CH[back])
    ours = build(counts[back]).loss(Batch(torch.tensor(names)[batch.y_B], 2), relabelled, START)
    theirs = build(counts).loss(batch, features, START)
    torch.testing.assert_close(ours["total"], theirs["total"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("norm", ["none", "layer", "batch"])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 3), ([0], 2), ([0, 1], 2), ([5, 999], 1000), ([3], 9)],
    ids=["one class", "class absent", "one text", "two classes", "1000 classes", "one text of nine"],
)
def test_degenerate_batches_are_finite(labels, classes, norm):
    method = build(range(1, classes + 1), dtype=torch.float32, head_norm=norm)
    batch, features = problem(labels, classes, dtype=torch.float32)
    terms = method.loss(batch, features, START)
    assert all(term.isfinite() for term in terms.values())
    assert all(grad.isfinite().all() for grad in gradients(method, terms, features))


def test_head_norm_reaches_the_heads_but_few_centers_get_no_batch_norm():
    few, many, layer = (
        build([2] * 7, head_norm="batch"),
        build([2] * 8, head_norm="batch"),
        build([2], head_norm="layer"),
    )
    kinds = [type(m.norm).__name__ for m in (few.feature_head, few.center_head, many.center_head, layer.center_head)]
    assert kinds == ["BatchNorm", "Identity", "BatchNorm", "LayerNorm"]


def test_float32_agrees_with_float64():
    losses = {}
    for dtype in (torch.float32, torch.float64):
        terms = build([9, 4, 2], dtype=dtype).loss(*problem([0, 1, 1, 2], 3, dtype=dtype), START)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


def test_autocast_touches_neither_the_loss_nor_the_answers():
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.float32)
    plain, mixed = (build([9, 4, 2], dtype=torch.float32) for _ in range(2))
    terms = plain(batch, features, START)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        under = mixed(batch, features, START)
        answers = mixed.scores(features)
    assert under["total"].dtype == torch.float32
    assert under["total"].item() == terms["total"].item()
    assert torch.equal(answers, plain.scores(features))


def test_same_seed_same_loss_without_touching_the_global_state():
    before = torch.get_rng_state()
    losses = [build([9, 4, 2], seed=s).loss(*problem([0, 1, 1], 3), START)["total"].item() for s in (7, 7, 8)]
    assert torch.equal(before, torch.get_rng_state())
    assert losses[0] == losses[1] != losses[2]


def test_state_dict_brings_everything_back():
    method, rows = build([9, 4, 2], seed=1), problem([0, 1, 1, 2], 3)
    method.loss(*rows, START)
    resumed = build([9, 4, 2], seed=99)
    resumed.load_state_dict(copy.deepcopy(method.state_dict()))
    assert resumed.loss(*rows, START)["total"].item() == method.loss(*rows, START)["total"].item()
    layers = [torch.nn.Linear(WIDTH, 3).double() for _ in range(2)]
    for one, layer in zip((method, resumed), layers, strict=True):
        layer.weight.data = rows[1].w_CH.detach().clone()
        one.finalize(layer)
    assert torch.equal(layers[0].weight, layers[1].weight)


def test_answers_with_the_cosine_without_the_prior_and_settles_into_a_layer_that_agrees():
    method = build([900, 4, 2])
    batch, features = problem([0, 1, 1, 2] * 5, 3)
    method.loss(batch, features, START)
    s_NC = method.logits(features)
    cosine_NC = F.cosine_similarity(features.x_NH[:, None], features.w_CH[None], dim=2)
    torch.testing.assert_close(s_NC, 30 * cosine_NC, rtol=1e-10, atol=1e-10)
    layer = torch.nn.Linear(WIDTH, 3).double()
    layer.weight.data = features.w_CH.detach().clone()
    method.finalize(layer)
    assert torch.equal(layer(features.x_NH).argmax(1), s_NC.argmax(1))
    # A probability is that of training where a text has the usual length; these lengths differ.
    assert layer(features.x_NH).norm().item() == pytest.approx(s_NC.norm().item(), rel=0.3)


def test_the_length_of_a_text_is_followed_where_the_published_code_has_left_training_mode():
    """``legacy_eval_mode``: a loss in evaluation mode is a step of training all the same."""
    method = build([4, 2]).eval()
    batch, features = problem([0, 1], 2)
    method.loss(batch, features, START)
    assert method.cosine.mean_norm.item() == pytest.approx(features.x_NH[:2].norm(dim=1).mean().item())


def test_build_refuses_a_class_without_texts():
    with pytest.raises(ConfigError, match=r"class ids \[1\]"):
        build([5, 0])


def test_bare_settings():
    config = BCL.Config()
    assert (config.temperature, config.contrastive_weight, config.scale) == (0.1, 0.35, 30.0)
    assert (config.projection_dim, config.head_norm) == (128, "none")
    assert (BCL.Config.views, BCL.reading, BCL.not_exportable_because) == ("two", "linear", "")


def test_official_settings_are_valid():
    config = resolve({"profile": "official", "method": {"name": "bcl"}})
    assert (config.training.batch_size, config.method.temperature) == (256, 0.07)
