import copy
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from sharprecl.config.sharprecl import ABLATIONS, SharpReCLConfig
from sharprecl.errors import ConfigError
from sharprecl.methods import sharprecl as sharprecl_module
from sharprecl.methods.base import Batch, Progress
from sharprecl.methods.sharprecl import SharpReCL
from sharprecl.models.features import Features
from sharprecl.rebalance.schedule import mixup_ratio

WIDTH = 6
PRINTED = {"mu": 1.0, "temperature": 0.3, "compensation": 1.0, "mixtures": 0.0}
SMALL = {"n_pos": 3, "n_neg": 8, "top_k": 4, "projection_dim": 5, **PRINTED}
START = Progress(step=0, total_steps=10, epoch=0, total_epochs=2)


def build(counts, seed=0, dtype=torch.float64, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        method = SharpReCL.build(
            SimpleNamespace(feature_dim=WIDTH, num_classes=len(counts)),
            np.array(counts),
            SharpReCLConfig(**{**SMALL, **settings}),
            seed,
        )
    return method.to(dtype)


def problem(labels, classes, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    y_B = torch.tensor(labels)
    x_NH, w_CH = draw(2 * len(labels), WIDTH), draw(classes, WIDTH)
    return Batch(y_B, 2), Features(x_NH, x_NH @ w_CH.T, w_CH)


def gradients(method, terms, features):
    method.zero_grad()
    terms["total"].backward()
    return [features.x_NH.grad, features.w_CH.grad, *(p.grad for p in method.parameters())]


@pytest.mark.parametrize("positives", ["mean", "sum"])
@pytest.mark.parametrize("kind", ["none", "effective_number", "code_scalar", "neg_log_prior"])
@pytest.mark.parametrize("views", ["both", "first"])
@pytest.mark.parametrize("normalize", [False, True])
def test_equals_the_oracles(positives, kind, views, normalize):
    counts = [20, 6, 2]
    method = build(
        counts,
        positives=positives,
        anchor_weight=kind,
        classify_views=views,
        normalize_logits=normalize,
        mu=0.7,
    )
    batch, features = problem([0, 1, 0, 2, 1], 3)
    progress = Progress(step=3, total_steps=10, epoch=0, total_epochs=2)
    u_3CS = torch.rand(3, 3, 11, generator=copy_of_draws(method), dtype=torch.float64)
    terms = method.loss(batch, features, progress)

    x_MD = torch.cat([method.feature_head(features.x_NH), method.prototype_head(features.w_CH)])
    y_M = torch.cat([batch.y_N, torch.arange(3)])
    l_M = oracles.sharprecl_by_class(x_MD, y_M, 3, u_3CS, 3, 4, 0.65, 0.3, positives)
    w_M = torch.tensor(oracles.anchor_weights(kind, counts), dtype=torch.float64)[y_M]
    rows = 10 if views == "both" else 5
    l_N = oracles.compensated_cross_entropy(features.s_NC[:rows], batch.y_N[:rows], counts, normalize_logits=normalize)
    # The class weights and priors are kept in float32, hence 1e-6.
    assert terms["contrastive"].item() == pytest.approx((w_M * l_M).mean().item(), rel=1e-6)
    assert terms["classification"].item() == pytest.approx(l_N.mean().item(), rel=1e-6)
    total = terms["classification"] + 0.7 * terms["contrastive"]
    assert terms["total"].item() == pytest.approx(total.item(), abs=1e-12)


def copy_of_draws(method):
    generator = torch.Generator()
    generator.set_state(method.draws.generator.get_state())
    return generator


@pytest.mark.parametrize(("by", "done"), [("iteration", 0.4), ("epoch", 0.5)])
def test_ratio_follows_iterations_or_epochs(by, done, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "sharprecl.methods.sharprecl.mixup_ratio", lambda *args: seen.append(args) or mixup_ratio(*args)
    )
    method = build([3, 2], ratio_by=by, ratio_start=0.25, ratio_end=0.75)
    method.loss(*problem([0, 1], 2), Progress(step=4, total_steps=10, epoch=1, total_epochs=2))
    assert seen == [(done, 0.25, 0.75)]


def test_default_loss_is_positive_and_reaches_every_parameter():
    method = build([9, 4, 2])
    batch, features = problem([0, 1, 1, 2], 3)
    features.x_NH.retain_grad()
    terms = method.loss(batch, features, START)
    assert all(terms[name].item() > 0 for name in ("total", "classification", "contrastive"))
    assert all(grad.abs().sum() > 0 for grad in gradients(method, terms, features))


@settings(max_examples=25, deadline=None)
@given(
    labels=st.lists(st.integers(0, 2), min_size=1, max_size=8),
    seed=st.integers(0, 100),
    kind=st.sampled_from(["none", "effective_number", "neg_log_prior"]),
)
def test_never_negative(labels, seed, kind):
    terms = build([9, 4, 2], anchor_weight=kind).loss(*problem(labels, 3, seed), START)
    assert min(term.item() for term in terms.values()) >= 0


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100))
def test_permuting_the_batch_changes_nothing_without_synthetic_samples(order, seed):
    method = build([9, 4, 2], n_pos=0, n_neg=0)
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    rows = [*order, *(6 + k for k in order)]
    permuted = Features(features.x_NH[rows], features.s_NC[rows], features.w_CH)
    ours = method.loss(Batch(batch.y_B[list(order)], 2), permuted, START)["total"]
    torch.testing.assert_close(ours, method.loss(batch, features, START)["total"], rtol=0, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(names=st.permutations(range(3)), seed=st.integers(0, 100))
def test_relabelling_the_classes_changes_nothing_without_synthetic_samples(names, seed):
    counts = np.array([9, 4, 2])
    batch, features = problem([0, 1, 1, 2, 0, 0], 3, seed)
    back = np.argsort(names)
    relabelled = Features(features.x_NH, features.s_NC[:, back], features.w_CH[back])
    ours = build(counts[back], n_pos=0, n_neg=0).loss(Batch(torch.tensor(names)[batch.y_B], 2), relabelled, START)
    theirs = build(counts, n_pos=0, n_neg=0).loss(batch, features, START)
    torch.testing.assert_close(ours["total"], theirs["total"], rtol=0, atol=1e-10)


def test_without_synthetic_samples_it_is_supervised_contrastive_learning_over_d_hat():
    method = build([9, 4, 2], n_pos=0, n_neg=0, anchor_weight="none")
    batch, features = problem([0, 1, 1], 3)
    x_MD = torch.cat([method.feature_head(features.x_NH), method.prototype_head(features.w_CH)])
    y_M = torch.cat([batch.y_N, torch.arange(3)])
    l_M = oracles.contrastive(x_MD, y_M, x_MD.new_zeros(3, 0, 5), 0, 0.3)
    assert l_M[-1].item() == 0.0  # The prototype of class 2, which has no text here: no positive.
    ours = method.loss(batch, features, START)["contrastive"]
    assert ours.item() == pytest.approx(l_M.mean().item(), rel=1e-9)


@pytest.mark.parametrize("norm", ["none", "layer", "batch"])
@pytest.mark.parametrize("synthetic", [True, False])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 3), ([0], 2), ([0, 1], 2), ([5, 999], 1000), ([3], 9)],
    ids=["one class", "class absent", "one text", "two classes", "1000 classes", "one text of nine"],
)
def test_degenerate_batches_are_finite(labels, classes, synthetic, norm):
    settings = {} if synthetic else {"n_pos": 0, "n_neg": 0}
    method = build(range(1, classes + 1), dtype=torch.float32, head_norm=norm, **settings)
    batch, features = problem(labels, classes, dtype=torch.float32)
    terms = method.loss(batch, features, START)
    assert all(term.isfinite() for term in terms.values())
    assert all(grad.isfinite().all() for grad in gradients(method, terms, features))


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["identical", "antipodal"])
def test_identical_and_antipodal_items_are_finite(sign):
    method = build([3, 2], dtype=torch.float32, mixup_alpha=50.0, top_k=50)  # Beta(50, 50): a close to 1/2
    for head in (method.feature_head, method.prototype_head):
        head.hidden = head.norm = torch.nn.Identity()
        head.output.bias.data.zero_()
    direction_H = torch.arange(1.0, WIDTH + 1)
    signs = torch.tensor([1.0, sign, 1.0, sign])[:, None]
    x_NH = (signs * direction_H).requires_grad_()
    w_CH = direction_H.repeat(2, 1).requires_grad_()
    terms = method.loss(Batch(torch.tensor([0, 1]), 2), Features(x_NH, x_NH @ w_CH.T, w_CH), START)
    terms["total"].backward()
    assert all(term.isfinite() for term in terms.values())
    assert x_NH.grad.isfinite().all()
    assert w_CH.grad.isfinite().all()


