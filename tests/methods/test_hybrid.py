import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import oracles
import oracles_two_branch
from known import CASES, expected, tensor
from sharprecl.config import resolve
from sharprecl.data.batches import drawn_batches
from sharprecl.errors import ConfigError
from sharprecl.losses.supervised_contrastive import supervised_contrastive
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.hybrid import contrastive_share
from sharprecl.methods.hybrid_psc import HybridPSC
from sharprecl.methods.hybrid_sc import HybridSC
from sharprecl.models.features import Features

WIDTH = 6
BOTH = pytest.mark.parametrize("kind", [HybridSC, HybridPSC])
MIDDLE = Progress(step=3, total_steps=10, epoch=2, total_epochs=5)


def build(kind, classes=3, seed=0, dtype=torch.float64, **settings):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=classes)
    config = kind.Config(**{"projection_dim": 5, **settings})
    return kind.build(backbone, np.arange(1, classes + 1), config, seed).to(dtype)


def problem(labels, extra, classes=3, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    x_NH, w_CH = draw(2 * len(labels) + len(extra), WIDTH), draw(classes, WIDTH)
    return Batch(torch.tensor(labels), 2, torch.tensor(extra)), Features(x_NH, x_NH @ w_CH.T, w_CH)


def gradients(method, terms, features):
    method.zero_grad()
    terms["total"].backward()
    return [features.x_NH.grad, features.w_CH.grad, *(p.grad for p in method.parameters())]


def oracle_contrastive(method, z_ND, y_N, include_own=False, tau=0.1):
    if isinstance(method, HybridPSC):
        return oracles_two_branch.prototypical(z_ND, method.prototypes_CD, y_N.tolist(), tau, include_own)
    return oracles.contrastive(z_ND, y_N, z_ND.new_zeros(int(y_N.max()) + 1, 0, z_ND.shape[1]), 0, tau)


@pytest.mark.parametrize(("done", "index"), [(0.0, 0), (0.3, 1), (0.5, 2), (1.0, 3)])
def test_known_answer_hybrid_alpha(done, index):
    alpha = expected("hybrid", "alpha_epoch_0_3_5_10_of_10")[index]
    assert contrastive_share(done, "quadratic") == pytest.approx(alpha, rel=1e-6)


def test_known_answer_hybrid_total(monkeypatch):
    """The whole method, with its head replaced by the normalisation alone and epoch 3 of 11, whose share is .91."""
    inputs = CASES["hybrid"]["inputs"]
    x_NH = tensor(inputs["z_view1"] + inputs["z_view2"] + [[0.0] * 4] * 5)
    s_NC = torch.cat([torch.zeros(12, 3, dtype=torch.float64), tensor(inputs["ce_logits"])])
    batch = Batch(torch.tensor(inputs["labels"]), 2, torch.tensor(inputs["ce_labels"]))
    method = build(HybridSC)
    monkeypatch.setattr(method.head, "forward", lambda x: torch.nn.functional.normalize(x, dim=1))
    progress = Progress(step=0, total_steps=99, epoch=3, total_epochs=11)
    terms = method.loss(batch, Features(x_NH, s_NC, torch.zeros(3, 4)), progress)
    assert terms["contrastive"].item() == pytest.approx(expected("hybrid", "sc_mean"), rel=1e-6)
    assert terms["total"].item() == pytest.approx(expected("hybrid", "hybrid_sc_total"), rel=1e-6)


def test_known_answer_hybrid_sum():
    inputs = CASES["hybrid"]["inputs"]
    z_ND = torch.nn.functional.normalize(tensor(inputs["z_view1"] + inputs["z_view2"]), dim=1)
    l_N = supervised_contrastive(z_ND @ z_ND.T, torch.tensor(inputs["labels"] * 2), 0.1)
    assert l_N.sum().item() == pytest.approx(expected("hybrid", "sc_sum"), rel=1e-6)


@pytest.mark.parametrize(
    ("kind", "own", "tau", "curriculum", "alpha"),
    [
        (HybridSC, None, 0.1, "quadratic", 0.75),
        (HybridSC, None, 0.4, "linear", 0.5),
        (HybridPSC, False, 0.1, "quadratic", 0.75),
        (HybridPSC, True, 0.4, "linear", 0.5),
    ],
)
def test_equals_the_oracles(kind, own, tau, curriculum, alpha):
    own_settings = {} if own is None else {"include_own": own}
    method = build(kind, temperature=tau, curriculum=curriculum, **own_settings)
    batch, features = problem([0, 1, 0, 2], [2, 1, 2, 0, 1])
    terms = method.loss(batch, features, MIDDLE)
    contrastive = oracle_contrastive(method, method.head(features.x_NH[:8]), batch.y_N, bool(own), tau).mean()
    classification = oracles.cross_entropy(features.s_NC[8:], batch.y_E).mean()
    assert terms["contrastive"].item() == pytest.approx(contrastive.item(), rel=1e-10)
    assert terms["classification"].item() == pytest.approx(classification.item(), rel=1e-10)
    total = alpha * contrastive + (1 - alpha) * classification
    assert terms["total"].item() == pytest.approx(total.item(), rel=1e-10)


@BOTH
@pytest.mark.parametrize("curriculum", ["quadratic", "linear"])
def test_the_first_epoch_trains_no_classifier_and_the_last_one_nothing_else(kind, curriculum):
    method = build(kind, curriculum=curriculum)
    for epoch, only in ((0, "contrastive"), (4, "classification")):
        terms = method.loss(*problem([0, 1, 0, 2], [2, 1, 2, 0, 1]), Progress(0, 10, epoch, 5))
        assert terms["total"].item() == terms[only].item()


@BOTH
def test_a_single_epoch_trains_both_branches(kind):
    batch, features = problem([0, 1, 0, 2], [2, 1, 2, 0, 1])
    method = build(kind)
    terms = method.loss(batch, features, Progress(step=0, total_steps=3, epoch=0, total_epochs=1))
    assert all(grad.abs().sum() > 0 for grad in gradients(method, terms, features))


@BOTH
def test_the_branches_do_not_see_each_other_s_texts(kind):
    method = build(kind)
    batch, features = problem([0, 1, 0, 2], [2, 1, 2, 0, 1])
    terms = method.loss(batch, features, MIDDLE)
    for name, rows in (("contrastive", slice(0, 8)), ("classification", slice(8, None))):
        (grad,) = torch.autograd.grad(terms[name], [features.x_NH], retain_graph=True)
        others = torch.ones(13, dtype=torch.bool)
        others[rows] = False
        assert grad[rows].abs().sum() > 0
        assert grad[others].abs().sum() == 0


@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(4)), back=st.permutations(range(5)), seed=st.integers(0, 100))
@BOTH
def test_permuting_either_batch_changes_nothing(kind, order, back, seed):
    method = build(kind)
    batch, features = problem([0, 1, 0, 2], [2, 1, 2, 0, 1], seed=seed)
    rows = [*order, *(4 + k for k in order), *(8 + k for k in back)]
    permuted = Features(features.x_NH[rows], features.s_NC[rows], features.w_CH)
    ours = method.loss(Batch(batch.y_B[list(order)], 2, batch.y_E[list(back)]), permuted, MIDDLE)["total"]
    torch.testing.assert_close(ours, method.loss(batch, features, MIDDLE)["total"], rtol=0, atol=1e-10)


