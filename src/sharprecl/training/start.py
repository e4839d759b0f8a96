"""Where a classifier starts: its rows, which are the prototypes, point at the means of their classes.

Rows drawn at random look alike through a projection head (cosine 0.98) and tell the classes apart only after half an
epoch. One pass of the pretrained encoder over the training texts, a third of an epoch's time, spares that.

Source: the nearest-class-mean classifier; names as class descriptions: Shi et al., ICML 2024 (LIFT), semantic-aware
initialisation.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from sharprecl.data.tokens import TokenizedTexts, tokenize

LENGTH = 0.3
"""Of every row: about that of a row drawn at random (0.02 sqrt(H) is 0.39 for MiniLM)."""

SPARSE = 5
"""Texts of a class under which its name is one text more."""


@torch.no_grad()
def start_at_means(
    classifier: nn.Linear,
    x_NH: np.ndarray,
    y_N: np.ndarray,
    named_CH: np.ndarray | None = None,
    weight_N: np.ndarray | None = None,
) -> None:
    """Write the directions from the mean of all classes to each class into a linear layer::

        w_c = LENGTH (m_c - g) / |m_c - g|,   b_c = -w_c . g,   g = mean of the m_c

    so that a text in the middle of all classes scores 0 with each.

    Args:
        classifier: linear layer [C, H].
        x_NH: features of the training texts before training; every class has at least one.
        y_N: label ids, [N].
        named_CH: features of the classes' names; a row of NaN is no name, None are none.
        weight_N: of the texts, their mean 1; None: all alike.
    """
    num_classes = classifier.out_features
    n_C = np.bincount(y_N, weight_N, minlength=num_classes)
    sum_CH = np.zeros((num_classes, x_NH.shape[1]))
    np.add.at(sum_CH, y_N, x_NH.astype(np.float64) * (1.0 if weight_N is None else weight_N[:, None]))
    if named_CH is not None:
        told_C = (n_C < SPARSE) & ~np.isnan(named_CH).any(1)
        sum_CH[told_C] += named_CH[told_C]
        n_C = n_C + told_C
    m_CH = sum_CH / n_C[:, None]
    g_H = m_CH.mean(0)
    d_CH = m_CH - g_H
    w_CH = LENGTH * d_CH / np.maximum(np.linalg.norm(d_CH, axis=1, keepdims=True), 1e-12)
    weight = classifier.weight
    weight.copy_(torch.from_numpy(w_CH).to(weight))
    if classifier.bias is not None:
        classifier.bias.copy_(torch.from_numpy(-w_CH @ g_H).to(weight))


@dataclass(frozen=True)
class ClassNames:
    """The names of the C classes as texts.

    Attributes:
        tokens: of all of them.
        speaks_C: which are made of words, and no code such as ``C09``.
    """

    tokens: TokenizedTexts
    speaks_C: np.ndarray

    @classmethod
    def of(cls, label_names: Sequence[str], tokenizer: Any, max_length: int) -> "ClassNames":
        """Tokenise them, with spaces in place of hyphens and underscores."""
        words = [re.sub(r"[-_./]+", " ", name) for name in label_names]
        speaks = [bool(re.search(r"[^\W\d_]{3}", name)) and not re.search(r"\d", name) for name in words]
        return cls(tokenize(words, tokenizer, max_length), np.array(speaks))
