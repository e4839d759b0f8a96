import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import oracles_prototypes as oracles
from known import CASES, tensor
from sharprecl.config.methods import SPCLConfig
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.spcl import SPCL
from sharprecl.models.features import Features

START = Progress(step=0, total_steps=10, epoch=0, total_epochs=2)
WIDTH = 6
COUNTS = [9, 4, 2]


def build(counts=COUNTS, seed=0, dtype=torch.float64, width=WIDTH, epochs=4, **settings):
    """A method that has seen the features of all its training texts."""
    backbone = SimpleNamespace(feature_dim=width, num_classes=len(counts))
    method = SPCL.build(backbone, np.array(counts), SPCLConfig(**settings), seed).to(dtype)
    x_NH, y_N = training_features(counts, width)
    method.on_features(x_NH, y_N, 0, epochs)
    return method


def training_features(counts=COUNTS, width=WIDTH, seed=50):
    generator = torch.Generator().manual_seed(seed)
    y_N = torch.repeat_interleave(torch.arange(len(counts)), torch.tensor(counts))
    y_N = y_N[torch.randperm(len(y_N), generator=generator)]
    # float32, as inference hands them over.
    return torch.randn(len(y_N), width, generator=generator), y_N


def problem(labels, classes, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    x_NH = torch.randn(len(labels), WIDTH, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
    w_CH = torch.randn(classes, WIDTH, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
    return Batch(torch.tensor(labels), 1), Features(x_NH, F.normalize(x_NH) @ w_CH.T, w_CH)


@pytest.mark.parametrize(("form", "key"), [("coupled", "spcl"), ("decoupled", "spdcl(decoupled)")])
def test_known_answer_spcl(form, key):
    inputs, params = CASES["spcl"]["inputs"], CASES["spcl"]["params"]
    method = build([2, 2, 2], width=4, form=form, temperature=params["tau"])
    method.centres_CH.copy_(tensor(inputs["centers"]))
    x_NH = tensor(inputs["reps"])
    features = Features(x_NH, x_NH.new_zeros(6, 3), x_NH.new_zeros(3, 4))
    terms = method.loss(Batch(torch.tensor(inputs["labels"]), 1), features, START)
    assert terms["contrastive"].item() == pytest.approx(CASES["spcl"]["expected"][key], rel=1e-6)


def test_known_answer_spcl_curriculum_nearest_prototype():
    inputs = CASES["spcl_curriculum"]["inputs"]
    method = build([2, 2, 2], width=4)
    method.centres_CH.copy_(tensor(inputs["centers"]))
    x_NH = tensor(inputs["reps"])
    answers = method.logits(Features(x_NH, x_NH.new_zeros(6, 3), x_NH.new_zeros(3, 4))).argmax(1)
    assert answers.tolist() == CASES["spcl_curriculum"]["expected"]["nearest_prototype_prediction"]


@pytest.mark.parametrize("form", ["coupled", "decoupled"])
@pytest.mark.parametrize("tau", [0.05, 2.0])
def test_equals_the_oracles(form, tau):
    method = build(form=form, temperature=tau)
    batch, features = problem([0, 1, 0, 2, 1], 3)
    terms = method.loss(batch, features, START)
    x_NH, y_N = training_features()
    c_CH = oracles.class_means(x_NH.double(), y_N, 3)
    l_N = oracles.supervised_prototypical(features.x_NH, c_CH, batch.y_B, tau, form)
    contrastive = oracles.kept_mean(l_N, {"coupled": 0.3, "decoupled": 0.0}[form])
    ce = oracles.cross_entropy(features.x_NH.detach() @ features.w_CH.T, batch.y_B).mean()
    # The centres are means in float32, as their features are.
    assert terms["contrastive"].item() == pytest.approx(contrastive.item(), rel=1e-5)
    assert terms["classification"].item() == pytest.approx(ce.item(), rel=1e-10)
    assert terms["total"].item() == pytest.approx((terms["contrastive"] + terms["classification"]).item(), rel=1e-12)


def test_only_the_contrastive_loss_reaches_the_encoder_and_only_cross_entropy_the_layer():
    batch, features = problem([0, 1, 0, 2, 1], 3)
    terms = build().loss(batch, features, START)
    inputs = [features.x_NH, features.w_CH]
    of = {name: torch.autograd.grad(term, inputs, allow_unused=True, retain_graph=True) for name, term in terms.items()}
    assert of["classification"][0] is None
    assert of["contrastive"][1] is None
    assert of["contrastive"][0].abs().sum() > 0
    assert of["classification"][1].abs().sum() > 0


def test_losses_up_to_the_threshold_do_not_count():
    method = build([3, 3], width=2, temperature=0.05)
    method.centres_CH.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))

    def loss(rows):
        x_NH = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
        features = Features(x_NH, x_NH.new_zeros(2, 2), x_NH.new_zeros(2, 2))
        term = method.loss(Batch(torch.tensor([0, 1]), 1), features, START)["contrastive"]
        return term.item(), torch.autograd.grad(term, x_NH)[0].abs().sum(1).tolist()

    assert loss([[1.0, 0.1], [-1.0, 0.1]]) == (0.0, [0.0, 0.0])
    value, _ = loss([[1.0, 0.1], [1.0, 0.2]])  # The second is in the wrong place, and near the first.
    x_NH = torch.tensor([[1.0, 0.1], [1.0, 0.2]], dtype=torch.float64)
    l_N = oracles.supervised_prototypical(x_NH, method.centres_CH, torch.tensor([0, 1]), 0.05, "coupled")
    assert value == pytest.approx(oracles.kept_mean(l_N, 0.3).item())


def test_pools_give_centres_once_they_hold_enough():
    """pool_draws 3: class 0 (9 texts) has a pool; class 2 (1 text, at most 3 items) could, with both draws."""
    method = build([9, 4, 1], pool_draws=3, pool_size=4, temperature=0.5)
    default_CH = method.centres_CH.clone()
    draws = method.draws.generator
    assert torch.equal(method.pools.centres(default_CH, draws), default_CH)
    first_NH = torch.arange(12.0, dtype=torch.float64).reshape(2, 6) + 100
    method.pools.add(first_NH, torch.tensor([0, 0]), draws)
    drawn_CH = method.pools.centres(default_CH, draws)
    assert torch.equal(drawn_CH[1:], default_CH[1:])
    # 1 centre + 2 texts, and all three of them are drawn.
    torch.testing.assert_close(drawn_CH[0], torch.cat([default_CH[:1], first_NH]).mean(0))


def test_full_pools_evict_at_random_and_draw_without_repetition():
    method = build([50, 2], pool_draws=2, pool_size=4, width=1)
    pools, draws = method.pools, method.draws.generator
    survivors, pairs = [], set()
    for _ in range(200):
        pools.restart(torch.zeros(2, 1, dtype=torch.float64))
        for start in (1.0, 4.0, 7.0):  # 0 is the centre, then 9 texts
            x_NH = torch.arange(start, start + 3, dtype=torch.float64)[:, None]
            pools.add(x_NH, torch.zeros(3, dtype=torch.int64), draws)
        assert pools.filled_C.tolist() == [4, 1]
        kept = sorted(pools.items_RH[:4, 0].tolist())
        assert len(set(kept)) == 4
        survivors += kept
        mean = pools.centres(torch.full((2, 1), -1.0, dtype=torch.float64), draws)
        assert mean[1].item() == -1.0
        couples = {(a + b) / 2 for a in kept for b in kept if a < b}
        assert mean[0].item() in couples
        pairs.add(mean[0].item())
    counts = np.bincount(np.array(survivors, dtype=int), minlength=10)
    # Old items may go and new ones too: the last 3 survive the last draw with 4/7, the first the last two with less.
    assert counts.min() > 20
    assert counts[7:].sum() == pytest.approx(200 * 3 * 4 / 7, abs=40)
    assert len(pairs) > 10


def test_pools_that_can_never_be_used_take_no_memory():
    method = build([1, 2, 600], pool_draws=64, pool_size=256)
    assert method.pools.items_RH.shape == (256, WIDTH)
    batch, features = problem([0, 1, 0], 3)
    method.loss(batch, features, START)
    assert method.pools.filled_C.tolist() == [0, 0, 1]
    many = SPCL.build(SimpleNamespace(feature_dim=2, num_classes=1000), np.full(1000, 40), SPCLConfig(), 0)
    assert many.pools.items_RH.shape == (81_000, 2)


def test_every_epoch_starts_with_new_centres_and_empty_pools():
    method = build(pool_draws=3, pool_size=8)
    method.loss(*problem([0, 0, 0, 1, 1], 3), START)
    assert method.pools.filled_C.tolist() == [4, 3, 1]
    x_NH, y_N = training_features(seed=51)
    method.on_features(x_NH, y_N, 1, 4)
    assert method.pools.filled_C.tolist() == [1, 1, 1]
    torch.testing.assert_close(method.centres_CH, oracles.class_means(x_NH.double(), y_N, 3), rtol=1e-5, atol=1e-6)
    dif = oracles.difficulty(x_NH.double(), method.centres_CH, y_N)
    assert method.difficulty_N.tolist() == pytest.approx(dif, rel=1e-6)


@pytest.mark.parametrize("epoch", [0, 1, 3])
def test_draws_follow_the_curriculum(epoch):
    method = build([40, 20])
    _, y_N = training_features([40, 20])
    chances = np.array(oracles.keep_probability(method.difficulty_N.tolist(), epoch, 4))
    seen = np.zeros(60)
    for seed in range(300):
        method.seed = seed
        seen += np.bincount(method.draw(y_N.numpy(), epoch).rows, minlength=60)
    # Two draws in each of 300 epochs: a standard deviation of at most 0.02.
    assert np.abs(seen / 600 - chances).max() < 0.08
    assert (seen / 600).mean() == pytest.approx(0.5, abs=0.02)


def test_draws_without_curriculum_are_halves_and_the_order_is_random():
    method = build([300, 100], curriculum=False)
    rows = method.draw(np.zeros(400, dtype=np.int64), 0).rows
    assert len(rows) == pytest.approx(400, abs=60)
    assert np.bincount(rows, minlength=400).max() == 2
    early = rows[: len(rows) // 2 - 30]
    assert len(set(early.tolist())) == len(early), "the first draw stands before the second"
    assert not np.array_equal(early, np.sort(early))


def test_draws_are_a_function_of_seed_and_epoch():
    one, two, other = build(seed=1), build(seed=1), build(seed=2)
    _, y_N = training_features()
    one.loss(*problem([0, 1, 1, 2], 3), START)  # Steps in between must not change what a resumed run draws.
    draws = [[m.draw(y_N.numpy(), epoch).rows.tolist() for epoch in range(4)] for m in (one, two, other)]
    assert draws[0] == draws[1]
    assert draws[0] != draws[2]
    assert draws[0][1] != draws[0][2]


@pytest.mark.parametrize("curriculum", [True, False])
@pytest.mark.parametrize("counts", [[1], [1, 1], [2, 1]])
def test_there_is_always_something_to_train_on(counts, curriculum):
    for seed in range(20):
        method = build(counts, seed=seed, curriculum=curriculum)
        for epoch in range(4):
            rows = method.draw(np.zeros(sum(counts), dtype=np.int64), epoch).rows
            assert len(rows) >= 1
            assert rows.max() < sum(counts)


@pytest.mark.parametrize("form", ["coupled", "decoupled"])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 2), ([0], 2), ([0], 1), ([5, 999], 1000)],
    ids=["one class", "two classes", "one text", "a single class", "1000 classes"],
)
def test_degenerate_batches_are_finite(labels, classes, form):
    method = build([2] * classes, dtype=torch.float32, form=form, pool_draws=2, pool_size=3)
    for seed in range(3):
        batch, features = problem(labels, classes, seed, dtype=torch.float32)
        terms = method.loss(batch, features, START)
        gradients = torch.autograd.grad(terms["total"], [features.x_NH, features.w_CH])
        assert all(term.isfinite() for term in terms.values())
        assert all(gradient.isfinite().all() for gradient in gradients)


