import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_one_view
from known import CASES, expected, tensor
from sharprecl.losses.cross_entropy import cross_entropy
from sharprecl.losses.focal import focal

INPUTS = CASES["focal"]["inputs"]
S_NC, Y_N = tensor(INPUTS["logits"]), torch.tensor(INPUTS["labels"])


def problem(seed, n=7, classes=4):
    generator = torch.Generator().manual_seed(seed)
    s_NC = 2 * torch.randn(n, classes, generator=generator, dtype=torch.float64)
    return s_NC, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize(("gamma", "key"), [(0.0, "gamma0"), (4.0, "gamma4")])
def test_known_answers(gamma, key):
    assert focal(S_NC, Y_N, gamma).mean().item() == pytest.approx(expected("focal", key), rel=1e-6)


def test_known_answers_with_gamma_2():
    answers = CASES["focal"]["expected"]
    l_N = focal(S_NC, Y_N, 2.0)
    assert l_N.mean().item() == pytest.approx(answers["gamma2"], rel=1e-6)
    weighted = tensor(INPUTS["class_alpha"])[Y_N] * l_N
    assert weighted.mean().item() == pytest.approx(answers["gamma2_alpha"], rel=1e-6)


def test_gamma_0_is_the_known_cross_entropy():
    case = CASES["ce"]
    l_N = focal(tensor(case["inputs"]["logits"]), torch.tensor(case["inputs"]["labels"]), 0.0)
    assert l_N.tolist() == pytest.approx(case["expected"]["per_sample"], rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), gamma=st.sampled_from([0.0, 0.5, 1.0, 2.0, 4.0]), classes=st.integers(2, 5))
def test_equals_the_oracle(seed, gamma, classes):
    s_NC, y_N = problem(seed, classes=classes)
    torch.testing.assert_close(focal(s_NC, y_N, gamma), oracles_one_view.focal(s_NC, y_N, gamma), rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_gamma_0_is_cross_entropy_in_value_and_gradient(seed):
    s_NC, y_N = problem(seed)
    s_NC.requires_grad_()
    losses = [focal(s_NC, y_N, 0.0), oracles.cross_entropy(s_NC, y_N)]
    torch.testing.assert_close(*losses, rtol=0, atol=1e-10)
    torch.testing.assert_close(*(torch.autograd.grad(l_N.sum(), s_NC)[0] for l_N in losses), rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(7)))
def test_permuting_the_texts_permutes_the_losses(seed, order):
    s_NC, y_N = problem(seed)
    torch.testing.assert_close(focal(s_NC[order], y_N[order], 2.0), focal(s_NC, y_N, 2.0)[order], rtol=0, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), gamma=st.floats(0.1, 5.0))
def test_is_between_0_and_cross_entropy(seed, gamma):
    s_NC, y_N = problem(seed)
    l_N = focal(s_NC, y_N, gamma)
    assert (l_N > 0).all()
    assert (l_N < cross_entropy(s_NC, y_N)).all()


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_gradcheck(gamma):
    s_NC, y_N = problem(3)
    assert torch.autograd.gradcheck(lambda s: focal(s, y_N, gamma), [s_NC.requires_grad_()])


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("size", [40.0, 1e4])
def test_certainty_is_finite_forward_and_backward(gamma, size):
    s_NC = torch.tensor([[size, -size, 0.0], [size, -size, 0.0]], requires_grad=True)
    l_N = focal(s_NC, torch.tensor([0, 1]), gamma)
    l_N.sum().backward()
    assert l_N[0].item() == 0.0
    assert l_N[1].item() == pytest.approx(2 * size)
    assert s_NC.grad.isfinite().all()
    # The text that is surely wrong still pulls with the full gradient of cross-entropy.
    assert s_NC.grad[1].tolist() == pytest.approx([1.0, -1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_float32_agrees_with_float64(gamma):
    s_NC, y_N = problem(5)
    torch.testing.assert_close(focal(s_NC.float(), y_N, gamma).double(), focal(s_NC, y_N, gamma), rtol=1e-5, atol=1e-5)


def test_bfloat16_agrees_roughly():
    # 8 bits of mantissa: the rounding of the logits alone changes the loss by some percent.
    s_NC, y_N = problem(5)
    half = focal(s_NC.bfloat16(), y_N, 2.0)
    torch.testing.assert_close(half.double(), focal(s_NC, y_N, 2.0), rtol=0.1, atol=0.05)
