import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_one_view as oracles
from sharprecl.losses.complement import log_complement


def logits(seed=0, n=6, classes=4, dtype=torch.float64):
    return torch.randn(n, classes, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), classes=st.integers(2, 5), scale=st.floats(0.1, 6.0))
def test_equals_the_oracle(seed, classes, scale):
    s_NC = scale * logits(seed, classes=classes)
    torch.testing.assert_close(log_complement(s_NC), oracles.log_complement(s_NC), rtol=0, atol=1e-10)


def test_gradcheck():
    assert torch.autograd.gradcheck(log_complement, [logits().requires_grad_()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_sure_text_keeps_its_digits(dtype):
    # p = 1 - exp(-50): the subtraction would give 0 in either precision.
    s_NC = torch.tensor([[50.0, 0.0]], dtype=dtype, requires_grad=True)
    l_NC = log_complement(s_NC)
    assert l_NC.tolist() == [pytest.approx([-50.0, 0.0])]
    l_NC[0, 0].backward()
    assert s_NC.grad.tolist() == [pytest.approx([-1.0, 1.0])]


def test_equal_logits_share_alike():
    s_NC = torch.zeros(1, 2, requires_grad=True)
    l_NC = log_complement(s_NC)
    l_NC.sum().backward()
    assert l_NC.exp().tolist() == [pytest.approx([0.5, 0.5])]
    assert s_NC.grad.isfinite().all()


def test_float32_agrees_with_float64():
    s_NC = 5 * logits(seed=4)
    torch.testing.assert_close(log_complement(s_NC.float()).double(), log_complement(s_NC), rtol=1e-5, atol=1e-5)