@BOTH
@pytest.mark.parametrize(
    ("labels", "extra", "classes"),
    [([1, 1, 1], [1, 1], 3), ([0], [0], 2), ([0, 1], [1], 2), ([5, 999], [3, 999], 1000), ([0, 1, 2], [0], 3)],
    ids=["one class", "one text", "two classes", "1000 classes", "each once"],
)
@pytest.mark.parametrize("epoch", [0, 4])
def test_degenerate_batches_are_finite(kind, labels, extra, classes, epoch):
    method = build(kind, classes, dtype=torch.float32)
    batch, features = problem(labels, extra, classes, dtype=torch.float32)
    terms = method.loss(batch, features, Progress(0, 10, epoch, 5))
    assert all(term.isfinite() for term in terms.values())
    assert all(grad.isfinite().all() for grad in gradients(method, terms, features))


@BOTH
def test_float32_agrees_with_float64(kind):
    losses = {}
    for dtype in (torch.float32, torch.float64):
        terms = build(kind, dtype=dtype).loss(*problem([0, 1, 1, 2], [2, 0], dtype=dtype), MIDDLE)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


@BOTH
def test_autocast_does_not_touch_the_loss(kind):
    batch, features = problem([0, 1, 1, 2], [2, 0], dtype=torch.float32)
    plain = build(kind, dtype=torch.float32)(batch, features, MIDDLE)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = build(kind, dtype=torch.float32)(batch, features, MIDDLE)
    assert mixed["total"].dtype == torch.float32
    assert mixed["total"].item() == plain["total"].item()