def test_float32_agrees_with_float64():
    losses = {}
    for dtype in (torch.float32, torch.float64):
        terms = build([9, 4, 2], dtype=dtype).loss(*problem([0, 1, 1, 2], 3, dtype=dtype), START)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


def test_autocast_does_not_touch_the_loss():
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.float32)
    plain = build([9, 4, 2], dtype=torch.float32)(batch, features, START)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = build([9, 4, 2], dtype=torch.float32)(batch, features, START)
    assert mixed["total"].dtype == torch.float32
    assert mixed["total"].item() == plain["total"].item()


def test_bfloat16_features_are_scored_in_float32():
    method = build([9, 4, 2], dtype=torch.float32, temperature=0.05)
    batch, features = problem([0, 1, 1, 2], 3, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = method(batch, features, START)
    assert {term.dtype for term in terms.values()} == {torch.float32}
    assert all(grad.isfinite().all() for grad in gradients(method, terms, features))


def test_same_seed_same_weights_and_draws_without_touching_the_global_state():
    before = torch.get_rng_state()
    one, two, other = (build([9, 4, 2], seed=seed) for seed in (7, 7, 8))
    assert torch.equal(before, torch.get_rng_state())
    batch, features = problem([0, 1, 1, 2], 3)
    losses = [[m.loss(batch, features, START)["total"].item() for _ in range(2)] for m in (one, two, other)]
    assert losses[0] == losses[1]
    assert losses[0][0] != losses[0][1]
    assert losses[0] != losses[2]
    assert torch.equal(before, torch.get_rng_state())


def test_weights_and_draws_come_from_different_streams():
    method = build([9, 4, 2], seed=7)
    assert method.draws.generator.initial_seed() != 7


def test_state_dict_brings_the_draws_back():
    method, batch_and_features = build([9, 4, 2], seed=1), problem([0, 1, 1, 2], 3)
    method.loss(*batch_and_features, START)
    saved = copy.deepcopy(method.state_dict())
    ahead = [method.loss(*batch_and_features, START)["total"].item() for _ in range(2)]
    resumed = build([9, 4, 2], seed=99)
    resumed.load_state_dict(saved)
    assert [resumed.loss(*batch_and_features, START)["total"].item() for _ in range(2)] == ahead


@pytest.mark.parametrize(("n_pos", "n_neg", "warned"), [(0, 0, 1), (0, 5, 0), (5, 0, 0)])
def test_warns_once_when_nothing_is_synthesised(n_pos, n_neg, warned):
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        SharpReCL.build(backbone, np.array([3, 2]), SharpReCLConfig(n_pos=n_pos, n_neg=n_neg), 0)
    assert len(caught) == warned
    assert all("n_pos and n_neg are both 0" in str(warning.message) for warning in caught)


@pytest.mark.parametrize(("counts", "match"), [([5], "only one"), ([5, 0], r"class ids \[1\]")])
def test_build_refuses_what_cannot_be_contrasted(counts, match):
    with pytest.raises(ConfigError, match=match):
        build(counts)


def test_prototype_head_has_no_batch_norm_with_few_classes():
    few, many = (build([2] * classes, head_norm="batch") for classes in (7, 8))
    kinds = [type(m.prototype_head.norm).__name__ for m in (few, many)]
    assert kinds == ["Identity", "BatchNorm"]
    assert type(few.feature_head.norm).__name__ == "BatchNorm"


def test_answers_with_the_bare_logits():
    _, features = problem([0, 1], 3)
    assert build([9, 4, 2]).logits(features) is features.s_NC
    assert SharpReCL.not_exportable_because == ""
    assert SharpReCL.Config.views == "two"


def test_every_ablation_takes_away_what_its_name_says(monkeypatch):
    """Which terms, synthetic samples, ratios, priors, weights and prototypes are left, ablation by ablation."""
    counts, full = [9, 4, 2], {"anchor_weight": "neg_log_prior"}
    seen = {}

    def spy(name, module):
        original = getattr(module, name)

        def wrapped(*args, **kwargs):
            seen[name] = args
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, wrapped)

    for name in ("plan_synthetic", "compensated_cross_entropy"):
        spy(name, sharprecl_module)

    def left(**settings):
        seen.clear()
        method = build(counts, **full, **settings)
        batch, features = problem([0, 1, 1, 2], 3)
        terms = method.loss(batch, features, Progress(step=5, total_steps=10, epoch=1, total_epochs=2))
        plan = seen.get("plan_synthetic")
        prior = seen.get("compensated_cross_entropy")
        with torch.no_grad():
            features.w_CH.mul_(3).add_(1)  # would change prototypes made of it
            follows = False
            if plan is not None:
                method.loss(batch, features, Progress(step=5, total_steps=10, epoch=1, total_epochs=2))
                follows = not torch.equal(plan[0], seen["plan_synthetic"][0])
        return {
            "terms": sorted(terms),
            "synthetic": None if plan is None else (plan[3], plan[4]),
            "ratio": None if plan is None else plan[6],
            "compensation": None if prior is None else prior[3],
            "weights": bool(method.weight_C.std() > 0),
            "prototypes follow the classifier": follows,
        }

    whole = {
        "terms": ["classification", "contrastive", "total"],
        "synthetic": (3, 8),
        "ratio": 0.75,
        "compensation": 1.0,
        "weights": True,
        "prototypes follow the classifier": True,
    }
    no_contrast = {
        "terms": ["classification", "total"],
        "synthetic": None,
        "ratio": None,
        "prototypes follow the classifier": False,
    }
    assert left() == whole
    assert left(without="SSHM") == whole | {"synthetic": (0, 0)}
    assert left(without="SS") == whole | {"ratio": 1.0}
    assert left(without="HM") == whole | {"ratio": 0.0}
    assert left(without="CL") == whole | no_contrast
    assert left(without="CLS") == whole | {"terms": ["contrastive", "total"], "compensation": None}
    assert left(without="MI") == whole | {"prototypes follow the classifier": False}
    assert left(without="deltas") == whole | {"compensation": 0.0, "weights": False}
    assert left(without="delta_CLS") == whole | {"compensation": 0.0}
    assert left(without="delta_CL") == whole | {"weights": False}
    assert len(ABLATIONS) == 9


def test_without_classification_a_classifier_is_fitted_to_the_features():
    method = build([9, 4, 2], dtype=torch.float32, without="CLS")
    assert method.wants_features
    assert not build([9, 4, 2]).wants_features
    generator = torch.Generator().manual_seed(0)
    y_N = torch.arange(60) % 3
    x_NH = torch.nn.functional.one_hot(y_N, WIDTH).float() * 3 + torch.randn(60, WIDTH, generator=generator)
    method.on_features(x_NH, y_N, 1, 2)
    features = Features(x_NH, torch.zeros(60, 3), torch.zeros(3, WIDTH))
    scores = method.logits(features)
    assert (scores.argmax(1) == y_N).float().mean() > 0.9
    layer = torch.nn.Linear(WIDTH, 3)
    method.finalize(layer)
    torch.testing.assert_close(layer(x_NH), scores)


def test_nothing_to_train_is_refused():
    with pytest.raises(ValueError, match="nothing is left to train"):
        SharpReCLConfig(without="CLS", mu=0)
