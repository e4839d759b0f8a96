import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.rebalance.schedule import count_hard
from sharprecl.rebalance.synthetic import plan_synthetic


def problem(seed=0, texts=8, classes=4, dim=6, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    y_B = torch.randint(classes, (texts,), generator=generator)
    y_M = torch.cat([y_B, y_B, torch.arange(classes)])
    x_MD = F.normalize(torch.randn(len(y_M), dim, generator=generator, dtype=torch.float64), dim=1)
    return x_MD.to(dtype), y_M


def plan(x_MD, y_M, classes=4, n_pos=4, n_neg=9, top_k=3, ratio=0.5, alpha=0.5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return plan_synthetic(x_MD @ x_MD.T, y_M, classes, n_pos, n_neg, top_k, ratio, alpha, generator)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1000),
    texts=st.integers(1, 10),
    n_pos=st.integers(0, 12),
    n_neg=st.integers(0, 12),
    top_k=st.integers(1, 30),
    ratio=st.floats(0, 1),
    alpha=st.sampled_from([0.5, 1.5]),
)
def test_every_class_has_the_same_number_and_parents_have_the_right_label(
    seed, texts, n_pos, n_neg, top_k, ratio, alpha
):
    x_MD, y_M = problem(seed, texts)
    made = plan(x_MD, y_M, 4, n_pos, n_neg, top_k, ratio, alpha)
    classes_C1 = torch.arange(4)[:, None]
    for parents in (made.i_CS, made.j_CS):
        assert parents.shape == (4, n_pos + n_neg)
        assert (y_M[parents[:, :n_pos]] == classes_C1).all()
        assert (y_M[parents[:, n_pos:]] != classes_C1).all()
    assert made.a_CS.shape == (4, n_pos + n_neg)
    assert ((made.a_CS >= 0) & (made.a_CS <= 1)).all()
    simple = torch.ones(n_pos + n_neg, dtype=torch.bool)
    simple[: count_hard(ratio, n_pos)] = False
    simple[n_pos : n_pos + count_hard(ratio, n_neg)] = False
    assert (made.i_CS == made.j_CS)[:, simple].all()
    assert (made.a_CS[:, simple] == 1).all()


def test_hard_columns_come_from_the_hard_sets():
    x_MD, y_M = problem(texts=20)
    made = plan(x_MD, y_M, n_pos=30, n_neg=30, top_k=2, ratio=1.0)
    near_CM = x_MD[-4:] @ x_MD.T
    for c in range(4):
        members, others = torch.nonzero(y_M == c).flatten(), torch.nonzero(y_M != c).flatten()
        far = set(members[near_CM[c, members].argsort()[:2]].tolist())
        close = set(others[near_CM[c, others].argsort(descending=True)[:2]].tolist())
        for parents in (made.i_CS[c].tolist(), made.j_CS[c].tolist()):
            assert (set(parents[:30]), set(parents[30:])) == (far, close)


def test_takes_a_fixed_count_of_draws_whatever_the_ratio():
    x_MD, y_M = problem()
    states = []
    for ratio in (0.0, 0.5, 1.0):
        generator = torch.Generator().manual_seed(5)
        plan_synthetic(x_MD @ x_MD.T, y_M, 4, 3, 7, 5, ratio, 0.5, generator)
        states.append(generator.get_state())
    assert torch.equal(states[0], states[1])
    assert torch.equal(states[0], states[2])


def test_same_seed_same_plan_in_float32_and_float64():
    _, y_M = problem()
    single, double = (plan(problem(dtype=dtype)[0], y_M) for dtype in (torch.float32, torch.float64))
    assert torch.equal(single.i_CS, double.i_CS)
    assert torch.equal(single.j_CS, double.j_CS)
    assert (single.a_CS.dtype, double.a_CS.dtype) == (torch.float32, torch.float64)
    torch.testing.assert_close(single.a_CS, double.a_CS.float(), rtol=0, atol=0)


def test_other_seeds_make_other_plans():
    x_MD, y_M = problem()
    assert not torch.equal(plan(x_MD, y_M, seed=0).i_CS, plan(x_MD, y_M, seed=1).i_CS)


def test_global_random_state_is_left_alone():
    before = torch.get_rng_state()
    plan(*problem())
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(("texts", "classes"), [(1, 2), (3, 2), (4, 1000)])
def test_extreme_numbers_of_classes(texts, classes):
    x_MD, y_M = problem(texts=texts, classes=classes)
    made = plan(x_MD, y_M, classes=classes, top_k=20)
    assert (y_M[made.i_CS[:, :4]] == torch.arange(classes)[:, None]).all()
    assert (y_M[made.i_CS[:, 4:]] != torch.arange(classes)[:, None]).all()
