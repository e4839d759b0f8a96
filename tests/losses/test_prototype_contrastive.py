import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import oracles
from known import CASES, NO_SYNTHETIC, d_hat, expected, synthetic
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.losses.anchor_weights import anchor_weights
from sharprecl.losses.prototype_contrastive import prototype_contrastive

CASE = "sharprecl_contrastive"
COUNTS_C = torch.tensor(CASES[CASE]["inputs"]["class_counts"])
TAU = 0.3


def ours(x_MD, y_M, x_CSD, n_pos, tau=TAU, positives="mean"):
    t_MS = torch.einsum("md,msd->ms", x_MD, x_CSD[y_M])
    return prototype_contrastive(x_MD @ x_MD.T, t_MS, y_M, n_pos, tau, positives)


def random_problem(seed, n=9, classes=3, samples=5, dim=4):
    generator = torch.Generator().manual_seed(seed)
    x_MD = F.normalize(torch.randn(n, dim, generator=generator, dtype=torch.float64), dim=1)
    x_CSD = F.normalize(torch.randn(classes, samples, dim, generator=generator, dtype=torch.float64), dim=2)
    return x_MD, torch.randint(classes, (n,), generator=generator), x_CSD


def test_per_anchor_known_answer():
    x_MD, y_M = d_hat(CASE)
    l_M = ours(x_MD, y_M, synthetic(), n_pos=2)
    assert l_M.tolist() == pytest.approx(expected(CASE, "mean_over_positives_per_anchor"), abs=1e-6)


@pytest.mark.parametrize(
    ("variant", "kind", "positives"),
    [
        ("A", "none", "mean"),
        ("B", "effective_number", "mean"),
        ("C", "code_scalar", "mean"),
        ("D", "log_prior", "sum"),
        ("E", "neg_log_prior", "sum"),
        ("F", "neg_log_prior", "mean"),
        ("G", "none", "sum"),
    ],
)
def test_variants_a_to_g(variant, kind, positives):
    x_MD, y_M = d_hat(CASE)
    l_M = ours(x_MD, y_M, synthetic(), n_pos=2, positives=positives)
    loss = (anchor_weights(kind, COUNTS_C)[y_M] * l_M).mean().item()
    assert loss == pytest.approx(expected(CASE, f"{variant}_"), abs=1e-6)
    assert (loss < 0) == (variant == "D")


def test_the_printed_sign_cannot_be_configured():
    with pytest.raises(ValidationError, match="cannot be trained"):
        SharpReCLConfig(anchor_weight="log_prior")


def test_without_synthetic_samples_known_answer():
    x_MD, y_M = d_hat(CASE)
    l_M = ours(x_MD, y_M, synthetic()[:, :0], n_pos=0)
    assert l_M.mean().item() == pytest.approx(expected(NO_SYNTHETIC, "unweighted_mean"), abs=1e-6)


@pytest.mark.parametrize(("positives", "name"), [("mean", "d/dz0 of L_0, mean"), ("sum", "d/dz0 of L_0, sum")])
def test_gradient_of_anchor_0(positives, name):
    x_MD, y_M = d_hat(CASE)
    anchor_D = x_MD[0].clone().requires_grad_()
    # Only the anchor's own role counts: its row of similarities has a gradient, the targets are constants.
    g_MM = torch.cat([(x_MD @ anchor_D)[None], (x_MD @ x_MD.T)[1:]])
    t_MS = torch.einsum("md,msd->ms", torch.cat([anchor_D[None], x_MD[1:]]), synthetic()[y_M])
    loss = prototype_contrastive(g_MM, t_MS, y_M, 2, TAU, positives)[0]
    (loss if positives == "mean" else loss / len(y_M)).backward()
    assert anchor_D.grad.tolist() == pytest.approx(expected("sharprecl_gradient_anchor0", name), abs=1e-6)


