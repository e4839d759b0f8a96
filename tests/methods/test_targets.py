import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_two_branch as oracles
from known import CASES, expected, tensor
from sharprecl.methods.targets import assign_targets, spread_targets

SIZES = (2, 6, 20, 23, 52)


def uniformity(t_CD):
    """mean_i log sum_j exp(t_i.t_j / 0.07), what the targets minimise."""
    return torch.logsumexp(t_CD @ t_CD.T / 0.07, dim=1).mean().item()


@pytest.mark.parametrize(("place", "classes"), list(enumerate(SIZES)))
def test_known_answer_tsc_targets(place, classes):
    t_CD = spread_targets(classes, 128)
    g_CC = t_CD @ t_CD.T
    between = expected("tsc_targets", "inner_product")[place]
    wanted = torch.full((classes, classes), between, dtype=torch.float64).fill_diagonal_(1.0)
    # The known answers are printed to ten places.
    torch.testing.assert_close(g_CC, wanted, rtol=0, atol=1e-9)
    assert uniformity(t_CD) == pytest.approx(expected("tsc_targets", "uniformity_loss_min")[place], rel=1e-9)


def test_known_answer_tsc_targets_triangle():
    triangle = tensor(expected("tsc_targets", "regular_triangle_in_4d"))
    torch.testing.assert_close(spread_targets(3, 4), triangle, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("classes", "dim"), [(1, 2), (3, 2), (5, 4), (129, 128)])
def test_the_simplex_fills_all_dimensions(classes, dim):
    t_CD = spread_targets(classes, dim)
    torch.testing.assert_close(t_CD.norm(dim=1), torch.ones(classes, dtype=torch.float64))
    assert torch.linalg.matrix_rank(t_CD) == max(classes - 1, 1)


@pytest.mark.parametrize(("classes", "dim"), [(4, 2), (12, 6)])
def test_twice_as_many_classes_as_dimensions_find_the_cross_polytope(classes, dim):
    g_CC = spread_targets(classes, dim)
    g_CC = g_CC @ g_CC.T
    off = g_CC[~torch.eye(classes, dtype=torch.bool)].sort().values
    assert off[:classes].max().item() < -0.99  # each has an opposite point
    assert off[classes:].abs().max().item() < 0.02  # and is at right angles to all others


def test_many_more_classes_are_spread_far_better_than_at_random():
    t_CD = spread_targets(300, 32)
    random_CD = torch.nn.functional.normalize(torch.randn(300, 32, generator=torch.Generator().manual_seed(0)), dim=1)
    torch.testing.assert_close(t_CD.norm(dim=1), torch.ones(300, dtype=torch.float64))
    ours, chance = ((t @ t.T).fill_diagonal_(-1).max().item() for t in (t_CD, random_CD))
    assert ours < 0.4 < 0.6 < chance
    assert uniformity(t_CD) - 1 / 0.07 < 0.3 * (uniformity(random_CD.double()) - 1 / 0.07)


def test_the_search_follows_its_seed_alone():
    before = torch.get_rng_state()
    one, again, other = (spread_targets(9, 4, seed) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_known_answer_tsc_assignment():
    inputs = CASES["tsc"]["inputs"]
    centroids_CD, targets_CD = tensor(inputs["class_centroids"]), tensor(inputs["targets"])
    target_C = assign_targets(centroids_CD, targets_CD)
    assert target_C.tolist() == expected("tsc", "hungarian_class_to_target")
    total = (centroids_CD * targets_CD[target_C]).sum().item()
    assert total == pytest.approx(expected("tsc", "assignment_total_cosine"), rel=1e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), classes=st.integers(1, 5))
def test_no_permutation_is_better(seed, classes):
    generator = torch.Generator().manual_seed(seed)
    centroids_CD = torch.randn(classes, 6, generator=generator)
    targets_CD = spread_targets(classes, 6)
    best = oracles.best_assignment(centroids_CD.double(), targets_CD)
    ours = assign_targets(centroids_CD, targets_CD).tolist()
    assert sorted(ours) == list(range(classes))
    values = [sum(float(centroids_CD[c].double() @ targets_CD[o[c]]) for c in range(classes)) for o in (ours, best)]
    assert math.isclose(*values, rel_tol=1e-9, abs_tol=1e-9)
