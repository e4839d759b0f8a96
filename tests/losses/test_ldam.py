import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_one_view
from sharprecl.errors import ConfigError
from sharprecl.losses.ldam import label_margins, margin_cross_entropy


def problem(seed, n=6, classes=3, dim=4):
    generator = torch.Generator().manual_seed(seed)
    x_NH, w_CH = (torch.randn(k, dim, generator=generator, dtype=torch.float64) for k in (n, classes))
    return x_NH, w_CH, torch.randint(classes, (n,), generator=generator)


def ours(x_NH, w_CH, y_N, counts, max_margin, scale):
    cos_NC = oracles_one_view.cosines(x_NH, w_CH)
    return margin_cross_entropy(scale * cos_NC, y_N, scale * label_margins(torch.tensor(counts), max_margin))


def test_margins_by_hand():
    # 10000^(-1/4) = 1/10, 16^(-1/4) = 1/2, 1^(-1/4) = 1.
    assert label_margins(torch.tensor([10000, 16, 1]), 0.5).tolist() == pytest.approx([0.05, 0.25, 0.5])


@pytest.mark.parametrize("counts", [[50, 10, 5], [3, 3], [7]])
def test_margins_equal_the_oracle(counts):
    margin_C = label_margins(torch.tensor(counts), 0.3)
    assert margin_C.tolist() == pytest.approx(oracles_one_view.margins(counts, 0.3), abs=1e-12)


def test_a_class_without_texts_is_refused():
    with pytest.raises(ConfigError, match=r"class ids \[1\]"):
        label_margins(torch.tensor([3, 0]), 0.5)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), max_margin=st.sampled_from([0.0, 0.2, 0.5]), scale=st.sampled_from([1.0, 30.0]))
def test_equals_the_oracle(seed, max_margin, scale):
    args = (*problem(seed), [50, 10, 5], max_margin, scale)
    torch.testing.assert_close(ours(*args), oracles_one_view.ldam(*args), rtol=0, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_margin_makes_every_text_dearer_and_none_is_cross_entropy(seed):
    x_NH, w_CH, y_N = problem(seed)
    s_NC = x_NH @ w_CH.T
    without = margin_cross_entropy(s_NC, y_N, torch.zeros(3))
    torch.testing.assert_close(without, oracles.cross_entropy(s_NC, y_N), rtol=0, atol=1e-10)
    assert (margin_cross_entropy(s_NC, y_N, torch.tensor([0.1, 0.2, 0.5])) > without).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(6)))
def test_permuting_the_texts_permutes_the_losses(seed, order):
    x_NH, w_CH, y_N = problem(seed)
    permuted = ours(x_NH[order], w_CH, y_N[order], [50, 10, 5], 0.5, 30.0)
    torch.testing.assert_close(permuted, ours(x_NH, w_CH, y_N, [50, 10, 5], 0.5, 30.0)[order], rtol=0, atol=1e-12)


def test_gradcheck():
    x_NH, w_CH, y_N = problem(1)
    args = [x_NH.requires_grad_(), w_CH.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, w: ours(x, w, y_N, [50, 10, 5], 0.5, 5.0), args)


@pytest.mark.parametrize(
    # bfloat16: logits up to 30 are rounded to 2^-4.
    ("dtype", "tolerance"),
    [(torch.float32, 1e-5), (torch.bfloat16, 0.15)],
)
def test_lower_precision_agrees_with_float64(dtype, tolerance):
    x_NH, w_CH, y_N = problem(5)
    s_NC = 30 * oracles_one_view.cosines(x_NH, w_CH)
    margin_C = 30 * label_margins(torch.tensor([50, 10, 5]), 0.5)
    low = margin_cross_entropy(s_NC.to(dtype), y_N, margin_C)
    assert low.dtype == dtype
    torch.testing.assert_close(low.double(), margin_cross_entropy(s_NC, y_N, margin_C), rtol=tolerance, atol=tolerance)
