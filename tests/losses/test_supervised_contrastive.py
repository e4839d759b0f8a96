import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_one_view as oracles
from known import CASES, expected, tensor
from sharprecl.losses import reducers
from sharprecl.losses.supervised_contrastive import has_positive, supervised_contrastive

TAU = 0.3


def ours(x_ND, y_N, tau=TAU):
    z_ND = F.normalize(x_ND, dim=1)
    return supervised_contrastive(z_ND @ z_ND.T, y_N, tau)


def known(case):
    inputs = CASES[case]["inputs"]
    return tensor(inputs["features"]), torch.tensor(inputs["labels"])


def problem(seed, n=8, classes=3, dim=5):
    generator = torch.Generator().manual_seed(seed)
    x_ND = torch.randn(n, dim, generator=generator, dtype=torch.float64)
    return x_ND, torch.randint(classes, (n,), generator=generator)


def test_known_answers():
    x_ND, y_N = known("sclce")
    l_N = ours(x_ND, y_N)
    per_anchor = expected("sclce", "per_anchor")
    assert l_N.tolist() == pytest.approx([value or 0.0 for value in per_anchor], rel=1e-6)
    assert has_positive(y_N).tolist() == [value is not None for value in per_anchor]
    assert reducers.sum(l_N).item() == pytest.approx(expected("sclce", "scl_sum_over_anchors"), rel=1e-6)
    assert reducers.mean(l_N).item() == pytest.approx(expected("sclce", "scl_mean_over_batch"), rel=1e-6)
    valid = reducers.mean_of_valid(l_N, has_positive(y_N)).item()
    assert valid == pytest.approx(expected("sclce", "scl_mean_over_valid_anchors"), rel=1e-6)


def test_known_answer_of_a_single_class():
    l_N = ours(*known("sclce_single_class_batch"))
    assert l_N.mean().item() == pytest.approx(expected("sclce_single_class_batch", "scl_mean"), rel=1e-6)


def test_known_answer_without_positives_is_exactly_zero_with_zero_gradient():
    x_ND, y_N = known("sclce_no_positive_batch")
    l_N = ours(x_ND.requires_grad_(), y_N)
    assert l_N.tolist() == [expected("sclce_no_positive_batch", "scl_mean_over_batch")] * 6
    assert not has_positive(y_N).any()
    l_N.mean().backward()
    assert x_ND.grad.abs().max().item() == 0.0


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 9), classes=st.integers(1, 5), tau=st.sampled_from([0.05, 0.3]))
def test_equals_the_oracle(seed, n, classes, tau):
    x_ND, y_N = problem(seed, n, classes)
    torch.testing.assert_close(ours(x_ND, y_N, tau), oracles.supervised_contrastive(x_ND, y_N, tau), rtol=0, atol=1e-10)
    labels = y_N.tolist()
    assert has_positive(y_N).tolist() == [labels.count(y) > 1 for y in labels]


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), order=st.permutations(range(8)), size=st.floats(0.1, 50.0))
def test_permuting_and_scaling_the_features(seed, order, size):
    x_ND, y_N = problem(seed)
    torch.testing.assert_close(ours(size * x_ND[order], y_N[order]), ours(x_ND, y_N)[order], rtol=0, atol=1e-11)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), names=st.permutations(range(3)))
def test_relabelling_the_classes_changes_nothing(seed, names):
    x_ND, y_N = problem(seed)
    torch.testing.assert_close(ours(x_ND, torch.tensor(names)[y_N]), ours(x_ND, y_N), rtol=0, atol=1e-12)


def test_gradcheck():
    x_ND, y_N = problem(3, n=6, dim=3)
    assert torch.autograd.gradcheck(lambda x: ours(x, y_N), [x_ND.requires_grad_()])


def test_float32_agrees_with_float64():
    x_ND, y_N = problem(5)
    torch.testing.assert_close(ours(x_ND.float(), y_N).double(), ours(x_ND, y_N), rtol=1e-5, atol=1e-5)


def test_bfloat16_agrees_roughly():
    # Cosines are rounded to 2^-9 and divided by 0.3, the logarithm of a sum about 3 is rounded to 2^-7.
    x_ND, y_N = problem(5)
    half = ours(x_ND.bfloat16(), y_N)
    torch.testing.assert_close(half.double(), ours(x_ND.bfloat16().double(), y_N), rtol=0.03, atol=0.03)
