"""Cross-entropy with two labels a row."""

import torch

from sharprecl.losses.logit_compensation import compensated_cross_entropy, log_prior
from sharprecl.losses.mixed_cross_entropy import mixed_cross_entropy

LOG_PRIOR_C = log_prior(torch.tensor([5, 3, 2]))


def rows():
    generator = torch.Generator().manual_seed(0)
    s_SC = torch.randn(4, 3, generator=generator, dtype=torch.float64, requires_grad=True)
    return s_SC, torch.tensor([0, 1, 2, 2]), torch.tensor([2, 1, 0, 1]), torch.tensor([0.25, 0.5, 1.0, 0.0]).double()


def test_by_hand():
    s_SC, first_S, second_S, a_S = rows()
    found = mixed_cross_entropy(s_SC, first_S, second_S, a_S, LOG_PRIOR_C, 0.5)
    for s, (y, other, a) in enumerate(zip(first_S, second_S, a_S, strict=True)):
        p_C = (s_SC[s] + 0.5 * LOG_PRIOR_C).exp()
        p_C = p_C / p_C.sum()
        torch.testing.assert_close(found[s], -a * p_C[y].log() - (1 - a) * p_C[other].log())


def test_whole_shares_are_plain_cross_entropy_and_gradients_are_right():
    s_SC, first_S, second_S, a_S = rows()
    found = mixed_cross_entropy(s_SC, first_S, second_S, a_S, LOG_PRIOR_C)
    assert torch.equal(found[2], compensated_cross_entropy(s_SC, first_S, LOG_PRIOR_C)[2])
    assert torch.equal(found[3], compensated_cross_entropy(s_SC, second_S, LOG_PRIOR_C)[3])
    assert torch.autograd.gradcheck(lambda s: mixed_cross_entropy(s, first_S, second_S, a_S, LOG_PRIOR_C), s_SC)
