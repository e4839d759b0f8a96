import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import oracles_two_branch as oracles
from known import CASES, expected, tensor
from sharprecl.config import resolve
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.tsc import TSC
from sharprecl.models.features import Features

WIDTH = 6
KCL = Progress(step=0, total_steps=20, epoch=0, total_epochs=4)
TARGETED = Progress(step=10, total_steps=20, epoch=2, total_epochs=4)


def build(classes=3, seed=0, dtype=torch.float64, **settings):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=classes)
    config = TSC.Config(**{"projection_dim": 5, **settings})
    return TSC.build(backbone, np.arange(1, classes + 1), config, seed).to(dtype)


def problem(labels, classes=3, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    x_NH, w_CH = draw(2 * len(labels), WIDTH), draw(classes, WIDTH)
    return Batch(torch.tensor(labels), 2), Features(x_NH, x_NH @ w_CH.T, w_CH)


def oracle_loss(method, z_ND, y_N, targets=None):
    config = method.config
    anchors, candidates, positives = oracles.in_batch(z_ND, y_N)
    if targets is None:
        return oracles.targeted(anchors, candidates, positives, tau=config.temperature).mean()
    own = [int(method.target_C[y]) for y in y_N]
    pull = config.target_weight, config.normalizer
    return oracles.targeted(anchors, candidates, positives, list(targets), own, config.temperature, *pull).mean()


def test_known_answer_tsc_in_batch(monkeypatch):
    """The whole method, with its head replaced by the normalisation alone and targets and assignment as given."""
    inputs = CASES["tsc_in_batch"]["inputs"]
    method = build(projection_dim=4)
    monkeypatch.setattr(method.head, "forward", lambda x: F.normalize(x, dim=1))
    # The method's own targets are this very triangle, in float32. Centroids that lie on their targets keep them.
    torch.testing.assert_close(method.targets_CD, tensor(inputs["targets"]), rtol=0, atol=1e-7)
    method.targets_CD = tensor(inputs["targets"])
    monkeypatch.setattr(method, "_follow", lambda z, y: None)
    method.centroids_CD = method.targets_CD[inputs["class_to_target"]]
    x_NH = tensor(inputs["z_view1"] + inputs["z_view2"])
    features = Features(x_NH, x_NH[:, :3], x_NH[:3])
    terms = method.loss(Batch(torch.tensor(inputs["labels"]), 2), features, TARGETED)
    assert method.target_C.tolist() == inputs["class_to_target"]
    assert terms["total"].item() == pytest.approx(expected("tsc_in_batch", "total"), rel=1e-6)


@pytest.mark.parametrize("normalizer", ["paper", "code"])
@pytest.mark.parametrize(("tau", "weight"), [(0.1, 0.2), (0.4, 1.5)])
def test_equals_the_oracle_in_both_stages(normalizer, tau, weight):
    method = build(temperature=tau, target_weight=weight, normalizer=normalizer)
    batch, features = problem([0, 1, 0, 2])
    z_ND = method.head(features.x_NH)
    before = method.loss(batch, features, KCL)
    assert before["total"].item() == pytest.approx(oracle_loss(method, z_ND, batch.y_N.tolist()).item(), rel=1e-10)
    after = method.loss(batch, features, TARGETED)
    wanted = oracle_loss(method, z_ND, batch.y_N.tolist(), method.targets_CD)
    assert after["total"].item() == pytest.approx(wanted.item(), rel=1e-10)
    assert after["total"].item() == after["contrastive"].item()


def test_centroids_follow_the_views_and_decide_who_gets_which_target():
    method = build()
    batch, features = problem([0, 1, 0, 2])
    wanted = torch.zeros(3, 5, dtype=torch.float64)
    for seed in (0, 1, 2):
        batch, features = problem([0, 1, 0] if seed else [0, 1, 1], seed=seed)
        z_ND = method.head(features.x_NH).detach()
        method.loss(batch, features, TARGETED)
        for c in (0, 1):
            mean = oracles.unit(oracles.mean(list(z_ND[batch.y_N == c])))
            wanted[c] = oracles.unit(0.9 * wanted[c] + 0.1 * mean)
        torch.testing.assert_close(method.centroids_CD, wanted, rtol=1e-10, atol=1e-10)
        # Class 2 has not been seen: it gets what is left.
        assert method.target_C.tolist() == oracles.best_assignment(wanted, method.targets_CD)


@pytest.mark.parametrize(
    ("total", "kcl", "switch"), [(1, 0, []), (2, 1, [1]), (3, 2, [2]), (4, 2, [2]), (15, 8, [8]), (30, 15, [15])]
)
def test_the_first_half_of_the_epochs_has_no_targets(total, kcl, switch):
    batch, features = problem([0, 1, 0, 2])
    plain = build().loss(batch, features, Progress(0, 99, 0, 9))["total"].item()
    losses = [build().loss(batch, features, Progress(0, 99, epoch, total))["total"].item() for epoch in range(total)]
    assert [loss == plain for loss in losses] == [True] * kcl + [False] * (total - kcl)
    assert [epoch for epoch in range(total) if build().begins_stage(epoch, total)] == switch


def test_the_stock_classifier_gets_no_gradient():
    method = build()
    batch, features = problem([0, 1, 0, 2])
    method.loss(batch, features, TARGETED)["total"].backward()
    assert features.w_CH.grad is None
    assert features.x_NH.grad.abs().sum() > 0
    assert all(p.grad.abs().sum() > 0 for p in method.parameters())


@pytest.mark.parametrize("queue_size", [0, 3, 5, 50])
def test_the_queue_holds_the_latest_second_views(queue_size):
    method = build(queue_size=queue_size)
    held = []
    for seed, labels in enumerate([[0, 1, 1, 2], [2, 0, 1], [1, 1]]):
        batch, features = problem(labels, seed=seed)
        z_ND = method.head(features.x_NH)
        anchors, candidates, positives = oracles.in_batch(z_ND, batch.y_N.tolist())
        for i, y in enumerate(batch.y_N.tolist()):
            first = len(candidates[i])
            candidates[i] = candidates[i] + [v for v, _ in held]
            positives[i] = positives[i] + [first + k for k, (_, label) in enumerate(held) if label == y]
        wanted = oracles.targeted(anchors, candidates, positives, tau=0.1).mean()
        terms = method.loss(batch, features, KCL)
        terms["total"].backward()
        assert terms["total"].item() == pytest.approx(wanted.item(), rel=1e-10)
        held = (list(zip(z_ND[len(labels) :].detach(), labels, strict=True)) + held)[:queue_size]
        assert method.queue_y_Q.tolist() == [label for _, label in held] + [-1] * (queue_size - len(held))
        assert not method.queue_QD.requires_grad


def test_sampled_positives_are_the_other_view_and_k_of_the_class():
    labels = [0, 1, 0, 0, 1, 2, 0]
    method = build(sampled_positives=2)
    y_N = torch.tensor(labels * 2)
    itself = torch.eye(14, dtype=torch.bool)
    seen = torch.zeros(14, 14)
    for _ in range(200):
        positive = method._positives(y_N, y_N, itself)
        assert not (positive & itself).any()
        assert (y_N[:, None] == y_N[None])[positive].all()
        assert all(positive[i, (i + 7) % 14] for i in range(14))
        # The text of class 2 has nobody but its other view.
        assert positive.sum(1).tolist() == [1 if y == 2 else 3 for y in labels * 2]
        seen += positive
    # Class 0 has 6 others of which 2 are drawn: a third of 200, give or take a standard deviation of 6.7.
    others = seen[0][(y_N == 0) & (torch.arange(14) != 0) & (torch.arange(14) != 7)]
    assert others.min() > 35
    assert others.max() < 100


def test_as_many_sampled_positives_as_there_are_is_all_of_them():
    rows = problem([0, 1, 0, 2])
    few, many, every = (build(sampled_positives=k).loss(*rows, TARGETED)["total"].item() for k in (0, 20, None))
    assert many == every
    assert few != every


@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100), progress=st.sampled_from([KCL, TARGETED]))
def test_permuting_the_batch_changes_nothing(order, seed, progress):
    batch, features = problem([0, 1, 1, 2, 0, 0], seed=seed)
    rows = [*order, *(6 + k for k in order)]
    permuted = Features(features.x_NH[rows], features.s_NC[rows], features.w_CH)
    ours = build().loss(Batch(batch.y_B[list(order)], 2), permuted, progress)["total"]
    torch.testing.assert_close(ours, build().loss(batch, features, progress)["total"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("settings", [{}, {"queue_size": 3, "sampled_positives": 1, "normalizer": "code"}])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 3), ([0], 2), ([0, 1], 2), ([0], 1), ([5, 99], 100)],
    ids=["one class", "class absent", "one text", "two classes", "C=1", "100 classes in 5 dimensions"],
)
def test_degenerate_batches_are_finite(labels, classes, settings):
    method = build(classes, dtype=torch.float32, **settings)
    for progress in (KCL, TARGETED, TARGETED):
        batch, features = problem(labels, classes, dtype=torch.float32)
        terms = method.loss(batch, features, progress)
        method.zero_grad()
        terms["total"].backward()
        grads = [features.x_NH.grad, *(p.grad for p in method.parameters())]
        assert all(term.isfinite() for term in terms.values())
        assert all(grad.isfinite().all() for grad in grads)
        assert all(buffer.isfinite().all() for buffer in method.buffers())


