import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_two_branch as oracles
from known import CASES, expected, tensor
from sharprecl.losses.contrastive import contrastive
from sharprecl.losses.supervised_contrastive import supervised_contrastive
from sharprecl.losses.targeted_contrastive import targeted_contrastive


def queue_case():
    """g_NJ, positive_NJ, t_NC and target_N of the case tsc: the candidates are the own augmentation and the queue."""
    inputs = CASES["tsc"]["inputs"]
    q, augmented = tensor(inputs["q"]), tensor(inputs["k_aug"])
    g_NJ = torch.cat([(q * augmented).sum(1, keepdim=True), q @ tensor(inputs["queue"]).T], dim=1)
    selected = torch.tensor(inputs["positives_selected_from_queue"]).bool()
    positive_NJ = torch.cat([torch.ones(3, 1, dtype=torch.bool), selected], dim=1)
    target_N = torch.tensor(expected("tsc", "hungarian"))[torch.tensor(inputs["labels"])]
    return g_NJ, positive_NJ, q @ tensor(inputs["targets"]).T, target_N


@pytest.mark.parametrize(("normalizer", "key"), [("paper", "paper_form"), ("code", "official_code_form")])
def test_known_answer_tsc(normalizer, key):
    g_NJ, positive_NJ, t_NC, target_N = queue_case()
    everything = torch.ones_like(positive_NJ)
    l_N = targeted_contrastive(g_NJ, positive_NJ, everything, t_NC, target_N, 0.07, 0.2, normalizer)
    assert l_N.mean().item() == pytest.approx(expected("tsc", key), rel=1e-6)


def test_known_answer_tsc_before_the_targets():
    g_NJ, positive_NJ, _, _ = queue_case()
    l_N = contrastive(g_NJ, positive_NJ, torch.ones_like(positive_NJ), 0.07)
    assert l_N.mean().item() == pytest.approx(expected("tsc", "kcl_warmup_loss"), rel=1e-6)


def in_batch(z_ND, y_N):
    itself_NN = torch.eye(len(y_N), dtype=torch.bool)
    return z_ND @ z_ND.T, (y_N[:, None] == y_N[None, :]) & ~itself_NN, ~itself_NN


def test_known_answer_tsc_in_batch():
    inputs = CASES["tsc_in_batch"]["inputs"]
    z_ND = F.normalize(tensor(inputs["z_view1"] + inputs["z_view2"]), dim=1)
    y_N = torch.tensor(inputs["labels"] * 2)
    t_NC = z_ND @ tensor(inputs["targets"]).T
    target_N = torch.tensor(inputs["class_to_target"])[y_N]
    class_term, total = (
        targeted_contrastive(*in_batch(z_ND, y_N), t_NC, target_N, 0.1, weight).mean().item() for weight in (0.0, 0.2)
    )
    assert class_term == pytest.approx(expected("tsc_in_batch", "class_term_mean"), rel=1e-6)
    assert total == pytest.approx(expected("tsc_in_batch", "total"), rel=1e-6)
    assert (total - class_term) / 0.2 == pytest.approx(expected("tsc_in_batch", "target_term_mean"), rel=1e-6)


def random_problem(seed, n=6, classes=3, dim=4):
    """Any candidates and positives among nine items; anchor 0 has no positive."""
    generator = torch.Generator().manual_seed(seed)
    z_ND, v_JD, t_CD = (torch.randn(k, dim, generator=generator, dtype=torch.float64) for k in (n, 9, classes))
    candidate_NJ = torch.rand(n, 9, generator=generator) < 0.7
    candidate_NJ[:, 0] = True
    positive_NJ = candidate_NJ & (torch.rand(n, 9, generator=generator) < 0.5)
    positive_NJ[0] = False
    positive_NJ[1, 0] = True
    target_N = torch.randint(classes, (n,), generator=generator)
    return z_ND, v_JD, t_CD, positive_NJ, candidate_NJ, target_N


def ours(z_ND, v_JD, t_CD, positive_NJ, candidate_NJ, target_N, tau=0.1, weight=0.2, normalizer="paper"):
    z_ND, v_JD, t_CD = (F.normalize(x, dim=1) for x in (z_ND, v_JD, t_CD))
    args = z_ND @ v_JD.T, positive_NJ, candidate_NJ
    if len(t_CD) == 0:
        return contrastive(*args, tau)
    return targeted_contrastive(*args, z_ND @ t_CD.T, target_N, tau, weight, normalizer)


def theirs(z_ND, v_JD, t_CD, positive_NJ, candidate_NJ, target_N, tau=0.1, weight=0.2, normalizer="paper"):
    units = [oracles.unit(v) for v in v_JD]
    rows = [torch.nonzero(row).flatten().tolist() for row in candidate_NJ]
    return oracles.targeted(
        [oracles.unit(z) for z in z_ND],
        [[units[j] for j in row] for row in rows],
        [[k for k, j in enumerate(row) if positive_NJ[i, j]] for i, row in enumerate(rows)],
        [oracles.unit(t) for t in t_CD],
        target_N.tolist(),
        tau,
        weight,
        normalizer,
    )


