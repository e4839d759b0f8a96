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
        labels = features.t_NCH
        yield Features(
            _at_least_float32(features.x_NH),
            _at_least_float32(features.s_NC),
            _at_least_float32(features.w_CH),
            None if labels is None else _at_least_float32(labels),
            None if features.b_C is None else _at_least_float32(features.b_C),
        )


def _at_least_float32(t: Tensor) -> Tensor:
    return t.to(torch.promote_types(t.dtype, torch.float32))
