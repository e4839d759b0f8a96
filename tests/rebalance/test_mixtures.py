"""Mixtures for the classifier: whose, how often, how long."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.rebalance.mixtures import Mixtures, mixed_features, plan_mixtures


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_mixed_features_equal_the_loop_and_a_layer_normalisation():
    x_NH = F.layer_norm(torch.randn(6, 8, generator=generator(), dtype=torch.float64), (8,), eps=0.0)
    mixtures = Mixtures(torch.tensor([0, 3, 5]), torch.tensor([1, 3, 2]), torch.tensor([0.3, 0.7, 1.0]).double())
    found = mixed_features(x_NH, mixtures)
    for s, (i, j, a) in enumerate(zip([0, 3, 5], [1, 3, 2], [0.3, 0.7, 1.0], strict=True)):
        mixed = a * x_NH[i] + (1 - a) * x_NH[j]
        wanted = mixed / mixed.norm() * (a * x_NH[i].norm() + (1 - a) * x_NH[j].norm())
        torch.testing.assert_close(found[s], wanted, rtol=1e-6, atol=1e-6)
        torch.testing.assert_close(found[s], F.layer_norm(mixed, (8,), eps=0.0), rtol=1e-6, atol=1e-6)


def test_gradients_are_right_and_opposite_parents_finite():
    x_NH = torch.randn(4, 3, generator=generator(), dtype=torch.float64, requires_grad=True)
    mixtures = Mixtures(torch.tensor([0, 1]), torch.tensor([2, 3]), torch.tensor([0.2, 0.9]).double())
    assert torch.autograd.gradcheck(lambda x: mixed_features(x, mixtures), x_NH)
    opposite = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], requires_grad=True)
    half = Mixtures(torch.tensor([0]), torch.tensor([1]), torch.tensor([0.5]))
    mixed = mixed_features(opposite, half)
    mixed.sum().backward()
    assert mixed.isfinite().all()
    assert opposite.grad.isfinite().all()


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=20),
    st.sampled_from(["balanced", "hard", "within"]),
    st.integers(0, 99),
)
def test_parents_are_of_the_classes_that_they_stand_for(labels, partners, seed):
    y_N = torch.tensor(labels)
    g_CN = torch.rand(5, len(labels), generator=generator(seed))
    mixtures = plan_mixtures(y_N, 5, 0.5, generator(seed), partners, g_CN, top_k=3)
    assert len(mixtures.i_S) == len(mixtures.j_S) == len(mixtures.a_S) == len(labels)
    assert ((mixtures.a_S >= 0) & (mixtures.a_S <= 1)).all()
    several = len(set(labels)) > 1
    if partners == "balanced" or not several:
        assert mixtures.i_S.tolist() == list(range(len(labels)))
    elif partners == "within":
        assert torch.equal(y_N[mixtures.i_S], y_N[mixtures.j_S])
    else:
        assert (y_N[mixtures.i_S] != y_N[mixtures.j_S]).all()
        for i, j in zip(mixtures.i_S.tolist(), mixtures.j_S.tolist(), strict=True):
            others = [n for n in range(len(labels)) if labels[n] != labels[i]]
            hardest = sorted(others, key=lambda n: -g_CN[labels[i], n])[:3]
            assert g_CN[labels[i], j] >= g_CN[labels[i], hardest[-1]]


@pytest.mark.parametrize(("partners", "side"), [("balanced", "j_S"), ("hard", "i_S"), ("within", "i_S")])
def test_every_class_of_the_batch_comes_alike_however_rare(partners, side):
    y_N = torch.tensor([0] * 5000 + [1] * 50 + [3])
    g_CN = torch.rand(4, len(y_N), generator=generator(1))
    mixtures = plan_mixtures(y_N, 4, 0.5, generator(), partners, g_CN, top_k=20)
    share_C = y_N[getattr(mixtures, side)].bincount(minlength=4) / len(y_N)
    assert share_C[2] == 0
    assert (share_C[[0, 1, 3]] - 1 / 3).abs().max() < 0.03


def test_equal_seeds_make_equal_plans_and_use_as_many_numbers_for_all_partners():
    y_N = torch.tensor([0, 0, 1, 2])
    after = []
    for partners in ("balanced", "hard", "within"):
        g = generator(3)
        plan_mixtures(y_N, 3, 0.5, g, partners, torch.rand(3, 4))
        after.append(torch.rand((), generator=g).item())
    assert len(set(after)) == 1
