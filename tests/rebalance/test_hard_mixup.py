import pytest
import torch
import torch.nn.functional as F
from scipy.stats import beta, chisquare, kstest

import oracles
from known import CASES, d_hat, expected
from sharprecl.rebalance.hard_mixup import beta_quantile, hard_negatives, hard_positives

CASE = "hard_sets_and_mixup"


def hard_sets(x_MD, y_M, classes, k):
    member_CM = y_M[None, :] == torch.arange(classes)[:, None]
    g_CM = x_MD[-classes:] @ x_MD.T
    return hard_positives(g_CM, member_CM, k), hard_negatives(g_CM, member_CM, k)


def as_lists(hard):
    return [i_K[:size].tolist() for i_K, size in zip(hard.i_CK, hard.size_C1.flatten(), strict=True)]


def test_known_answer():
    x_MD, y_M = d_hat(CASE)
    positives, negatives = hard_sets(x_MD, y_M, 3, CASES[CASE]["params"]["k"])
    assert [sorted(i) for i in as_lists(positives)] == list(expected(CASE, "hard_positive").values())
    assert [sorted(i) for i in as_lists(negatives)] == list(expected(CASE, "hard_negative").values())


@pytest.mark.parametrize("k", [1, 3, 5, 20, 1000])
@pytest.mark.parametrize("classes", [2, 5])
def test_equals_the_oracle(k, classes):
    generator = torch.Generator().manual_seed(k)
    y_M = torch.cat([torch.randint(classes - 1, (12,), generator=generator), torch.arange(classes)])
    x_MD = F.normalize(torch.randn(len(y_M), 6, generator=generator, dtype=torch.float64), dim=1)
    for hard, positive in zip(hard_sets(x_MD, y_M, classes, k), (True, False), strict=True):
        assert as_lists(hard) == [oracles.hard_set(x_MD, y_M, c, classes, k, positive) for c in range(classes)]


def test_the_prototype_of_an_absent_class_is_its_only_hard_positive():
    x_MD, y_M = d_hat(CASE)
    present = (y_M != 2) | (torch.arange(len(y_M)) == len(y_M) - 1)
    positives, _ = hard_sets(x_MD[present], y_M[present], 3, 20)
    assert as_lists(positives)[2] == [int(present.sum()) - 1]


def test_pairs_are_uniform_and_independent_with_replacement():
    x_MD, y_M = d_hat(CASE)
    positives, _ = hard_sets(x_MD, y_M, 3, 3)
    u = torch.rand(2, 3, 9000, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    i_CS, j_CS = positives.draw(u[0]), positives.draw(u[1])
    for c in range(3):
        rows = positives.i_CK[c, : positives.size_C1[c, 0]]
        pairs = [((i_CS[c] == i) & (j_CS[c] == j)).sum().item() for i in rows for j in rows]
        assert sum(pairs) == 9000
        assert chisquare(pairs).pvalue > 1e-3


@pytest.mark.parametrize("alpha", [0.2, 0.5, 1.0, 4.0])
def test_coefficients_follow_the_beta_law(alpha):
    u = torch.rand(5000, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    a = beta_quantile(u, alpha)
    assert kstest(a.numpy(), beta(alpha, alpha).cdf).pvalue > 1e-3
    assert ((a >= 0) & (a <= 1)).all()


@pytest.mark.parametrize("alpha", [0.3, 0.5, 2.0])
def test_coefficients_are_the_inverse_of_the_distribution_function(alpha):
    u = torch.linspace(0.01, 0.99, 50, dtype=torch.float64)
    torch.testing.assert_close(torch.from_numpy(beta(alpha, alpha).cdf(beta_quantile(u, alpha).numpy())), u)