def test_features_of_zeros_are_finite():
    method = build(dtype=torch.float32)
    x_NH, y_N = training_features()
    method.on_features(torch.zeros_like(x_NH), y_N, 1, 4)
    batch, features = problem([0, 1], 3, dtype=torch.float32)
    terms = method.loss(batch, Features(features.x_NH * 0, features.s_NC, features.w_CH), START)
    terms["total"].backward()
    assert terms["total"].isfinite()
    assert features.x_NH.grad.isfinite().all()
    assert method.logits(features).isfinite().all()
    assert len(method.draw(y_N.numpy(), 1).rows) > 0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100))
def test_permuting_the_batch_changes_nothing(order, seed):
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    permuted = Features(features.x_NH[order], features.s_NC[order], features.w_CH)
    ours = build().loss(Batch(batch.y_B[order], 1), permuted, START)["total"]
    torch.testing.assert_close(ours, build().loss(batch, features, START)["total"], rtol=0, atol=1e-10)


def test_float32_agrees_with_float64():
    losses = {}
    for dtype in (torch.float32, torch.float64):
        terms = build(dtype=dtype).loss(*problem([0, 1, 1, 2], 3, dtype=dtype), START)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


def test_autocast_touches_neither_loss_nor_answers():
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.float32)
    one, two = build(dtype=torch.float32), build(dtype=torch.float32)
    plain, answers = one(batch, features, START)["total"], one.scores(features)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed, mixed_answers = two(batch, features, START)["total"], two.scores(features)
    assert mixed.dtype == mixed_answers.dtype == torch.float32
    assert mixed.item() == plain.item()
    assert torch.equal(answers, mixed_answers)


