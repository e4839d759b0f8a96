"""Loss terms are computed in float32 or better, whatever the encoder computes in."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from sharprecl.models.features import Features


@contextmanager
def full_precision(features: Features) -> Iterator[Features]:
    """Yield the features in float32 (float64 stays float64), with autocast switched off inside the block."""
    with torch.autocast(features.x_NH.device.type, enabled=False):
        yield Features(*(_at_least_float32(t) for t in (features.x_NH, features.s_NC, features.w_CH)))


def _at_least_float32(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))
