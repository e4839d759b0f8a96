import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_prototypes as oracles
from known import CASES, tensor
from sharprecl.losses.dual_contrastive import dual_contrastive

WAYS = ["exclude", "zero_logit"]
EXPECTED = {"exclude": "own_pair_excluded(paper)", "zero_logit": "code"}


def problem(seed, n=7, classes=3, dim=4, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    a_NH, t_NH = (torch.randn(n, dim, generator=generator, dtype=torch.float64).to(dtype) for _ in range(2))
    return a_NH, t_NH, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize("own_pair", WAYS)
@pytest.mark.parametrize("case", ["dualcl", "dualcl_with_no_positive_anchor"])
def test_known_answer_dualcl(case, own_pair):
    inputs, params = CASES[case]["inputs"], CASES[case]["params"]
    z_NH, y_N = tensor(inputs["cls_feats"]), torch.tensor(inputs["labels"])
    theta_NH = tensor(inputs["label_feats"])[torch.arange(len(y_N)), y_N]
    numbers = CASES[case]["expected"][EXPECTED[own_pair]]
    by_labels = dual_contrastive(theta_NH, z_NH, y_N, params["tau"], own_pair).mean().item()
    by_texts = dual_contrastive(z_NH, theta_NH, y_N, params["tau"], own_pair).mean().item()
    assert by_labels == pytest.approx(numbers["cl_theta_anchor"], rel=1e-6)
    assert by_texts == pytest.approx(numbers["cl_z_anchor"], rel=1e-6)


@pytest.mark.parametrize("own_pair", WAYS)
@pytest.mark.parametrize("tau", [0.05, 0.1, 1.0])
@pytest.mark.parametrize(("n", "classes"), [(7, 3), (6, 1), (4, 9), (2, 1), (1, 2)])
def test_equals_the_oracle_in_value_and_gradient(own_pair, tau, n, classes):
    a_NH, t_NH, y_N = problem(n, n, classes)
    a_NH.requires_grad_()
    t_NH.requires_grad_()
    weights = torch.arange(1.0, n + 1, dtype=torch.float64)
    results = []
    for way in (dual_contrastive, oracles.dual_contrastive):
        l_N = way(a_NH, t_NH, y_N, tau, own_pair)
        grads = torch.autograd.grad((l_N * weights).sum(), [a_NH, t_NH], materialize_grads=True, allow_unused=True)
        results.append((l_N, *grads))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("own_pair", WAYS)
def test_float32_agrees_with_float64(own_pair):
    a_NH, t_NH, y_N = problem(1, dtype=torch.float32)
    single = dual_contrastive(a_NH, t_NH, y_N, 0.1, own_pair)
    double = dual_contrastive(a_NH.double(), t_NH.double(), y_N, 0.1, own_pair)
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("own_pair", WAYS)
def test_bfloat16_is_finite_and_near(own_pair):
    a_NH, t_NH, y_N = problem(1, dtype=torch.bfloat16)
    half = dual_contrastive(a_NH.requires_grad_(), t_NH, y_N, 0.1, own_pair)
    half.sum().backward()
    double = oracles.dual_contrastive(a_NH.detach().double(), t_NH.double(), y_N, 0.1, own_pair)
    # Logits up to 10 have a spacing of 2^-5 in bfloat16, and several roundings add up.
    torch.testing.assert_close(half.double(), double, rtol=0, atol=0.2)
    assert a_NH.grad.isfinite().all()


@pytest.mark.parametrize("own_pair", WAYS)
def test_gradcheck(own_pair):
    a_NH, t_NH, _ = problem(3, n=5)
    y_N = torch.tensor([0, 1, 0, 2, 1])
    inputs = [a_NH.requires_grad_(), t_NH.requires_grad_()]
    assert torch.autograd.gradcheck(lambda a, t: dual_contrastive(a, t, y_N, 0.5, own_pair), inputs)


@pytest.mark.parametrize("own_pair", WAYS)
@pytest.mark.parametrize("labels", [[0], [0, 1, 2]])
def test_without_positives_it_is_zero_with_zero_gradient(own_pair, labels):
    a_NH, t_NH, _ = problem(4, n=len(labels))
    a_NH.requires_grad_()
    t_NH.requires_grad_()
    l_N = dual_contrastive(a_NH, t_NH, torch.tensor(labels), 0.1, own_pair)
    l_N.sum().backward()
    assert l_N.tolist() == [0.0] * len(labels)
    assert a_NH.grad.abs().sum().item() == 0.0
    assert t_NH.grad.abs().sum().item() == 0.0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)), own_pair=st.sampled_from(WAYS))
def test_permuting_the_batch_permutes_the_losses(seed, order, own_pair):
    a_NH, t_NH, y_N = problem(seed)
    permuted = dual_contrastive(a_NH[order], t_NH[order], y_N[order], 0.1, own_pair)
    expected = dual_contrastive(a_NH, t_NH, y_N, 0.1, own_pair)[order]
    torch.testing.assert_close(permuted, expected, rtol=0, atol=1e-11)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), by=st.floats(0.1, 100), own_pair=st.sampled_from(WAYS))
def test_lengths_do_not_matter(seed, by, own_pair):
    a_NH, t_NH, y_N = problem(seed)
    scaled = dual_contrastive(by * a_NH, t_NH / by, y_N, 0.1, own_pair)
    torch.testing.assert_close(scaled, dual_contrastive(a_NH, t_NH, y_N, 0.1, own_pair), rtol=0, atol=1e-10)


def test_its_own_pair_is_no_target():
    """Excluded, the anchor's own target can be anything; with ``zero_logit`` as well, but it adds 1 to the sum."""
    a_NH, t_NH, _ = problem(6, n=4)
    y_N = torch.tensor([0, 0, 1, 1])
    moved_NH = t_NH.clone()
    moved_NH[0] = -t_NH[0]
    for own_pair in WAYS:
        first, again = (dual_contrastive(a_NH, t, y_N, 0.5, own_pair)[0].item() for t in (t_NH, moved_NH))
        assert first == again
    s_4 = F.normalize(a_NH[:1], dim=1) @ F.normalize(t_NH, dim=1).T / 0.5
    more = torch.log1p(torch.exp(-torch.logsumexp(s_4[0, 1:], 0))).item()
    with_one, without = (dual_contrastive(a_NH, t_NH, y_N, 0.5, way)[0].item() for way in ("zero_logit", "exclude"))
    assert with_one - without == pytest.approx(more)


def test_two_texts_of_one_class_have_nothing_to_contrast():
    a_NH, t_NH, _ = problem(7, n=2)
    assert dual_contrastive(a_NH, t_NH, torch.tensor([1, 1]), 0.1).tolist() == pytest.approx([0.0, 0.0], abs=1e-12)
