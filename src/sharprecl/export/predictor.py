"""What answers for a trained classifier, and what trains it: two contracts, whatever the model is made of."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.config import MethodConfig
from sharprecl.decision.decision import Decision
from sharprecl.export.card import Card
from sharprecl.training.job import TrainingJob
from sharprecl.training.trainer import TrainingResult


class Predictor(ABC):
    """Gives scores of texts, and can be written to a folder.

    Attributes:
        pooling: how token vectors become one feature, for the card; ``none`` where there are no features.
    """

    pooling: str = "none"

    @abstractmethod
    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], float32; the answer is a row's argmax.

        A row of NaN says that there was no usable answer for that text. Without ``embed``, and where a model has no
        features, H is 0.
        """

    def decide(self, decision: Decision) -> None:
        """Answer from now on as the decision says. A model that writes labels has no scores to be turned."""
        assert decision.is_neutral

    @abstractmethod
    def save(self, folder: Path, card: Card) -> Card:
        """Write everything that answering needs; return the card as written, ``not_stock_because`` filled in."""


@dataclass
class Fitted:
    """A trained classifier and what is worth knowing about its making.

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


class Backend(ABC):
    """Trains a method and reads back what was trained. Never instantiated: a namespace with a contract."""

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, settings: MethodConfig) -> np.ndarray | None:
        """The class prior that the scores answer for, [C]; None where they answer for none that is known."""
        del class_counts, settings
        return None

    @classmethod
    @abstractmethod
    def fit(cls, job: TrainingJob) -> Fitted:
        """Train."""

    @classmethod
    @abstractmethod
    def load(cls, folder: Path, card: Card, device: str) -> Predictor:
        """Read what the predictor's ``save`` wrote."""
