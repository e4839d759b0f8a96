import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_prototypes as oracles
from known import CASES, tensor
from sharprecl.rebalance.curriculum import difficulty, keep_probability

INPUTS, EXPECTED = CASES["spcl_curriculum"]["inputs"], CASES["spcl_curriculum"]["expected"]


def known_difficulty():
    return difficulty(tensor(INPUTS["reps"]), tensor(INPUTS["centers"]), torch.tensor(INPUTS["labels"]))


def test_known_answer_spcl_curriculum_difficulty():
    dif_N = known_difficulty()
    assert dif_N.tolist() == pytest.approx(EXPECTED["difficulty"], rel=1e-6)
    assert dif_N.argsort().tolist() == EXPECTED["order_easy_to_hard"]


@pytest.mark.parametrize("epoch", range(5))
def test_known_answer_spcl_curriculum_probabilities(epoch):
    p_N = keep_probability(known_difficulty(), epoch, CASES["spcl_curriculum"]["params"]["epochs"])
    by_rank = p_N[EXPECTED["order_easy_to_hard"]].tolist()
    assert by_rank == pytest.approx(EXPECTED["keep_prob_by_rank_per_epoch"][str(epoch)], rel=1e-6, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 30), epochs=st.integers(1, 9), data=st.data())
def test_equals_the_oracle(seed, n, epochs, data):
    epoch = data.draw(st.integers(0, epochs - 1))
    generator = torch.Generator().manual_seed(seed)
    x_NH, c_CH = (torch.randn(k, 3, generator=generator, dtype=torch.float64) for k in (n, 4))
    y_N = torch.randint(4, (n,), generator=generator)
    dif_N = difficulty(x_NH, c_CH, y_N)
    assert dif_N.tolist() == pytest.approx(oracles.difficulty(x_NH, c_CH, y_N), rel=1e-7)
    p_N = keep_probability(dif_N, epoch, epochs)
    assert p_N.tolist() == pytest.approx(oracles.keep_probability(dif_N.tolist(), epoch, epochs), abs=1e-12)
    assert p_N.mean().item() == pytest.approx(0.5)
    assert p_N.min() >= 0
    assert p_N.max() <= 1


def test_all_are_alike_halfway_and_one_text_always():
    assert keep_probability(torch.rand(5, dtype=torch.float64), 3, 6).tolist() == [0.5] * 5
    assert [keep_probability(torch.ones(1), epoch, 3).item() for epoch in range(3)] == [0.5] * 3


def test_nearly_parallel_features_in_float32_keep_their_order():
    """Those of a raw language model: 1 - cos is 1e-6, of which float32 products would leave one digit."""
    rng = np.random.Generator(np.random.PCG64(0))
    common = rng.normal(size=64)
    x_NH = torch.tensor(common + 1e-3 * rng.normal(size=(40, 64)), dtype=torch.float32)
    c_CH = torch.tensor(common + 1e-3 * rng.normal(size=(2, 64)), dtype=torch.float32)
    y_N = torch.arange(40) % 2
    exact = oracles.difficulty(x_NH.double(), c_CH.double(), y_N)
    assert difficulty(x_NH, c_CH, y_N).tolist() == pytest.approx(exact, rel=1e-6)
