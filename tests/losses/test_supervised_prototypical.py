import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_prototypes as oracles
from known import CASES, expected, tensor
from sharprecl.losses import reducers
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.supervised_prototypical import supervised_prototypical

FORMS = ["coupled", "decoupled"]
INPUTS = CASES["spcl"]["inputs"]


def problem(seed, n=7, classes=3, dim=4, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    x_NH, c_CH = (torch.randn(k, dim, generator=generator, dtype=torch.float64).to(dtype) for k in (n, classes))
    return x_NH, c_CH, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize(
    ("form", "each", "mean", "above"),
    [("coupled", "per_anchor", "spcl", 0.3), ("decoupled", "per_anchor_decoupled", "spdcl(decoupled)", 0.0)],
)
def test_known_answer_spcl(form, each, mean, above):
    x_NH, c_CH, y_N = tensor(INPUTS["reps"]), tensor(INPUTS["centers"]), torch.tensor(INPUTS["labels"])
    l_N = supervised_prototypical(x_NH, c_CH, y_N, CASES["spcl"]["params"]["tau"], form)
    assert l_N.tolist() == pytest.approx(CASES["spcl"]["expected"][each], rel=1e-6)
    kept_N = l_N > above
    assert reducers.mean_of_valid(l_N, kept_N).item() == pytest.approx(CASES["spcl"]["expected"][mean], rel=1e-6)
    if form == "coupled":
        assert kept_N.int().tolist() == expected("spcl", "kept_mask")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tau", [0.05, 0.1, 1.0])
@pytest.mark.parametrize(("n", "classes"), [(7, 3), (1, 2), (5, 1), (1, 1), (4, 9)])
def test_equals_the_oracle_in_value_and_gradient(form, tau, n, classes):
    x_NH, c_CH, y_N = problem(n, n, classes)
    x_NH.requires_grad_()
    c_CH.requires_grad_()
    weights = torch.arange(1.0, n + 1, dtype=torch.float64)
    results = []
    for way in (supervised_prototypical, oracles.supervised_prototypical):
        l_N = way(x_NH, c_CH, y_N, tau, form)
        grads = torch.autograd.grad((l_N * weights).sum(), [x_NH, c_CH], materialize_grads=True, allow_unused=True)
        results.append((l_N, *grads))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("form", FORMS)
def test_float32_agrees_with_float64(form):
    x_NH, c_CH, y_N = problem(1, dtype=torch.float32)
    single = supervised_prototypical(x_NH, c_CH, y_N, 0.05, form)
    double = supervised_prototypical(x_NH.double(), c_CH.double(), y_N, 0.05, form)
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_bfloat16_is_finite_and_near(form):
    x_NH, c_CH, y_N = problem(1, dtype=torch.bfloat16)
    half = supervised_prototypical(x_NH.requires_grad_(), c_CH, y_N, 0.1, form)
    half.sum().backward()
    double = oracles.supervised_prototypical(x_NH.detach().double(), c_CH.double(), y_N, 0.1, form)
    # Scores up to 1 / tau = 10 have a spacing of 2^-5 in bfloat16, and several roundings add up.
    torch.testing.assert_close(half.double(), double, rtol=0, atol=0.2)
    assert x_NH.grad.isfinite().all()


@pytest.mark.parametrize("form", FORMS)
def test_gradcheck(form):
    x_NH, c_CH, y_N = problem(3, n=5)
    inputs = [x_NH.requires_grad_(), c_CH.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, c: supervised_prototypical(x, c, y_N, 0.5, form), inputs)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)), form=st.sampled_from(FORMS))
def test_permuting_the_batch_permutes_the_losses(seed, order, form):
    x_NH, c_CH, y_N = problem(seed)
    permuted = supervised_prototypical(x_NH[order], c_CH, y_N[order], 0.1, form)
    torch.testing.assert_close(permuted, supervised_prototypical(x_NH, c_CH, y_N, 0.1, form)[order], rtol=0, atol=1e-11)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), by=st.floats(0.1, 100), form=st.sampled_from(FORMS))
def test_lengths_do_not_matter(seed, by, form):
    x_NH, c_CH, y_N = problem(seed)
    scaled = supervised_prototypical(by * x_NH, c_CH / by, y_N, 0.1, form)
    torch.testing.assert_close(scaled, supervised_prototypical(x_NH, c_CH, y_N, 0.1, form), rtol=0, atol=1e-10)


def test_one_text_alone_has_the_cross_entropy_over_the_centres():
    x_NH, c_CH, _ = problem(5, n=1)
    y_N = torch.tensor([2])
    s_NC = torch.stack([(1 + oracles.cosine(x_NH[0], c)) / 2 / 0.1 for c in c_CH])[None]
    torch.testing.assert_close(supervised_prototypical(x_NH, c_CH, y_N, 0.1), cross_entropy(s_NC, y_N))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_coupled_loss_has_the_floor_log_of_the_number_of_positives(seed):
    x_NH, c_CH, y_N = problem(seed)
    count_N = torch.stack([(y_N == y).sum() for y in y_N]).double()  # itself is none, its centre is one
    assert (supervised_prototypical(x_NH, c_CH, y_N, 0.1) >= count_N.log() - 1e-12).all()


@pytest.mark.parametrize("form", FORMS)
def test_without_positives_or_negatives_it_is_zero_and_finite(form):
    """A class whose centre is missing has no positive; a single class has no negative."""
    x_NH, c_CH, _ = problem(2, n=2)
    x_NH.requires_grad_()
    l_N = supervised_prototypical(x_NH, c_CH[:1], torch.tensor([1, 0]), 0.1, form)
    assert l_N[0].item() == 0.0
    assert l_N[1].item() != 0.0
    (gradient,) = torch.autograd.grad(l_N[0], x_NH)
    assert gradient.abs().sum().item() == 0.0
    alone_N = supervised_prototypical(x_NH[:1], c_CH[:1], torch.tensor([0]), 0.1, form)
    alone_N.sum().backward()
    assert alone_N.tolist() == [0.0]
    assert x_NH.grad.isfinite().all()
