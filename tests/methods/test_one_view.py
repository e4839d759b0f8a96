"""What the one-view methods, SimCSE and the long-tail recipes have in common; their own tests stand beside."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from one_view import END, START, WIDTH, build, problem
from sharprecl.config import RunConfig, resolve
from sharprecl.errors import ConfigError
from sharprecl.methods.balanced_softmax import BalancedSoftmax
from sharprecl.methods.base import Batch, Method
from sharprecl.methods.class_balanced_sampling import ClassBalancedSampling
from sharprecl.methods.dice import Dice
from sharprecl.methods.focal import Focal
from sharprecl.methods.ldam_drw import LdamDrw
from sharprecl.methods.logit_adjustment import LogitAdjustment
from sharprecl.methods.registry import method_class
from sharprecl.methods.scl_ce import SupervisedContrastive
from sharprecl.methods.simcse import SimCSE
from sharprecl.methods.weighted_cross_entropy import WeightedCrossEntropy
from sharprecl.models.features import Features

KINDS = [
    BalancedSoftmax,
    ClassBalancedSampling,
    Dice,
    Focal,
    LdamDrw,
    LogitAdjustment,
    SupervisedContrastive,
    SimCSE,
    WeightedCrossEntropy,
]
COUNTS = [9, 4, 2]
# One setting of each kind of loss that is not the default.
VARIANTS = [
    *((kind, {}) for kind in KINDS),
    *((Dice, {"form": form, "ce_weight": 0.5}) for form in ("paper", "code", "set_level")),
    (Dice, {"alpha": 0.0, "smooth": 1e-4}),
    (Focal, {"gamma": 0.5, "alpha": "inverse_frequency"}),
    (SimCSE, {"symmetric": True, "ce_views": "both"}),
    *((SupervisedContrastive, {"reduce": reduce}) for reduce in ("mean_of_valid", "sum")),
    (WeightedCrossEntropy, {"weights": "inverse_frequency"}),
]
kinds = pytest.mark.parametrize("kind", KINDS)
variants = pytest.mark.parametrize(("kind", "settings"), VARIANTS)


@kinds
def test_is_registered_under_its_name(kind):
    assert method_class(kind.Config().name) is kind


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.Config.official])
def test_official_settings_are_settings(kind):
    config = resolve({"profile": "official", "method": {"name": kind.Config().name}})
    assert isinstance(config, RunConfig)
    assert config.training.batch_size == kind.Config.official["training"]["batch_size"]
    assert config.method != kind.Config() or "method" not in kind.Config.official


@kinds
def test_relies_on_the_backbone_alone_in_the_end(kind):
    assert kind.not_exportable_because == ""
    assert kind.reading == "linear"
    assert kind.Config.views == ("same" if kind is SimCSE else "one")
    assert (kind.draw is not Method.draw) == (kind is ClassBalancedSampling)


@variants
@pytest.mark.parametrize("progress", [START, END])
@pytest.mark.parametrize(
    ("labels", "classes"),
    [([1, 1, 1], 3), ([0, 1], 3), ([0], 2), ([0, 1], 2), ([0, 1, 2], 3), ([5, 999], 1000)],
    ids=["one class", "class absent", "one text", "two classes", "no positives", "1000 classes"],
)
def test_degenerate_batches_are_finite(kind, settings, labels, classes, progress):
    method = build(kind, range(1, classes + 1), dtype=torch.float32, **settings)
    batch, features = problem(kind, labels, classes, dtype=torch.float32)
    features.x_NH.retain_grad()
    terms = method.loss(batch, features, progress)
    assert all(term.isfinite() for term in terms.values())
    terms["total"].backward()
    assert features.x_NH.grad.isfinite().all()
    assert features.w_CH.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in method.parameters() if p.grad is not None)


@variants
def test_features_of_zeros_are_finite(kind, settings):
    method = build(kind, COUNTS, dtype=torch.float32, **settings)
    batch, random = problem(kind, [0, 1, 1], 3, dtype=torch.float32)
    x_NH, w_CH = (torch.zeros_like(t).requires_grad_() for t in (random.x_NH, random.w_CH))
    terms = method.loss(batch, Features(x_NH, x_NH @ w_CH.T, w_CH), START)
    terms["total"].backward()
    assert terms["total"].isfinite()
    assert x_NH.grad.isfinite().all()
    assert w_CH.grad.isfinite().all()


@variants
def test_the_loss_is_positive_and_reaches_features_classifier_and_side_modules(kind, settings):
    method = build(kind, COUNTS, **settings)
    batch, features = problem(kind, [0, 1, 1, 2], 3)
    terms = method.loss(batch, features, START)
    assert terms["total"].item() > 0
    terms["total"].backward()
    assert features.x_NH.grad.abs().sum() > 0
    assert features.w_CH.grad.abs().sum() > 0
    assert all(p.grad.abs().sum() > 0 for p in method.parameters())


@variants
@settings(max_examples=5, deadline=None)
@given(order=st.permutations(range(5)), seed=st.integers(0, 100))
def test_permuting_the_batch_changes_nothing(kind, settings, order, seed):
    batch, features = problem(kind, [0, 1, 1, 2, 0], 3, seed)
    rows = [view * 5 + k for view in range(batch.n_views) for k in order]
    permuted = Features(features.x_NH[rows], features.s_NC[rows], features.w_CH)
    ours = build(kind, COUNTS, **settings).loss(Batch(batch.y_B[list(order)], batch.n_views), permuted, END)
    theirs = build(kind, COUNTS, **settings).loss(batch, features, END)
    torch.testing.assert_close(ours["total"], theirs["total"], rtol=0, atol=1e-10)


@variants
@settings(max_examples=5, deadline=None)
@given(names=st.permutations(range(3)), seed=st.integers(0, 100))
def test_relabelling_the_classes_changes_nothing(kind, settings, names, seed):
    batch, features = problem(kind, [0, 1, 1, 2, 0], 3, seed)
    back = np.argsort(names)
    relabelled = Features(features.x_NH, features.s_NC[:, back], features.w_CH[back])
    renamed = Batch(torch.tensor(names)[batch.y_B], batch.n_views)
    ours = build(kind, np.array(COUNTS)[back], **settings).loss(renamed, relabelled, END)
    theirs = build(kind, COUNTS, **settings).loss(batch, features, END)
    torch.testing.assert_close(ours["total"], theirs["total"], rtol=0, atol=1e-6)


@variants
def test_float32_agrees_with_float64(kind, settings):
    losses = {}
    for dtype in (torch.float32, torch.float64):
        method = build(kind, COUNTS, dtype=dtype, **settings)
        terms = method.loss(*problem(kind, [0, 1, 1, 2], 3, dtype=dtype), END)
        assert {term.dtype for term in terms.values()} == {dtype}
        losses[dtype] = terms["total"].double()
    torch.testing.assert_close(losses[torch.float32], losses[torch.float64], rtol=1e-5, atol=1e-5)


@variants
def test_autocast_does_not_touch_loss_or_answer(kind, settings):
    batch, features = problem(kind, [0, 1, 1, 2], 3, dtype=torch.float32)
    plain, mixed = (build(kind, COUNTS, dtype=torch.float32, **settings) for _ in range(2))
    loss, answer = plain(batch, features, END)["total"], plain.scores(features)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = mixed(batch, features, END)
        under_autocast = mixed.scores(features)
    assert terms["total"].dtype == torch.float32
    assert terms["total"].item() == loss.item()
    assert torch.equal(under_autocast, answer)


@variants
def test_bfloat16_features_are_scored_in_float32(kind, settings):
    method = build(kind, COUNTS, dtype=torch.float32, **settings)
    batch, features = problem(kind, [0, 1, 1, 2], 3, dtype=torch.bfloat16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = method(batch, features, START)
    wide = Features(features.x_NH.float(), features.s_NC.float(), features.w_CH.float())
    exact = build(kind, COUNTS, dtype=torch.float32, **settings)(batch, wide, START)
    assert terms["total"].dtype == torch.float32
    assert terms["total"].item() == exact["total"].item()


@kinds
def test_the_same_seed_gives_the_same_loss_without_touching_the_global_state(kind):
    before = torch.get_rng_state()
    one, two = (build(kind, COUNTS, seed=7) for _ in range(2))
    batch, features = problem(kind, [0, 1, 1, 2], 3)
    losses = [method.loss(batch, features, START)["total"].item() for method in (one, two)]
    assert losses[0] == losses[1]
    assert torch.equal(before, torch.get_rng_state())


@kinds
def test_a_state_dict_continues_exactly(kind):
    method, resumed = build(kind, COUNTS, seed=1), build(kind, [2, 4, 9], seed=99)
    for seed in range(3):
        method.loss(*problem(kind, [0, 1, 1, 2], 3, seed), START)
    resumed.load_state_dict(copy.deepcopy(method.state_dict()))
    for seed in range(3, 6):
        batch, features = problem(kind, [2, 1, 0, 0], 3, seed)
        # The prior, weights and margins of other counts came from the state, like all that was learnt on the way.
        assert resumed.loss(batch, features, END)["total"].item() == method.loss(batch, features, END)["total"].item()
        assert torch.equal(resumed.logits(features), method.logits(features))
    classifiers = [torch.nn.Linear(WIDTH, 3).double()]
    classifiers.append(copy.deepcopy(classifiers[0]))
    method.finalize(classifiers[0])
    resumed.finalize(classifiers[1])
    assert torch.equal(classifiers[0].weight, classifiers[1].weight)
    assert torch.equal(classifiers[0].bias, classifiers[1].bias)


@kinds
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_settled_classifier_has_the_argmax_of_the_method(kind, seed):
    torch.manual_seed(seed)
    classifier = torch.nn.Linear(WIDTH, 3).double()
    method = build(kind, COUNTS)
    x_NH = torch.randn(20, WIDTH, dtype=torch.float64)
    n_views = 1 if kind.Config.views == "one" else 2
    batch = Batch(torch.arange(20 // n_views) % 3, n_views)
    with torch.no_grad():
        features = Features(x_NH, classifier(x_NH), classifier.weight)
        method.loss(batch, features, START)
        answer = method.logits(features).argmax(1)
    method.finalize(classifier)
    assert torch.equal(classifier(x_NH).argmax(1), answer)


@pytest.mark.parametrize("kind", [Dice, Focal])
def test_a_single_class_is_refused(kind):
    with pytest.raises(ConfigError, match="only one"):
        kind.build(SimpleNamespace(feature_dim=WIDTH, num_classes=1), np.array([4]), kind.Config(), 0)
