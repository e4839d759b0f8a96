import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_one_view as oracles
from known import CASES, expected, tensor
from sharprecl.losses.info_nce import info_nce

INPUTS = CASES["simcse"]["inputs"]


def ours(first_BD, second_BD, tau, symmetric=False):
    return info_nce(F.normalize(first_BD, dim=1) @ F.normalize(second_BD, dim=1).T, tau, symmetric)


def problem(seed, n=6, dim=5):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(n, dim, generator=generator, dtype=torch.float64) for _ in range(2)]


@pytest.mark.parametrize(("symmetric", "key"), [(False, "ucl"), (True, "ucl_symmetric_mean")])
def test_known_answers(symmetric, key):
    l_B = ours(tensor(INPUTS["z1"]), tensor(INPUTS["z2"]), 0.05, symmetric)
    # Ten decimals of a number about 0.03 are on file: 1e-6 relative is well within them.
    assert l_B.mean().item() == pytest.approx(CASES["simcse"]["expected"][key], rel=1e-6)


def test_known_mixture_with_cross_entropy():
    l_B = ours(tensor(INPUTS["z1"]), tensor(INPUTS["z2"]), 0.05)
    mixed = 0.5 * expected("simcse", "ce") + 0.5 * l_B.mean().item()
    assert mixed == pytest.approx(expected("simcse", "total_(1-l)CE+lUCL"), rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 8),
    tau=st.sampled_from([0.05, 0.3, 1.0]),
    symmetric=st.booleans(),
)
def test_equals_the_oracle(seed, n, tau, symmetric):
    first_BD, second_BD = problem(seed, n)
    theirs = oracles.info_nce(first_BD, second_BD, tau, symmetric)
    torch.testing.assert_close(ours(first_BD, second_BD, tau, symmetric), theirs, rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(6)), symmetric=st.booleans())
def test_permuting_the_texts_permutes_the_losses(seed, order, symmetric):
    first_BD, second_BD = problem(seed)
    permuted = ours(first_BD[order], second_BD[order], 0.1, symmetric)
    torch.testing.assert_close(permuted, ours(first_BD, second_BD, 0.1, symmetric)[order], rtol=0, atol=1e-11)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_symmetric_does_not_care_which_pass_came_first(seed):
    first_BD, second_BD = problem(seed)
    both = [ours(a, b, 0.1, True) for a, b in ((first_BD, second_BD), (second_BD, first_BD))]
    torch.testing.assert_close(*both, rtol=0, atol=1e-11)


def test_a_single_text_costs_nothing_and_has_no_gradient():
    g_BB = torch.tensor([[0.4]], requires_grad=True)
    l_B = info_nce(g_BB, 0.05)
    l_B.sum().backward()
    assert l_B.tolist() == [0.0]
    assert g_BB.grad.tolist() == [[0.0]]


def test_equal_texts_cost_the_logarithm_of_their_number():
    assert info_nce(torch.ones(4, 4), 0.05).tolist() == pytest.approx([torch.tensor(4.0).log().item()] * 4)


@pytest.mark.parametrize("symmetric", [False, True])
def test_gradcheck(symmetric):
    args = [v.requires_grad_() for v in problem(2, n=4, dim=3)]
    assert torch.autograd.gradcheck(lambda a, b: ours(a, b, 0.2, symmetric), args)


def test_float32_agrees_with_float64():
    first_BD, second_BD = problem(5)
    single = ours(first_BD.float(), second_BD.float(), 0.05)
    torch.testing.assert_close(single.double(), ours(first_BD, second_BD, 0.05), rtol=1e-5, atol=1e-5)


def test_bfloat16_agrees_roughly_and_is_finite():
    # Cosines are rounded to 2^-9 and then divided by 0.05: the scores are off by up to 0.1.
    first_BD, second_BD = (v.bfloat16().requires_grad_() for v in problem(5))
    l_B = ours(first_BD, second_BD, 0.05)
    l_B.sum().backward()
    assert first_BD.grad.isfinite().all()
    exact = ours(first_BD.detach().double(), second_BD.detach().double(), 0.05)
    torch.testing.assert_close(l_B.detach().double(), exact, rtol=0.03, atol=0.2)
