import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_two_branch as oracles
from known import CASES, expected, tensor
from sharprecl.losses.prototypical import prototypical

INPUTS = CASES["hybrid"]["inputs"]


def ours(x_ND, p_CD, y_N, tau=0.1, include_own=False):
    return prototypical(F.normalize(x_ND, dim=1) @ F.normalize(p_CD, dim=1).T, y_N, tau, include_own)


def random_problem(seed, n=7, classes=4, dim=5):
    generator = torch.Generator().manual_seed(seed)
    x_ND, p_CD = (torch.randn(rows, dim, generator=generator, dtype=torch.float64) for rows in (n, classes))
    return x_ND, p_CD, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize(
    ("key", "tau", "include_own"),
    [("psc_mean(positive excluded", 0.1, False), ("psc_mean(positive included", 0.1, True), ("psc_tau1", 1.0, False)],
)
def test_known_answer_hybrid(key, tau, include_own):
    y_N = torch.tensor(INPUTS["labels"])
    l_N = ours(tensor(INPUTS["z_view1"]), tensor(INPUTS["prototypes"]), y_N, tau, include_own)
    assert l_N.mean().item() == pytest.approx(expected("hybrid", key), rel=1e-6)


@pytest.mark.parametrize("include_own", [False, True])
@pytest.mark.parametrize("tau", [0.05, 0.1, 1.0])
@pytest.mark.parametrize("classes", [2, 4])
def test_equals_the_oracle_in_value_and_gradient(include_own, tau, classes):
    x_ND, p_CD, y_N = random_problem(classes, classes=classes)
    args = [x_ND.requires_grad_(), p_CD.requires_grad_()]
    results = []
    for way in (ours, oracles.prototypical):
        l_N = way(x_ND, p_CD, y_N, tau, include_own)
        results.append((l_N, *torch.autograd.grad((l_N * torch.arange(1.0, 8)).sum(), args)))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("include_own", [False, True])
def test_gradcheck(include_own):
    x_ND, p_CD, y_N = random_problem(1, n=4)
    args = [x_ND.requires_grad_(), p_CD.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, p: ours(x, p, y_N, 0.3, include_own), args)


@pytest.mark.parametrize("include_own", [False, True])
def test_float32_agrees_with_float64(include_own):
    x_ND, p_CD, y_N = random_problem(2)
    single = ours(x_ND.float(), p_CD.float(), y_N, 0.1, include_own)
    torch.testing.assert_close(single.double(), ours(x_ND, p_CD, y_N, 0.1, include_own), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("include_own", [False, True])
def test_bfloat16_follows_within_its_8_bits(include_own):
    x_ND, p_CD, y_N = random_problem(2)
    rough = ours(x_ND.bfloat16(), p_CD.bfloat16(), y_N, 0.1, include_own)
    # A cosine is right to 2^-8 or so, a tenth of which is the temperature, and the sums round again.
    torch.testing.assert_close(rough.double(), ours(x_ND, p_CD, y_N, 0.1, include_own), rtol=0.02, atol=0.15)


def test_the_own_class_is_not_in_the_denominator():
    g_NC = torch.tensor([[1.0, -1.0, -1.0]], dtype=torch.float64)
    l_N = prototypical(g_NC, torch.tensor([0]), 0.1)
    assert l_N.item() == pytest.approx(-20 + torch.log(torch.tensor(2.0)).item(), rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_with_the_own_class_it_is_more_never_negative_and_cross_entropy(seed):
    x_ND, p_CD, y_N = random_problem(seed)
    without, included = (ours(x_ND, p_CD, y_N, 0.1, own) for own in (False, True))
    assert (included >= without).all()
    assert (included >= 0).all()
    g_NC = F.normalize(x_ND, dim=1) @ F.normalize(p_CD, dim=1).T
    torch.testing.assert_close(included, F.cross_entropy(g_NC / 0.1, y_N, reduction="none"), rtol=0, atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(7)), names=st.permutations(range(4)))
def test_order_of_anchors_and_names_of_classes_do_not_matter(seed, order, names):
    x_ND, p_CD, y_N = random_problem(seed)
    renamed_CD = torch.empty_like(p_CD)
    renamed_CD[names] = p_CD
    mine = ours(x_ND[order], renamed_CD, torch.tensor(names)[y_N[order]])
    torch.testing.assert_close(mine, ours(x_ND, p_CD, y_N)[order], rtol=0, atol=1e-12)


@pytest.mark.parametrize("include_own", [False, True])
def test_a_single_class_gives_0_with_a_zero_gradient(include_own):
    g_NC = torch.tensor([[0.3], [0.9]], requires_grad=True)
    l_N = prototypical(g_NC, torch.tensor([0, 0]), 0.1, include_own)
    l_N.sum().backward()
    assert l_N.tolist() == [0.0, 0.0]
    assert g_NC.grad.tolist() == [[0.0], [0.0]]