def losses(method, steps):
    labels = [0, 1, 1, 0, 0, 1]
    return [method.loss(*problem(labels, 3, seed), START)["total"].item() for seed in range(steps)]


def test_same_seed_same_losses_without_touching_the_global_state():
    small = {"pool_draws": 3, "pool_size": 5}
    before = torch.get_rng_state()
    one, two, other = (losses(build(seed=seed, **small), 6) for seed in (7, 7, 8))
    assert one == two
    assert one != other
    assert torch.equal(before, torch.get_rng_state())


def test_state_dict_brings_everything_back():
    small = {"pool_draws": 3, "pool_size": 5}
    method = build(seed=1, epochs=7, **small)
    losses(method, 3)
    saved = copy.deepcopy(method.state_dict())
    ahead = losses(method, 4)
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=3)
    resumed = SPCL.build(backbone, np.array(COUNTS), SPCLConfig(**small), 1).double()
    resumed.load_state_dict(saved)
    assert losses(resumed, 4) == ahead
    _, y_N = training_features()
    for epoch in (0, 5):
        assert np.array_equal(resumed.draw(y_N.numpy(), epoch).rows, method.draw(y_N.numpy(), epoch).rows)


def test_it_settles_as_the_nearest_centre_by_cosine():
    method = build(dtype=torch.float32, temperature=0.05)
    _, features = problem([0, 1, 1, 2], 3, dtype=torch.float32)
    layer = torch.nn.Linear(WIDTH, 3)
    method.finalize(layer)
    s_NC = method.logits(features)
    torch.testing.assert_close(F.normalize(features.x_NH) @ layer.weight.T, s_NC)
    assert layer.bias.abs().sum().item() == 0.0
    for x_H, s_C in zip(features.x_NH, s_NC, strict=True):
        cosines = [oracles.cosine(x_H, c).item() / 0.05 for c in method.centres_CH]
        assert s_C.tolist() == pytest.approx(cosines, rel=1e-4, abs=1e-5)
    method.finalize(torch.nn.Linear(WIDTH, 3, bias=False))
    assert SPCL.reading == "cosine"
    assert SPCL.not_exportable_because


def test_pools_too_small_for_a_draw_are_refused():
    with pytest.raises(ValidationError, match="set pool_size to 64 or more"):
        SPCLConfig(pool_size=10)