@pytest.mark.parametrize(("classes", "normalizer"), [(3, "paper"), (3, "code"), (0, "paper")])
@pytest.mark.parametrize("tau", [0.05, 0.1, 1.0])
def test_equals_the_oracle_in_value_and_gradient(classes, normalizer, tau):
    z_ND, v_JD, t_CD, *rest = random_problem(1)
    t_CD = t_CD[:classes]
    args = [z_ND.requires_grad_(), v_JD.requires_grad_()]
    results = []
    for way in (ours, theirs):
        l_N = way(z_ND, v_JD, t_CD, *rest, tau, 0.7, normalizer)
        results.append((l_N, *torch.autograd.grad((l_N * torch.arange(1.0, 7)).sum(), args)))
    for mine, other in zip(*results, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("classes", "normalizer"), [(3, "paper"), (3, "code"), (0, "paper")])
def test_gradcheck(classes, normalizer):
    z_ND, v_JD, t_CD, *rest = random_problem(2, n=3)
    args = [z_ND.requires_grad_(), v_JD.requires_grad_()]
    assert torch.autograd.gradcheck(lambda z, v: ours(z, v, t_CD[:classes], *rest, 0.3, 0.2, normalizer), args)


@pytest.mark.parametrize("tau", [0.05, 0.1])
@pytest.mark.parametrize("normalizer", ["paper", "code"])
def test_float32_agrees_with_float64(tau, normalizer):
    z_ND, v_JD, t_CD, *rest = random_problem(3)
    single = ours(z_ND.float(), v_JD.float(), t_CD.float(), *rest, tau, 0.2, normalizer)
    double = ours(z_ND, v_JD, t_CD, *rest, tau, 0.2, normalizer)
    torch.testing.assert_close(single.double(), double, rtol=1e-5, atol=1e-5)


def test_bfloat16_follows_within_its_8_bits():
    z_ND, v_JD, t_CD, *rest = random_problem(3)
    rough = ours(z_ND.bfloat16(), v_JD.bfloat16(), t_CD.bfloat16(), *rest)
    # A cosine is right to 2^-8 or so, a tenth of which is the temperature, and the sums round again.
    torch.testing.assert_close(rough.double(), ours(z_ND, v_JD, t_CD, *rest), rtol=0.03, atol=0.15)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), normalizer=st.sampled_from(["paper", "code"]))
def test_never_negative_and_more_with_a_larger_weight(seed, normalizer):
    light, heavy = (ours(*random_problem(seed), weight=w, normalizer=normalizer) for w in (0.0, 0.5))
    assert (light >= -1e-12).all()
    assert (heavy >= light - 1e-12).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_a_weight_of_0_without_targets_is_kcl_and_that_with_all_positives_supervised_contrastive(seed):
    z_ND, _, t_CD, _, _, target_N = random_problem(seed)
    y_N = target_N
    z_ND = F.normalize(z_ND, dim=1)
    kcl = contrastive(*in_batch(z_ND, y_N), 0.1)
    nowhere_NC = torch.full((6, len(t_CD)), -torch.inf, dtype=torch.float64)
    # Targets infinitely far away are no targets; their own term, weighted by 0, must not be asked for.
    tsc = targeted_contrastive(*in_batch(z_ND, y_N), nowhere_NC.clamp(min=-1e6), target_N, 0.1, 0.0)
    torch.testing.assert_close(tsc, kcl, rtol=0, atol=1e-10)
    torch.testing.assert_close(kcl, supervised_contrastive(z_ND @ z_ND.T, y_N, 0.1), rtol=0, atol=1e-10)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), order=st.permutations(range(6)), places=st.permutations(range(9)))
def test_order_of_anchors_and_candidates_does_not_matter(seed, order, places):
    z_ND, v_JD, t_CD, positive_NJ, candidate_NJ, target_N = random_problem(seed)
    rest = positive_NJ[order][:, places], candidate_NJ[order][:, places], target_N[order]
    mine = ours(z_ND[order], v_JD[places], t_CD, *rest)
    base = ours(z_ND, v_JD, t_CD, positive_NJ, candidate_NJ, target_N)
    torch.testing.assert_close(mine, base[order], rtol=0, atol=1e-10)


@pytest.mark.parametrize("compared", [True, False], ids=["no positive", "nothing to compare with"])
@pytest.mark.parametrize("others", [0, 2])
def test_kcl_without_positives_is_exactly_0_with_a_zero_gradient(compared, others):
    g_NJ = torch.full((2, others), 0.5, requires_grad=True)
    candidate_NJ = torch.full((2, others), compared)
    l_N = contrastive(g_NJ, torch.zeros_like(candidate_NJ), candidate_NJ, 0.1)
    l_N.sum().backward()
    assert l_N.tolist() == [0.0, 0.0]
    assert g_NJ.grad.abs().sum().item() == 0.0


@pytest.mark.parametrize("normalizer", ["paper", "code"])
def test_without_positives_the_target_alone_pulls(normalizer):
    nothing = torch.zeros(1, 0, dtype=torch.bool)
    t_NC = torch.tensor([[0.9, -0.5]], requires_grad=True)
    l_N = targeted_contrastive(t_NC[:, :0], nothing, nothing, t_NC, torch.tensor([0]), 0.1, 0.2, normalizer)
    l_N.sum().backward()
    assert l_N.item() == pytest.approx(0.2 * torch.log1p(torch.exp(torch.tensor(-14.0))).item(), rel=1e-4, abs=1e-7)
    assert t_NC.grad.isfinite().all()