def test_1000_classes_in_128_dimensions():
    method = build(1000, dtype=torch.float32, projection_dim=128)
    batch, features = problem([5, 999], 1000, dtype=torch.float32)
    loss = method.loss(batch, features, TARGETED)["total"]
    loss.backward()
    assert loss.isfinite()
    assert features.x_NH.grad.isfinite().all()
    assert sorted(method.target_C.tolist()) == list(range(1000))


@pytest.mark.parametrize("progress", [KCL, TARGETED])
def test_float32_agrees_with_float64(progress):
    losses = {}
    for dtype in (torch.float32, torch.float64):
        terms = build(dtype=dtype, queue_size=4).loss(*problem([0, 1, 1, 2], dtype=dtype), progress)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


def test_autocast_touches_neither_the_loss_nor_the_answers():
    batch, features = problem([0, 1, 1, 2], dtype=torch.float32)
    plain, mixed = (build(dtype=torch.float32) for _ in range(2))
    results = []
    for method, enabled in ((plain, False), (mixed, True)):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=enabled):
            terms = method(batch, features, TARGETED)
            method.on_features(features.x_NH.detach(), batch.y_N, 1, 4)
            results.append((terms["total"], method.scores(features)))
    assert results[1][0].dtype == torch.float32
    assert results[0][0].item() == results[1][0].item()
    assert torch.equal(results[0][1], results[1][1])


