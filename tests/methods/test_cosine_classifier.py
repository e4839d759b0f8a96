import copy

import pytest
import torch

import oracles_one_view as oracles
from sharprecl.methods.cosine_classifier import CosineClassifier, cosine_logits


def problem(n=7, classes=4, width=5, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(k, width, generator=generator, dtype=torch.float64) for k in (n, classes)]


def linear(w_CH, bias=True):
    layer = torch.nn.Linear(w_CH.shape[1], len(w_CH), bias=bias).double()
    layer.weight.data.copy_(w_CH)
    return layer


def test_equals_the_oracle():
    x_NH, w_CH = problem()
    torch.testing.assert_close(cosine_logits(x_NH, w_CH, 30.0), 30 * oracles.cosines(x_NH, w_CH), rtol=0, atol=1e-10)


def test_gradcheck_and_zeros():
    args = [t.requires_grad_() for t in problem(3, 2, 3)]
    assert torch.autograd.gradcheck(lambda x, w: cosine_logits(x, w, 3.0), args)
    zeros = torch.zeros(2, 3, requires_grad=True)
    s_NC = cosine_logits(zeros, zeros, 30.0)
    s_NC.sum().backward()
    assert s_NC.tolist() == [[0.0, 0.0]] * 2
    assert zeros.grad.isfinite().all()


@pytest.mark.parametrize("bias", [True, False])
def test_settled_it_has_the_same_argmax_and_about_the_same_probabilities(bias):
    x_NH, w_CH = problem(50)
    w_CH *= torch.tensor([0.01, 1.0, 5.0, 100.0])[:, None]  # rows of all lengths
    cosine, layer = CosineClassifier(8.0).double(), linear(w_CH, bias)
    assert not torch.equal(layer(x_NH).argmax(1), cosine_logits(x_NH, w_CH, 8.0).argmax(1))
    s_NC = cosine.logits(x_NH, w_CH, training=True)
    cosine.finalize(layer)
    torch.testing.assert_close(layer(x_NH).argmax(1), s_NC.argmax(1))
    # The fold is exact for a feature of the usual length.
    same_NH = x_NH / x_NH.norm(dim=1, keepdim=True) * cosine.mean_norm
    torch.testing.assert_close(layer(same_NH), s_NC, rtol=0, atol=1e-6)


def test_follows_the_length_of_features_in_training_alone():
    x_NH, w_CH = problem()
    cosine = CosineClassifier(30.0).double()
    cosine.logits(100 * x_NH, w_CH, training=False)
    assert cosine.mean_norm.item() == 0.0
    cosine.logits(x_NH, w_CH, training=True)
    usual = x_NH.norm(dim=1).mean().item()
    assert cosine.mean_norm.item() == pytest.approx(usual)
    cosine.logits(3 * x_NH, w_CH, training=True)
    assert usual < cosine.mean_norm.item() < 3 * usual
    for _ in range(200):
        cosine.logits(3 * x_NH, w_CH, training=True)
    assert cosine.mean_norm.item() == pytest.approx(3 * usual)


def test_untrained_it_settles_as_if_features_had_length_1():
    x_NH, w_CH = problem()
    layer = linear(w_CH)
    CosineClassifier(30.0).double().finalize(layer)
    unit_NH = x_NH / x_NH.norm(dim=1, keepdim=True)
    torch.testing.assert_close(layer(unit_NH), cosine_logits(x_NH, w_CH, 30.0))


def test_state_dict_round_trip():
    x_NH, w_CH = problem()
    one, two = CosineClassifier(30.0).double(), CosineClassifier(30.0).double()
    one.logits(x_NH, w_CH, training=True)
    two.load_state_dict(copy.deepcopy(one.state_dict()))
    layers = [linear(w_CH), linear(w_CH)]
    for cosine, layer in zip((one, two), layers, strict=True):
        cosine.logits(2 * x_NH, w_CH, training=True)
        cosine.finalize(layer)
    assert torch.equal(layers[0].weight, layers[1].weight)


def test_mean_norm_has_no_gradient_and_keeps_its_precision():
    x_NH, w_CH = problem()
    cosine = CosineClassifier(30.0)
    cosine.logits(x_NH.float().requires_grad_(), w_CH.float(), training=True)
    assert not cosine.mean_norm.requires_grad
    assert cosine.mean_norm.dtype == torch.float32
