import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from sharprecl.rebalance.simple_sampling import LabelBlocks, floor_times

Y_M = torch.tensor([2, 0, 1, 0, 2, 2, 0, 1, 2, 0, 1, 2, 3])


def uniform(*shape, seed=0):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@settings(deadline=None)
@given(labels=st.lists(st.integers(0, 4), max_size=15), seed=st.integers(0, 1000))
def test_members_have_the_label_and_others_do_not(labels, seed):
    y_M = torch.tensor([*labels, 0, 1, 2, 3, 4])  # The prototypes: every class is there.
    blocks = LabelBlocks.of(y_M, 5)
    classes_C1 = torch.arange(5)[:, None]
    assert (y_M[blocks.members(uniform(5, 40, seed=seed))] == classes_C1).all()
    assert (y_M[blocks.others(uniform(5, 40, seed=seed))] != classes_C1).all()


def test_the_ends_of_the_unit_interval_reach_the_ends_of_the_blocks():
    blocks = LabelBlocks.of(Y_M, 4)
    u_CS = torch.tensor([[0.0, 1 - 2**-53]], dtype=torch.float64).expand(4, 2)
    assert blocks.members(u_CS).tolist() == [[1, 9], [2, 10], [0, 11], [12, 12]]
    assert blocks.others(u_CS).tolist() == [[2, 12], [1, 12], [1, 12], [1, 11]]


@pytest.mark.parametrize("kind", ["members", "others"])
def test_uniform_over_the_whole_pool(kind):
    blocks = LabelBlocks.of(Y_M, 4)
    drawn_CS = getattr(blocks, kind)(uniform(4, 20_000, seed=1))
    for c in range(4):
        pool = torch.nonzero((c == Y_M) == (kind == "members")).flatten()
        counts = torch.bincount(drawn_CS[c], minlength=len(Y_M))
        assert counts.sum() == counts[pool].sum()
        assert len(pool) == 1 or chisquare(counts[pool].numpy()).pvalue > 1e-3


@given(st.integers(1, 2**20))
def test_the_largest_uniform_number_never_rounds_up(n):
    assert floor_times(torch.tensor(1 - 2**-53, dtype=torch.float64), torch.tensor(n)).item() == n - 1
