import pytest
import torch
from torch import nn

from sharprecl.models.heads import ProjectionHead, prototype_head_norm


@pytest.mark.parametrize("norm", ["none", "layer", "batch"])
def test_rows_are_unit_length_and_of_the_asked_width(norm):
    z_ND = ProjectionHead(6, 4, norm)(torch.randn(5, 6, generator=torch.Generator().manual_seed(0)))
    assert z_ND.shape == (5, 4)
    torch.testing.assert_close(z_ND.norm(dim=1), torch.ones(5))


def test_is_linear_relu_linear():
    head = ProjectionHead(3, 2).double()
    x_NH = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    by_hand = (x_NH @ head.hidden.weight.T + head.hidden.bias).clamp(min=0) @ head.output.weight.T
    by_hand = by_hand + head.output.bias
    torch.testing.assert_close(head(x_NH), by_hand / by_hand.norm(dim=1, keepdim=True))


@pytest.mark.parametrize(("norm", "kind"), [("layer", nn.LayerNorm), ("batch", nn.BatchNorm1d)])
def test_normalisation_sits_before_the_relu(norm, kind):
    head = ProjectionHead(3, 2, norm)
    seen = []
    (layer,) = (module for module in head.modules() if isinstance(module, kind))
    layer.register_forward_hook(lambda _module, inputs, _output: seen.append(inputs[0]))
    x_NH = torch.randn(4, 3, generator=torch.Generator().manual_seed(0))
    head(x_NH)
    torch.testing.assert_close(seen[0], head.hidden(x_NH))


@pytest.mark.parametrize("norm", ["none", "layer", "batch"])
def test_one_row_in_training_mode(norm):
    head = ProjectionHead(3, 2, norm).train()
    z_ND = head(torch.ones(1, 3))
    z_ND.sum().backward()
    assert z_ND.isfinite().all()
    assert all(p.grad.isfinite().all() for p in head.parameters())


def test_one_row_leaves_the_running_statistics_alone():
    head = ProjectionHead(3, 2, "batch").train()
    before = head.norm.running_mean.clone()
    head(torch.ones(1, 3))
    assert torch.equal(before, head.norm.running_mean)
    head(torch.ones(2, 3))
    assert not torch.equal(before, head.norm.running_mean)


def test_a_dead_projection_is_finite():
    head = ProjectionHead(3, 2)
    nn.init.zeros_(head.output.weight)
    nn.init.zeros_(head.output.bias)
    z_ND = head(torch.ones(2, 3))
    z_ND.sum().backward()
    assert z_ND.abs().sum() == 0
    assert all(p.grad.isfinite().all() for p in head.parameters())


@pytest.mark.parametrize(
    ("norm", "classes", "answer"),
    [
        ("batch", 2, "none"),
        ("batch", 7, "none"),
        ("batch", 8, "batch"),
        ("layer", 2, "layer"),
        ("none", 52, "none"),
    ],
)
def test_prototypes_see_batch_norm_only_when_there_are_eight(norm, classes, answer):
    assert prototype_head_norm(norm, classes) == answer