@pytest.mark.parametrize("positives", ["mean", "sum"])
@pytest.mark.parametrize(("n_pos", "samples"), [(2, 5), (0, 5), (5, 5), (0, 0)])
@pytest.mark.parametrize("tau", [0.05, 0.3, 1.0])
def test_equals_the_oracle_in_value_and_gradient(positives, n_pos, samples, tau):
    x_MD, y_M, x_CSD = random_problem(seed=n_pos + samples, samples=samples)
    x_MD.requires_grad_()
    x_CSD.requires_grad_()
    weights = torch.arange(1.0, len(y_M) + 1, dtype=torch.float64)
    results = []
    for way in (ours, oracles.contrastive):
        l_M = way(x_MD, y_M, x_CSD, n_pos, tau, positives)
        grads = torch.autograd.grad((l_M * weights).sum(), [x_MD, x_CSD], allow_unused=samples == 0)
        results.append((l_M, grads[0], *grads[1:] * (samples > 0)))
    for mine, theirs in zip(*results, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-10)


def test_gradcheck():
    x_MD, y_M, x_CSD = random_problem(seed=3, n=6, samples=3, dim=3)
    args = [x_MD.requires_grad_(), x_CSD.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, v: ours(F.normalize(x, dim=1), y_M, v, 1), args)


def test_an_anchor_without_positives_is_exactly_zero_with_zero_gradient():
    g_MM = torch.full((3, 3), 0.5, dtype=torch.float64, requires_grad=True)
    l_M = prototype_contrastive(g_MM, torch.zeros(3, 0, dtype=torch.float64), torch.tensor([0, 1, 1]), 0, 0.1)
    assert l_M[0].item() == 0.0
    assert (l_M[1:] > 0).all()
    l_M[0].backward()
    assert g_MM.grad.abs().sum().item() == 0.0


@pytest.mark.parametrize("positives", ["mean", "sum"])
def test_an_anchor_alone_in_the_world_is_zero_and_finite(positives):
    g_MM = torch.ones(1, 1, requires_grad=True)
    l_M = prototype_contrastive(g_MM, torch.zeros(1, 0), torch.tensor([0]), 0, 0.1, positives)
    l_M.sum().backward()
    assert l_M.tolist() == [0.0]
    assert g_MM.grad.tolist() == [[0.0]]


@pytest.mark.parametrize("tau", [0.05, 0.3])
def test_float32_agrees_with_float64(tau):
    x_MD, y_M, x_CSD = random_problem(seed=5)
    single = ours(x_MD.float(), y_M, x_CSD.float(), 2, tau)
    torch.testing.assert_close(single.double(), ours(x_MD, y_M, x_CSD, 2, tau), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_small_temperature_in_half_precision_is_finite(dtype):
    x_MD, y_M, x_CSD = random_problem(seed=5)
    x_MD = x_MD.to(dtype).requires_grad_()
    l_M = ours(x_MD, y_M, x_CSD.to(dtype), 2, 0.05)
    l_M.sum().backward()
    assert l_M.isfinite().all()
    assert x_MD.grad.isfinite().all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 12), positives=st.sampled_from(["mean", "sum"]))
def test_never_negative(seed, n, positives):
    x_MD, y_M, x_CSD = random_problem(seed, n=n)
    assert (ours(x_MD, y_M, x_CSD, 2, positives=positives) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(9)))
def test_permuting_the_items_permutes_the_losses(seed, order):
    x_MD, y_M, x_CSD = random_problem(seed)
    permuted = ours(x_MD[order], y_M[order], x_CSD, 2)
    torch.testing.assert_close(permuted, ours(x_MD, y_M, x_CSD, 2)[order], rtol=0, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), names=st.permutations(range(3)))
def test_relabelling_the_classes_changes_nothing(seed, names):
    x_MD, y_M, x_CSD = random_problem(seed)
    new_CSD = torch.empty_like(x_CSD)
    new_CSD[names] = x_CSD
    relabelled = ours(x_MD, torch.tensor(names)[y_M], new_CSD, 2)
    torch.testing.assert_close(relabelled, ours(x_MD, y_M, x_CSD, 2), rtol=0, atol=1e-12)
