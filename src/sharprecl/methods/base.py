"""The contract of a training method: what it adds to a backbone with a linear classifier.

A method turns features into loss terms. It owns side modules (projection heads, queues, centres) that are thrown
away after training, and it never sees the optimiser, the device placement or the file system. Whatever state it has
must be in its ``state_dict`` (parameters, buffers, or ``get_extra_state``): that is all that a checkpoint keeps.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import torch
from torch import Tensor, nn

from sharprecl.models.features import Features as Features

LossTerms = dict[str, Tensor]
"""Named scalars with gradients. ``total`` is the one that is minimised; the others are shown and logged."""


@dataclass(frozen=True)
class Progress:
    """Where the training stands. ``step`` and ``epoch`` count from 0, over the whole planned training."""

    step: int
    total_steps: int
    epoch: int
    total_epochs: int


@dataclass(frozen=True)
class Batch:
    """Labels of a batch. With two views the features hold the first views of all texts, then the second ones.

    Attributes:
        y_B: label ids, one a text, int64.
        n_views: how many rows of features each text has.
    """

    y_B: Tensor
    n_views: int

    @property
    def y_N(self) -> Tensor:
        """Label ids of all ``N = n_views * B`` rows of features."""
        return self.y_B.repeat(self.n_views)


class OpenedBackbone(Protocol):
    """What a method may ask of a backbone when it is built."""

    @property
    def feature_dim(self) -> int: ...

    @property
    def num_classes(self) -> int: ...


class Method(nn.Module, ABC):
    """Base of all methods. Subclasses are built by ``build`` and hold no reference to the backbone."""

    n_views: ClassVar[int] = 1
    not_exportable_because: ClassVar[str] = ""
    """Why the answers are not those of a linear classifier; empty for methods that export to the stock class."""

    @classmethod
    @abstractmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: Any, seed: int) -> Self:
        """Make the method's side modules.

        Args:
            backbone: tells the feature width H and the number of classes C.
            class_counts: training texts of each class, shape [C], all at least 1.
            config: the method's own section of the run's configuration.
            seed: seeds the side modules' weights and the method's own random generator.
        """

    @abstractmethod
    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """Loss terms of one batch, ``total`` among them."""

    def on_epoch_start(self, epoch: int) -> None:
        """Called before the first batch of every epoch (counted from 0)."""
        del epoch

    def logits(self, features: Features) -> Tensor:
        """Scores to answer with, shape [N, C]; the answer is their argmax."""
        return features.s_NC


class GeneratorState(nn.Module):
    """A ``torch.Generator`` that travels in the ``state_dict``, so that a resumed run draws what it would have drawn.

    The generator lives on the CPU whatever the model's device: the same seed gives the same draws everywhere.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(seed)

    def get_extra_state(self) -> Tensor:
        return self.generator.get_state()

    def set_extra_state(self, state: Tensor) -> None:
        self.generator.set_state(state.cpu())
