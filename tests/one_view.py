"""Batches and methods for the tests of the one-view methods."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from sharprecl.methods.base import Batch, Method, Progress
from sharprecl.models.features import Features

WIDTH = 6
START = Progress(step=0, total_steps=10, epoch=0, total_epochs=5)
END = Progress(step=9, total_steps=10, epoch=4, total_epochs=5)


def build(kind: type[Method], counts: Any, seed: int = 0, dtype: torch.dtype = torch.float64, **settings: Any) -> Any:
    backbone = SimpleNamespace(feature_dim=WIDTH, num_classes=len(counts))
    return kind.build(backbone, np.array(counts), kind.Config(**settings), seed).to(dtype)


def problem(
    kind: type[Method], labels: list[int], classes: int, seed: int = 0, dtype: torch.dtype = torch.float64
) -> tuple[Batch, Features]:
    """Random features with gradients, with as many rows a text as the method wants."""
    generator = torch.Generator().manual_seed(seed)
    views = 1 if kind.Config.views == "one" else 2

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    x_NH, w_CH, b_C = draw(views * len(labels), WIDTH), draw(classes, WIDTH), draw(classes)
    return Batch(torch.tensor(labels), views), Features(x_NH, x_NH @ w_CH.T + b_C, w_CH)


def of_logits(s_NC: torch.Tensor) -> Features:
    """Features of which only the logits matter."""
    return Features(s_NC.new_zeros(len(s_NC), WIDTH), s_NC, s_NC.new_zeros(s_NC.shape[1], WIDTH))