def test_same_seed_same_loss_without_touching_the_global_state():
    before = torch.get_rng_state()
    settings = {"sampled_positives": 1, "queue_size": 4}
    rows = problem([0, 1, 1, 0, 0])
    losses = [
        [m.loss(*rows, KCL)["total"].item() for _ in range(3)] for m in (build(seed=s, **settings) for s in (7, 7, 8))
    ]
    assert torch.equal(before, torch.get_rng_state())
    assert losses[0] == losses[1] != losses[2]


def test_state_dict_continues_exactly():
    settings = {"sampled_positives": 1, "queue_size": 7}
    method, rows = build(seed=1, **settings), problem([0, 1, 1, 0, 0])
    for progress in (KCL, TARGETED):
        method.loss(*rows, progress)
    method.on_features(rows[1].x_NH.detach(), rows[0].y_N, 1, 4)
    saved = copy.deepcopy(method.state_dict())
    resumed = build(seed=99, **settings)
    assert {name: t.shape for name, t in resumed.state_dict().items()} == {name: t.shape for name, t in saved.items()}
    resumed.load_state_dict(saved)
    assert torch.equal(resumed.logits(rows[1]), method.logits(rows[1]))
    ahead, again = ([m.loss(*rows, TARGETED)["total"].item() for _ in range(3)] for m in (method, resumed))
    assert again == ahead


def test_answers_with_the_second_stage_s_classifier_and_settles_it():
    method = build(dtype=torch.float32)
    generator = torch.Generator().manual_seed(0)
    y_N = torch.tensor([0] * 40 + [1] * 8 + [2] * 2)
    x_NH = 2 * torch.eye(3, WIDTH)[y_N] + 0.2 * torch.randn(50, WIDTH, generator=generator)
    features = Features(x_NH, torch.zeros(50, 3), torch.zeros(3, WIDTH))
    method.on_features(x_NH, y_N, 1, 4)
    s_NC = method.logits(features)
    assert torch.equal(s_NC.argmax(1), y_N)
    for bias in (True, False):
        layer = torch.nn.Linear(WIDTH, 3, bias=bias)
        method.finalize(layer)
        torch.testing.assert_close(layer(x_NH), s_NC)


def test_the_second_stage_is_a_function_of_seed_and_epoch():
    x_NH, y_N = torch.randn(30, WIDTH, generator=torch.Generator().manual_seed(0)), torch.arange(30) % 3
    fits = []
    for seed, epoch in ((0, 1), (0, 1), (0, 2), (1, 1)):
        method = build(seed=seed, dtype=torch.float32)
        method.loss(*problem([0, 1, 1], dtype=torch.float32), KCL)  # draws and steps before do not matter
        method.on_features(x_NH, y_N, epoch, 4)
        fits.append(method.probe.weight_CH)
    assert torch.equal(fits[0], fits[1])
    assert not torch.equal(fits[0], fits[2])
    assert not torch.equal(fits[0], fits[3])


def test_head_epochs_reach_the_second_stage():
    x_NH, y_N = torch.randn(4000, WIDTH, generator=torch.Generator().manual_seed(0)), torch.arange(4000) % 3
    lengths = []
    for epochs in (5, 20):
        method = build(dtype=torch.float32, head_epochs=epochs)
        method.on_features(x_NH + F.one_hot(y_N, WIDTH), y_N, 1, 4)
        lengths.append(method.probe.weight_CH.norm().item())
    assert lengths[1] > 1.2 * lengths[0]


def test_bare_settings():
    config = TSC.Config()
    assert (config.temperature, config.target_weight, config.normalizer) == (0.1, 0.2, "paper")
    assert (config.sampled_positives, config.queue_size, config.projection_dim, config.head_epochs) == (
        None,
        0,
        128,
        10,
    )
    assert TSC.wants_features
    assert (TSC.Config.views, TSC.reading, TSC.not_exportable_because) == ("two", "linear", "")
    with pytest.raises(ValidationError):
        TSC.Config(normalizer="both")


def test_official_settings_are_valid():
    config = resolve({"profile": "official", "method": {"name": "tsc"}})
    assert (config.method.sampled_positives, config.method.normalizer) == (6, "code")
