"""The contract of a method that trains a language model to write the label, in place of a classifier head."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sharprecl.config import MethodConfig, RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.export.card import Card
from sharprecl.export.predictor import Predictor
from sharprecl.training.history import Observer
from sharprecl.training.loop import TrainingResult


@dataclass
class FittedLanguageModel:
    """A trained language model and what is worth knowing about its making.

    Attributes:
        validation: row numbers of the training table that were held out; empty where nothing was chosen on them.
        facts: JSON-ready, equal for equal runs.
        notes: sentences that a person should read.
    """

    predictor: Predictor
    outcome: TrainingResult
    validation: np.ndarray
    facts: dict[str, Any]
    notes: list[str] = field(default_factory=list)


class LanguageModelMethod(ABC):
    """Base of the methods without an encoder of ours. Never instantiated: a namespace with a contract."""

    Config: ClassVar[type[MethodConfig]]
    official: ClassVar[Mapping[str, Any]] = {}
    trains_encoder: ClassVar[bool] = False
    # As in ``Method``.
    ignores: ClassVar[tuple[str, ...]] = ("view", "augment", "encoder", "training", "decision")
    heeds: ClassVar[tuple[str, ...]] = ("precision",)
    ignores_because: ClassVar[str] = "which has no encoder"
    not_exportable_because: ClassVar[str]

    @classmethod
    @abstractmethod
    def fit(
        cls, table: TextTable, config: RunConfig, observer: Observer, *, output: Path | None, resume: bool, device: str
    ) -> FittedLanguageModel:
        """Train on a table.

        Args:
            table: training texts.
            config: the method's section, the seed and the training section decide the result.
            observer: is told how it goes.
            output: folder for what a restart needs; None keeps everything in memory.
            resume: go on with what is in ``output``.
            device: ``auto``, ``cpu``, ``cuda``, ...
        """

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, card: Card, device: str) -> Predictor:
        """Read what the predictor's ``save`` wrote."""
