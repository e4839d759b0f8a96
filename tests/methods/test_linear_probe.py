import numpy as np
import pytest
import torch

from sharprecl.methods.linear_probe import fit_linear_probe


def clusters(sizes, width=64, noise=0.3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    y_N = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    centres_CH = torch.randn(len(sizes), width, generator=generator)
    return centres_CH[y_N] + noise * torch.randn(len(y_N), width, generator=generator), y_N


@pytest.mark.parametrize("sizes", [[300, 30, 3], [2, 2, 1], [1, 1]], ids=["long tail", "five texts", "two texts"])
def test_separable_classes_are_told_apart_however_few(sizes):
    x_NH, y_N = clusters(sizes)
    w_CH = fit_linear_probe(x_NH, y_N, len(sizes), 10, np.random.default_rng(0))
    assert torch.equal((x_NH @ w_CH.T).argmax(1), y_N)


def test_the_rare_class_is_recalled_as_well_as_the_frequent_one():
    x_NH, y_N = clusters([2000, 200], noise=4.0)
    w_CH = fit_linear_probe(x_NH, y_N, 2, 10, np.random.default_rng(0))
    right_N = (x_NH @ w_CH.T).argmax(1) == y_N
    recalls = [right_N[y_N == c].float().mean().item() for c in (0, 1)]
    assert abs(recalls[0] - recalls[1]) < 0.15
    assert min(recalls) > 0.6


def test_comes_near_the_minimum_of_the_balanced_cross_entropy():
    x_NH, y_N = clusters([200, 200, 200], width=8, noise=1.5)
    w_CH = fit_linear_probe(x_NH, y_N, 3, 300, np.random.default_rng(0))
    best_CH = torch.zeros(3, 8, requires_grad=True)
    lbfgs = torch.optim.LBFGS([best_CH], max_iter=100)

    def loss():
        lbfgs.zero_grad()
        value = torch.nn.functional.cross_entropy(x_NH @ best_CH.T, y_N)
        value.backward()
        return value

    lbfgs.step(loss)
    ours = torch.nn.functional.cross_entropy(x_NH @ w_CH.T, y_N).item()
    assert ours == pytest.approx(loss().item(), abs=0.03)


@pytest.mark.parametrize("times", [1e-3, 1e3])
def test_the_size_of_the_features_does_not_matter(times):
    x_NH, y_N = clusters([50, 5], noise=3.0)
    one, other = (fit_linear_probe(x, y_N, 2, 1, np.random.default_rng(0)) for x in (x_NH, times * x_NH))
    torch.testing.assert_close(times * other, one, rtol=1e-3, atol=1e-4)


def test_features_of_zeros_are_finite():
    assert fit_linear_probe(torch.zeros(4, 3), torch.arange(4) % 2, 2, 1, np.random.default_rng(0)).isfinite().all()


def test_follows_its_generator_alone():
    x_NH, y_N = clusters([50, 5])
    before = torch.get_rng_state()
    one, again, other = (fit_linear_probe(x_NH, y_N, 2, 1, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_more_epochs_make_more_steps_and_absent_classes_stay_finite():
    x_NH, y_N = clusters([3000])
    short, long = (fit_linear_probe(x_NH, y_N, 3, epochs, np.random.default_rng(0)) for epochs in (1, 20))
    assert long.isfinite().all()
    assert long[0].norm() > short[0].norm()


def test_computes_in_float32_without_a_graph():
    x_NH, y_N = clusters([20, 5])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = fit_linear_probe(x_NH, y_N, 2, 1, np.random.default_rng(0))
    plain = fit_linear_probe(x_NH, y_N, 2, 1, np.random.default_rng(0))
    assert torch.equal(mixed, plain)
    assert mixed.dtype == torch.float32
    assert not mixed.requires_grad
    assert mixed.grad is None
