import pytest
import torch

import oracles
from known import CASES, tensor
from sharprecl.losses.cross_entropy import cross_entropy


def test_known_answer():
    case = CASES["ce"]
    l_N = cross_entropy(tensor(case["inputs"]["logits"]), torch.tensor(case["inputs"]["labels"]))
    assert l_N.tolist() == pytest.approx(case["expected"]["per_sample"], abs=1e-9)
    assert l_N.mean().item() == pytest.approx(case["expected"]["loss_mean"], abs=1e-9)


def test_equals_the_oracle_in_value_and_gradient():
    s_NC = torch.randn(7, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    y_N = torch.tensor([0, 1, 2, 3, 3, 0, 1])
    ours, theirs = cross_entropy(s_NC, y_N), oracles.cross_entropy(s_NC, y_N)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    weights = torch.arange(7.0, dtype=torch.float64)
    grads = [torch.autograd.grad((l_N * weights).sum(), s_NC)[0] for l_N in (ours, theirs)]
    torch.testing.assert_close(*grads, rtol=0, atol=1e-10)


def test_extreme_logits_stay_finite():
    s_NC = torch.tensor([[1e4, -1e4], [-1e4, 1e4]], requires_grad=True)
    loss = cross_entropy(s_NC, torch.tensor([1, 1])).mean()
    loss.backward()
    assert loss.item() == pytest.approx(1e4)
    assert s_NC.grad.isfinite().all()