@BOTH
def test_same_seed_same_loss_without_touching_the_global_state(kind):
    before = torch.get_rng_state()
    losses = [build(kind, seed=s).loss(*problem([0, 1, 1], [2, 0]), MIDDLE)["total"].item() for s in (7, 7, 8)]
    assert torch.equal(before, torch.get_rng_state())
    assert losses[0] == losses[1] != losses[2]


@BOTH
def test_state_dict_brings_everything_back(kind):
    method, rows = build(kind, seed=1), problem([0, 1, 1, 2], [2, 0])
    resumed = build(kind, seed=99)
    resumed.load_state_dict(copy.deepcopy(method.state_dict()))
    assert resumed.loss(*rows, MIDDLE)["total"].item() == method.loss(*rows, MIDDLE)["total"].item()


@settings(max_examples=30, deadline=None)
@given(count=st.integers(1, 60), epoch=st.integers(0, 9), number=st.integers(1, 9), seed=st.integers(0, 100))
def test_draws_as_many_rows_as_two_views_of_every_text(count, epoch, number, seed):
    label_ids = np.random.default_rng(seed).integers(3, size=count)
    drawn = build(HybridSC, seed=seed).draw(label_ids, epoch)
    assert len(drawn.extra) == count
    assert abs(2 * len(drawn.rows) - count) <= 1
    assert len(set(drawn.rows.tolist())) == len(drawn.rows)
    assert set(drawn.rows.tolist()) | set(drawn.extra.tolist()) <= set(range(count))
    batches = [*drawn_batches(drawn.rows, number), *drawn_batches(drawn.extra, number)]
    assert min(len(batch) for batch in batches) > 0


@BOTH
def test_two_epochs_see_every_text_once_and_the_draw_follows_from_seed_and_epoch(kind):
    label_ids = np.array([0] * 17 + [1] * 3 + [2])
    draws = [build(kind, seed=5).draw(label_ids, epoch) for epoch in (0, 1, 2)]
    assert sorted([*draws[0].rows, *draws[1].rows]) == list(range(21))
    assert draws[0].rows.tolist() != draws[2].rows.tolist()
    assert draws[0].extra.tolist() != draws[1].extra.tolist()
    again, other = (build(kind, seed=s).draw(label_ids, 1) for s in (5, 6))
    assert again.rows.tolist() == draws[1].rows.tolist()
    assert again.extra.tolist() == draws[1].extra.tolist()
    assert other.rows.tolist() != draws[1].rows.tolist()


def test_the_second_batch_is_class_balanced():
    label_ids = np.array([0] * 2000 + [1] * 60 + [2] * 4)
    sizes = np.bincount(label_ids[build(HybridSC).draw(label_ids, 0).extra])
    # 688 are expected of each class, give or take a standard deviation of 21.
    assert sizes.min() > 588
    assert sizes.max() < 788


def test_prototypes_are_learnt_and_need_two_classes():
    assert "prototypes_CD" in dict(build(HybridPSC).named_parameters())
    with pytest.raises(ConfigError, match="only one"):
        build(HybridPSC, classes=1)


@BOTH
def test_bare_settings(kind):
    config = kind.Config()
    assert (config.temperature, config.projection_dim, config.curriculum) == (0.1, 128, "quadratic")
    assert (kind.Config.views, kind.reading, kind.not_exportable_because) == ("two", "linear", "")
    with pytest.raises(ValidationError):
        kind.Config(curriculum="cubic")


@BOTH
def test_official_settings_are_valid(kind):
    config = resolve({"profile": "official", "method": {"name": kind.Config().name}})
    assert (config.training.batch_size, config.method.temperature) == (128, 0.1)
