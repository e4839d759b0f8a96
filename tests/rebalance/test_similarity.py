import pytest
import torch
import torch.nn.functional as F

import oracles
from known import CASES, d_hat, expected
from sharprecl.losses.prototype_contrastive import prototype_contrastive
from sharprecl.rebalance.similarity import synthetic_similarity
from sharprecl.rebalance.synthetic import SyntheticPlan, plan_synthetic


def problem(classes, texts=6, dim=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    y_B = torch.randint(classes, (texts,), generator=generator)
    y_M = torch.cat([y_B, y_B, torch.arange(classes)])
    return torch.randn(len(y_M), dim, generator=generator, dtype=torch.float64, requires_grad=True), y_M


def single(i, j, a, dtype=torch.float64):
    """A plan of one class with one sample."""
    return SyntheticPlan(torch.tensor([[i]]), torch.tensor([[j]]), torch.tensor([[a]], dtype=dtype))


def test_mixed_vector_known_answer():
    x_MD, _ = d_hat("hard_sets_and_mixup")
    case = CASES["hard_sets_and_mixup"]
    made = single(case["params"]["i"], case["params"]["j"], case["params"]["lambda"])
    t_MS = synthetic_similarity(x_MD @ x_MD.T, made, torch.zeros(len(x_MD), dtype=torch.long))
    mixed_D = torch.tensor(expected("hard_sets_and_mixup", "mixed_unit_vector"), dtype=torch.float64)
    torch.testing.assert_close(t_MS[:, 0], x_MD @ mixed_D, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("classes", "n_pos", "n_neg"), [(2, 3, 5), (4, 2, 6), (7, 0, 4), (3, 5, 0), (3, 0, 0)])
@pytest.mark.parametrize("ratio", [0.0, 0.6, 1.0])
def test_equals_the_materialised_samples_in_value_and_gradient(classes, n_pos, n_neg, ratio):
    raw_MD, y_M = problem(classes)
    x_MD = F.normalize(raw_MD, dim=1)
    g_MM = x_MD @ x_MD.T
    generator = torch.Generator().manual_seed(1)
    made = plan_synthetic(g_MM, y_M, classes, n_pos, n_neg, 3, ratio, 0.5, generator)
    x_CSD = oracles.materialise(x_MD, made.i_CS, made.j_CS, made.a_CS)
    torch.testing.assert_close(x_CSD.norm(dim=2), torch.ones(classes, n_pos + n_neg, dtype=torch.float64))
    theirs = torch.einsum("md,msd->ms", x_MD, x_CSD[y_M])
    ours = synthetic_similarity(g_MM, made, y_M)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    weights = torch.randn(ours.shape, generator=generator, dtype=torch.float64)
    grads = [
        torch.autograd.grad((t * weights).sum() + 0 * raw_MD.sum(), raw_MD, retain_graph=True)[0]
        for t in (ours, theirs)
    ]
    torch.testing.assert_close(*grads, rtol=0, atol=1e-10)


@pytest.mark.parametrize("positives", ["mean", "sum"])
@pytest.mark.parametrize("classes", [2, 5])
def test_whole_chain_equals_the_loop_over_classes_in_value_and_gradient(positives, classes):
    raw_MD, y_M = problem(classes, texts=15, seed=3)
    x_MD = F.normalize(raw_MD, dim=1)
    u_3CS = torch.rand(3, classes, 24, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    theirs = oracles.sharprecl_by_class(x_MD, y_M, classes, u_3CS, 4, 6, 0.7, 0.3, positives)
    g_MM = x_MD @ x_MD.T
    made = plan_synthetic(g_MM, y_M, classes, 4, 20, 6, 0.7, 0.5, torch.Generator().manual_seed(2))
    ours = prototype_contrastive(g_MM, synthetic_similarity(g_MM, made, y_M), y_M, 4, 0.3, positives)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)
    grads = [torch.autograd.grad(l_M.square().mean(), raw_MD, retain_graph=True)[0] for l_M in (ours, theirs)]
    torch.testing.assert_close(*grads, rtol=0, atol=1e-10)
    by_sample = oracles.materialise(x_MD, made.i_CS, made.j_CS, made.a_CS)
    slowest = oracles.contrastive(x_MD, y_M, by_sample, 4, 0.3, positives)
    torch.testing.assert_close(ours, slowest, rtol=0, atol=1e-10)


def test_gradcheck_through_the_normalisation():
    raw_MD, y_M = problem(2, texts=2, dim=3)
    x_MD = F.normalize(raw_MD, dim=1)
    made = plan_synthetic(x_MD @ x_MD.T, y_M, 2, 2, 3, 3, 1.0, 0.5, torch.Generator().manual_seed(0))

    def similarity(raw):
        x = F.normalize(raw, dim=1)
        return synthetic_similarity(x @ x.T, made, y_M)

    assert torch.autograd.gradcheck(similarity, raw_MD)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("a", [0.5, 0.5000001, 0.3, 1.0])
def test_antipodal_parents_are_finite(dtype, a):
    raw_MD = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [3.0, 1.0]], dtype=dtype, requires_grad=True)
    x_MD = F.normalize(raw_MD, dim=1)
    y_M = torch.zeros(3, dtype=torch.long)
    t_MS = synthetic_similarity(x_MD @ x_MD.T, single(0, 1, a, dtype), y_M)
    t_MS.sum().backward()
    assert t_MS.abs().max() <= 1.001
    assert raw_MD.grad.isfinite().all()


def test_identical_parents_give_their_own_similarity():
    x_MD = F.normalize(torch.tensor([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]], dtype=torch.float64), dim=1)
    g_MM = x_MD @ x_MD.T
    t_MS = synthetic_similarity(g_MM, single(0, 1, 0.37), torch.zeros(3, dtype=torch.long))
    torch.testing.assert_close(t_MS[:, 0], g_MM[:, 0], rtol=0, atol=1e-12)
