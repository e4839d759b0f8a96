"""From token vectors to one feature a text.

``native`` is the checkpoint's own head up to its last linear layer (the backbone captures that layer's input).
``mean`` suits encoders that were trained as sentence encoders. ``cls`` is the raw first token, as in the paper.
"""

from typing import Any, Literal

import torch
from torch import Tensor

from sharprecl.errors import ExportError
from sharprecl.models import stock

PoolingName = Literal["native", "mean", "cls"]

_BERT_LIKE = ("bert", "roberta", "xlm-roberta", "camembert")

MEAN_EPSILON = 1e-12
"""Epsilon of the normalisation behind ``mean``. It is not the encoder's own (RoBERTa: 1e-5): the exported model
normalises a vector that is 2**9 times as long, where any epsilon vanishes, so it must vanish here too."""


def resolve_pooling(name: str, source: str) -> PoolingName:
    """Turn ``auto`` into ``mean`` for sentence encoders and ``native`` for all others."""
    if name == "auto":
        return "mean" if stock.sentence_pooling(source) else "native"
    if name in ("native", "mean", "cls"):
        return name  # type: ignore[return-value]
    raise ValueError(f"unknown pooling {name!r}: choose auto, native, mean or cls")


def masked_mean(h_NTH: Tensor, mask_NT: Tensor) -> Tensor:
    """Mean of the last hidden states over real tokens, normalised without affine parameters. Returns [N, H]."""
    weight_NT1 = mask_NT.unsqueeze(-1).to(h_NTH.dtype)
    return normalized((h_NTH * weight_NT1).sum(1) / weight_NT1.sum(1).clamp_min(1.0))


def normalized(mean_NH: Tensor) -> Tensor:
    """Layer normalisation without affine parameters."""
    return torch.nn.functional.layer_norm(mean_NH, mean_NH.shape[-1:], eps=MEAN_EPSILON)


def first_token(h_NTH: Tensor) -> Tensor:
    """The last hidden state of [CLS] (right padding). Returns [N, H]."""
    return h_NTH[:, 0]


def last_token(h_NTH: Tensor, mask_NT: Tensor) -> Tensor:
    """The state of the last real token, where decoder models read their answer. Returns [N, H]."""
    positions_T = torch.arange(mask_NT.shape[1], device=mask_NT.device)
    last_N = (positions_T * mask_NT).argmax(1)
    return h_NTH[torch.arange(len(h_NTH), device=h_NTH.device), last_N]


def check_expressible(config: Any, pooling: str) -> None:
    """Say whether the stock class can hold this pooling after training (``export/stock.py`` does it).

    Raises:
        ExportError: it cannot.
    """
    if pooling != "native" and config.model_type not in _BERT_LIKE:
        raise ExportError(
            f"the stock {config.model_type!r} classifier cannot express {pooling!r} pooling "
            f"(only {', '.join(_BERT_LIKE)} can); train with pooling 'native' to get a stock model"
        )
