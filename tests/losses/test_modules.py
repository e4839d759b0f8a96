"""Losses as modules: the function on unit-length features, reduced."""

import copy
import inspect

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from sharprecl import losses
from sharprecl.losses import modules

COUNTS = [6, 2, 1]
Y_N = torch.tensor([0, 0, 1, 0, 2, 1])
NAMES = sorted(name for name, kind in vars(modules).items() if inspect.isclass(kind) and name in losses.__all__)


def _given(name: str) -> tuple[nn.Module, list[torch.Tensor]]:
    """A module with its defaults, and a batch for it; the first tensor wants a gradient."""
    generator = torch.Generator().manual_seed(4)
    x_NH, other_NH, w_CH = (torch.randn(n, 5, generator=generator) for n in (6, 6, 3))
    x_NH.requires_grad_()
    kind = getattr(losses, name)
    if name in ("CompensatedCrossEntropyLoss", "WeightedCrossEntropyLoss", "MarginCrossEntropyLoss"):
        return kind(COUNTS), [x_NH[:, :3], Y_N]
    if name in ("FocalLoss", "DiceLoss"):
        return kind(), [x_NH[:, :3], Y_N]
    if name == "InfoNCELoss":
        return kind(), [x_NH, other_NH]
    if name == "DualContrastiveLoss":
        return kind(), [x_NH, other_NH, Y_N]
    return kind(), [x_NH, Y_N] if name == "SupervisedContrastiveLoss" else [x_NH, Y_N, w_CH]


def _expected(name: str, tensors: list[torch.Tensor]) -> torch.Tensor:
    """The function with the same settings, by hand."""
    counts_C, x, *rest = torch.tensor(COUNTS), *tensors
    u = F.normalize(x, dim=1)
    d_hat, y_M = F.normalize(torch.cat([x, rest[-1]]), dim=1) if rest[-1].ndim == 2 else u, torch.arange(3)
    y_M = torch.cat([Y_N, y_M])
    others_NN = ~torch.eye(6, dtype=torch.bool)
    return {
        "SupervisedContrastiveLoss": lambda: losses.supervised_contrastive(u @ u.T, Y_N, 0.1),
        "PrototypeContrastiveLoss": lambda: losses.prototype_contrastive(
            d_hat @ d_hat.T, torch.zeros(9, 0), y_M, 0, 0.3
        ),
        "BalancedContrastiveLoss": lambda: losses.balanced_contrastive(d_hat[:6] @ d_hat.T, y_M, 0.1),
        "PrototypicalLoss": lambda: losses.prototypical(d_hat[:6] @ d_hat[6:].T, Y_N, 0.1),
        "SupervisedPrototypicalLoss": lambda: losses.supervised_prototypical(x, rest[-1], Y_N, 0.05),
        "TargetedContrastiveLoss": lambda: losses.targeted_contrastive(
            u @ u.T, (Y_N[:, None] == Y_N) & others_NN, others_NN, d_hat[:6] @ d_hat[6:].T, Y_N, 0.1, 0.2
        ),
        "DualContrastiveLoss": lambda: losses.dual_contrastive(x, rest[0], Y_N, 0.1),
        "InfoNCELoss": lambda: losses.info_nce(u @ F.normalize(rest[0], dim=1).T, 0.05),
        "CompensatedCrossEntropyLoss": lambda: losses.compensated_cross_entropy(x, Y_N, losses.log_prior(counts_C)),
        "WeightedCrossEntropyLoss": lambda: (
            losses.classification_weights("effective_number", counts_C)[Y_N] * losses.cross_entropy(x, Y_N)
        ),
        "MarginCrossEntropyLoss": lambda: losses.margin_cross_entropy(
            30 * x, Y_N, 30 * losses.label_margins(counts_C, 0.5)
        ),
        "FocalLoss": lambda: losses.focal(x, Y_N, 2.0),
        "DiceLoss": lambda: losses.dice(x, Y_N, 0.01, 1.0),
    }[name]()


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_function_reduced(name: str) -> None:
    loss, tensors = _given(name)
    expected_N = _expected(name, tensors).float()
    for reduction, expected in (("none", expected_N), ("mean", expected_N.mean()), ("sum", expected_N.sum())):
        loss.reduction = reduction
        torch.testing.assert_close(loss(*tensors), expected)


@pytest.mark.parametrize("name", NAMES)
def test_it_trains_copies_and_shows_its_settings(name: str) -> None:
    loss, tensors = _given(name)
    value = copy.deepcopy(loss)(*tensors)
    value.backward()
    assert not list(loss.parameters())
    assert repr(loss).startswith(f"{name}(")
    assert "reduction='mean'" in repr(loss)
    for setting in set(inspect.signature(type(loss)).parameters) - {"class_counts", "reduction"}:
        assert f"{setting}=" in repr(loss)


def test_every_loss_over_anchors_is_a_module() -> None:
    """What has none is a part of another loss, a weight, or takes drawn rows."""
    parts = {"anchor_weights", "classification_weights", "label_margins", "log_prior", "contrastive", "cross_entropy"}
    functions = {name for name in losses.__all__ if inspect.isfunction(getattr(losses, name))}
    source = inspect.getsource(modules)
    assert {name for name in functions - parts if f"return {name}(" not in source} == {
        "mixed_cross_entropy",
        "set_level_dice",
    }
