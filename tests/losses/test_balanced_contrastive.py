import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_two_branch as oracles
from known import CASES, expected, tensor
from sharprecl.losses.balanced_contrastive import balanced_contrastive

INPUTS = CASES["bcl"]["inputs"]


def ours(x_ND, c_CD, y_N, tau=0.1):
    x_MD = F.normalize(torch.cat([x_ND, c_CD]), dim=1)
    y_M = torch.cat([torch.as_tensor(y_N), torch.arange(len(c_CD))])
    return balanced_contrastive(x_MD[: len(x_ND)] @ x_MD.T, y_M, tau)


def random_problem(seed, n=8, classes=4, dim=5):
    generator = torch.Generator().manual_seed(seed)
    x_ND, c_CD = (torch.randn(rows, dim, generator=generator, dtype=torch.float64) for rows in (n, classes))
    return x_ND, c_CD, torch.randint(classes, (n,), generator=generator).tolist()


def test_known_answer_bcl():
    x_ND = tensor(INPUTS["z_view1"] + INPUTS["z_view2"])
    l_N = ours(x_ND, tensor(INPUTS["class_centers"]), INPUTS["labels"] * 2, CASES["bcl"]["params"]["tau"])
    assert l_N.tolist() == pytest.approx(expected("bcl", "per_anchor"), rel=1e-6)
    assert l_N.mean().item() == pytest.approx(expected("bcl", "bcl_mean"), rel=1e-6)


@pytest.mark.parametrize("tau", [0.05, 0.1, 1.0])
@pytest.mark.parametrize(("n", "classes"), [(8, 4), (1, 2), (5, 1), (3, 6)])
def test_equals_the_oracle_in_value_and_gradient(tau, n, classes):
    x_ND, c_CD, y_N = random_problem(n, n, classes)
    args = [x_ND.requires_grad_(), c_CD.requires_grad_()]
    results = []
    for way in (ours, oracles.balanced):
        l_N = way(x_ND, c_CD, y_N, tau)
        results.append((l_N, *torch.autograd.grad((l_N * torch.arange(1.0, n + 1)).sum(), args)))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)


def test_gradcheck():
    x_ND, c_CD, y_N = random_problem(1, n=4, classes=3)
    args = [x_ND.requires_grad_(), c_CD.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, c: ours(x, c, y_N, 0.3), args)


@pytest.mark.parametrize("tau", [0.05, 0.1])
def test_float32_agrees_with_float64(tau):
    x_ND, c_CD, y_N = random_problem(2)
    single = ours(x_ND.float(), c_CD.float(), y_N, tau)
    torch.testing.assert_close(single.double(), ours(x_ND, c_CD, y_N, tau), rtol=1e-5, atol=1e-5)


def test_bfloat16_follows_within_its_8_bits():
    x_ND, c_CD, y_N = random_problem(2)
    rough = ours(x_ND.bfloat16(), c_CD.bfloat16(), y_N)
    # A cosine is right to 2^-8 or so, a tenth of which is the temperature, and the sums round again.
    torch.testing.assert_close(rough.double(), ours(x_ND, c_CD, y_N), rtol=0.03, atol=0.15)


def test_equal_classes_have_the_denominator_of_the_specification():
    """All |B_c| = m: 1/(m - 1) sum over the own class + 1/m sum over the others."""
    labels, m, tau = [0, 0, 1, 1], 3, 0.2
    x_ND, c_CD, _ = random_problem(3, n=4, classes=2)
    x_MD = F.normalize(torch.cat([x_ND, c_CD]), dim=1)
    y_M = torch.tensor([*labels, 0, 1])
    e_M = torch.exp(x_MD[0] @ x_MD.T / tau)
    own_M = (y_M == 0) & (torch.arange(6) != 0)
    below = torch.log(e_M[own_M].sum() / (m - 1) + e_M[y_M == 1].sum() / m)
    by_hand = below - (x_MD[0] @ x_MD[own_M].T / tau).mean()
    torch.testing.assert_close(ours(x_ND, c_CD, labels, tau)[0], by_hand, rtol=1e-12, atol=0)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(8)), names=st.permutations(range(4)))
def test_order_of_anchors_and_names_of_classes_do_not_matter(seed, order, names):
    x_ND, c_CD, y_N = random_problem(seed)
    renamed_CD = torch.empty_like(c_CD)
    renamed_CD[names] = c_CD
    mine = ours(x_ND[order], renamed_CD, [names[y_N[k]] for k in order])
    torch.testing.assert_close(mine, ours(x_ND, c_CD, y_N)[order], rtol=0, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), times=st.integers(2, 5))
def test_repeating_the_items_of_another_class_changes_nothing(seed, times):
    """Class averaging: to an anchor, a class is as large as its average. Plain contrastive losses would grow."""
    x_ND, c_CD, _ = random_problem(seed, n=4, classes=2)
    few = ours(torch.cat([x_ND[:3], c_CD[1:]]), c_CD, [0, 0, 0, 1])
    many = ours(torch.cat([x_ND[:3], c_CD[1:].repeat(times, 1)]), c_CD, [0, 0, 0] + [1] * times)
    torch.testing.assert_close(many[:3], few[:3], rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("labels", "classes"), [([0] * 4, 1), ([0] * 4, 3), ([0], 2), ([0, 999], 1000)], ids=["C=1", "one", "B=1", "C=1000"]
)
def test_degenerate_batches_are_finite(labels, classes):
    x_ND, c_CD, _ = random_problem(4, len(labels), classes)
    x_ND, c_CD = (t.float().requires_grad_() for t in (x_ND, c_CD))
    l_N = ours(x_ND, c_CD, labels)
    l_N.sum().backward()
    assert l_N.isfinite().all()
    assert x_ND.grad.isfinite().all()
    assert c_CD.grad.isfinite().all()


def test_an_anchor_without_positives_is_exactly_0_with_a_zero_gradient():
    g_NM = torch.tensor([[1.0, 0.4], [0.4, 1.0]], requires_grad=True)
    l_N = balanced_contrastive(g_NM, torch.tensor([0, 1]), 0.1)
    l_N.sum().backward()
    assert l_N.tolist() == [0.0, 0.0]
    assert g_NM.grad.abs().sum().item() == 0.0
