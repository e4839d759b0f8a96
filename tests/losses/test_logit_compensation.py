import pytest
import torch

import oracles
from known import CASES, expected, tensor
from sharprecl.errors import ConfigError
from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior

CASE = "logit_compensation"
S_NC = tensor(CASES[CASE]["inputs"]["logits"])
Y_N = torch.tensor(CASES[CASE]["inputs"]["labels"])
COUNTS = CASES[CASE]["inputs"]["class_counts"]
COUNTS_C = torch.tensor(COUNTS)


@pytest.mark.parametrize(
    ("smoothing", "normalize", "name"),
    [
        ("none", False, "loss_prior"),
        ("epsilon", False, "loss_prior_plus_1e-9"),
        ("laplace", False, "loss_laplace_(n+1)/(N+C)"),
        ("epsilon", True, "loss_l2_normalised_logits(SharpReCL code)"),
    ],
)
def test_known_answers(smoothing, normalize, name):
    loss = compensated_cross_entropy(S_NC, Y_N, log_prior(COUNTS_C, smoothing), normalize_logits=normalize)
    assert loss.mean().item() == pytest.approx(CASES[CASE]["expected"][name], abs=1e-9)


def test_log_prior_known_answer():
    assert log_prior(COUNTS_C).tolist() == pytest.approx(expected(CASE, "delta"), abs=1e-9)


@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("normalize", [False, True])
def test_equals_the_oracle_in_value_and_gradient(tau, normalize):
    s_NC = S_NC.clone().requires_grad_()
    ours = compensated_cross_entropy(s_NC, Y_N, log_prior(COUNTS_C), tau, normalize)
    theirs = oracles.compensated_cross_entropy(s_NC, Y_N, COUNTS, tau, normalize)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    grads = [torch.autograd.grad(l_N.square().sum(), s_NC)[0] for l_N in (ours, theirs)]
    torch.testing.assert_close(*grads, rtol=0, atol=1e-10)


def test_an_empty_class_is_refused_by_its_id_without_smoothing():
    with pytest.raises(ConfigError, match=r"class ids \[1\] have no training text"):
        log_prior(torch.tensor([3, 0, 2]))


@pytest.mark.parametrize("smoothing", ["epsilon", "laplace"])
def test_an_empty_class_is_finite_with_smoothing(smoothing):
    assert log_prior(torch.tensor([3, 0, 2]), smoothing).isfinite().all()


def test_float32_agrees_with_float64():
    args = Y_N, log_prior(COUNTS_C)
    single, double = (compensated_cross_entropy(s, *args) for s in (S_NC.float(), S_NC))
    assert single.dtype == torch.float32
    torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-5)


def test_scaling_normalised_logits_changes_nothing():
    losses = [
        compensated_cross_entropy(scale * S_NC, Y_N, log_prior(COUNTS_C), normalize_logits=True) for scale in (1.0, 7.5)
    ]
    torch.testing.assert_close(*losses, rtol=0, atol=1e-12)


def test_gradcheck():
    s_NC = S_NC.clone().requires_grad_()
    prior_C = log_prior(COUNTS_C)
    assert torch.autograd.gradcheck(lambda s: compensated_cross_entropy(s, Y_N, prior_C, 1.5, True), s_NC)
