"""The contract of a training method: what it adds to a backbone with a linear classifier.

A method turns features into loss terms. It owns side modules (projection heads, queues, centres) that are thrown
away after training, and it never sees the optimiser, the device placement or the file system. Whatever state it has
must be in its ``state_dict`` (parameters, buffers, or ``get_extra_state``): that is all that a checkpoint keeps.

A method is one file: its class, and a docstring that explains it. Its settings, and what can be known of it without
PyTorch, stand in ``sharprecl.config.methods``.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import torch
from torch import Tensor, nn

from sharprecl.config import MethodConfig
from sharprecl.data.resampling import Resampling
from sharprecl.models.features import Features as Features
from sharprecl.models.features import Reading

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
    """Labels of a batch. The features hold the first views of all B texts, then the second ones if there are any,
    then one row for each of the E texts that the method's own sampler drew (``Method.draw``).

    Attributes:
        y_B: label ids, one a text, int64.
        n_views: how many rows of features each text has.
        y_E: label ids of the drawn texts; None for methods that draw none.
    """

    y_B: Tensor
    n_views: int
    y_E: Tensor | None = None

    @property
    def y_N(self) -> Tensor:
        """Label ids of the ``n_views * B`` rows of features that are views of the batch's texts."""
        return self.y_B.repeat(self.n_views)


@dataclass(frozen=True)
class EpochDraw:
    """The training texts of an epoch, for a method that wants others than each of them once.

    Both lists are cut in their order into as many batches as an epoch without a draw has, so that all methods make the
    same number of steps.

    Attributes:
        rows: row numbers of the texts that come with all their views; repeats allowed.
        extra: row numbers of further texts, first view only: a second batch behind the views of the first.
    """

    rows: np.ndarray
    extra: np.ndarray | None = None


class OpenedBackbone(Protocol):
    """What a method may ask of a backbone when it is built."""

    @property
    def feature_dim(self) -> int: ...

    @property
    def num_classes(self) -> int: ...


class Method(nn.Module, ABC):
    """Base of all methods. Subclasses are built by ``build`` and hold no reference to the backbone."""

    Config: ClassVar[type[MethodConfig]]
    """The method's section of the configuration, which also says how many views it needs and whether it takes steps."""
    reading: ClassVar[Reading] = "linear"
    wants_features: bool = False
    """Whether ``on_features`` is to be called, which costs a pass over the training texts an epoch."""
    resampling: Resampling | None = None
    """Set before the training where texts have weights: what draws texts or fits to all of them must heed it."""
    not_exportable_because: ClassVar[str] = ""
    """Why the answers are not those of a linear classifier; empty for methods that export to the stock class."""

    @classmethod
    @abstractmethod
    def build(cls, backbone: OpenedBackbone, class_counts: np.ndarray, config: Any, seed: int) -> Self:
        """Make the method's side modules.

        Args:
            backbone: tells the feature width H and the number of classes C.
            class_counts: training texts of each class, by their weights if they have any, shape [C], all above 0.
            config: the method's own section of the run's configuration.
            seed: seeds the side modules' weights and the method's own random generator.
        """

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, config: Any) -> np.ndarray | None:
        """The class prior for which the scores answer after ``finalize``, so that they can be turned to another one.

        By default P^(1 - tau), where P are the shares of the training texts and tau is the setting ``compensation``, 0
        where the method has none: logits s trained as s + tau log P tend to log P(c | x) - tau log P_c.

        Args:
            class_counts: as in ``build``.
            config: the method's own section of the run's configuration.

        Returns:
            Shares [C], float64; None where scores are no log-probabilities up to a prior.
        """
        return flattened_prior(class_counts, getattr(config, "compensation", 0.0))

    def forward(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """``loss`` in float32 or better, whatever the encoder computes in: what a training step calls."""
        with _full_precision(features) as precise:
            return self.loss(batch, precise, progress)

    def scores(self, features: Features) -> Tensor:
        """``logits`` in float32 or better."""
        with _full_precision(features) as precise:
            return self.logits(precise)

    @abstractmethod
    def loss(self, batch: Batch, features: Features, progress: Progress) -> LossTerms:
        """Loss terms of one batch, ``total`` among them. Features come in float32 or better, without autocast."""

    def draw(self, label_ids: np.ndarray, epoch: int) -> EpochDraw | None:
        """The texts of an epoch (counted from 0); None takes every text once, or as often as its weight says.

        Called anew when a run is resumed within the epoch, so it must follow from the arguments, what ``build`` was
        given and the state at the epoch's start alone.

        Args:
            label_ids: of all training texts, int64.
        """
        del label_ids, epoch
        return None

    def epoch_rows(self, num_texts: int, epoch: int) -> np.ndarray:
        """Row numbers of an epoch's texts: each once, or as often as its weight says."""
        return np.arange(num_texts) if self.resampling is None else self.resampling.rows(epoch)

    @property
    def weight_N(self) -> np.ndarray | None:
        """Weights of all training texts; None: all alike."""
        return None if self.resampling is None else self.resampling.weight_N

    def begins_stage(self, epoch: int, total_epochs: int) -> bool:
        """Whether the optimiser forgets its moments before this epoch, for methods that train in stages."""
        del epoch, total_epochs
        return False

    def least_epochs(self, total_epochs: int) -> int:
        """Epochs that belong to the method whatever validation says of them: patience is only lost after them."""
        del total_epochs
        return 0

    def on_features(self, x_NH: Tensor, y_N: Tensor, epoch: int, total_epochs: int) -> None:
        """Called where ``wants_features``: before the first epoch with ``epoch`` 0, and after every epoch e, before it
        is validated, with e + 1.

        Args:
            x_NH: features of the first views of all training texts, in evaluation mode, without gradients.
            y_N: their label ids; row n is the training text n of ``draw``.
        """

    def logits(self, features: Features) -> Tensor:
        """Scores to answer with while training goes on, shape [N, C]; the answer is their argmax."""
        return features.s_NC

    @torch.no_grad()
    def finalize(self, classifier: nn.Linear) -> None:
        """Write into the backbone's last linear layer what the method answers with, once training has ended.

        From then on the backbone answers alone, by its ``reading``, with the argmax that ``logits`` had.
        """
        del classifier


def flattened_prior(class_counts: np.ndarray, tau: float) -> np.ndarray:
    """P^(1 - tau), scaled to sum to 1: with tau 0 the shares of the training texts, with 1 all classes alike."""
    share_C = (class_counts / np.sum(class_counts)) ** (1.0 - tau)
    flat_C: np.ndarray = share_C / share_C.sum()
    return flat_C


@torch.no_grad()
def write_rows(classifier: nn.Linear, w_CH: Tensor) -> None:
    """Make a linear layer answer with these rows and no bias."""
    classifier.weight.copy_(w_CH)
    if classifier.bias is not None:
        classifier.bias.zero_()


def _side_stream(seed: int) -> int:
    return int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0] >> 1)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw the weights of side modules from a seed, whatever the global state, which is put back.

    The stream is the side modules' own: from the run's very seed a fresh classifier is drawn, and two layers from one
    stream begin correlated row by row (cosine about -0.3).

    Only the CPU's generator is seeded: ``torch.manual_seed`` would reach the accelerators' ones too.
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(_side_stream(seed))
        yield


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


@contextmanager
def _full_precision(features: Features) -> Iterator[Features]:
    """The features in float32 (float64 stays float64), with autocast off: loss terms are never computed in less."""
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
