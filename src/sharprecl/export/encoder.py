"""Answers of an opened backbone with its tokenizer."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from sharprecl.config import MethodConfig, RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.data.tokens import tokenize
from sharprecl.decision.decision import Decision
from sharprecl.export import folder as saved
from sharprecl.export.card import Card
from sharprecl.export.predictor import Backend, Fitted, Predictor
from sharprecl.export.stock import fold_decision
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from sharprecl.models.backbone import Backbone
from sharprecl.training.hardware import pick_device
from sharprecl.training.history import Observer
from sharprecl.training.inference import predict
from sharprecl.training.session import train

_NO_BIAS = (
    "the classifier of this encoder has no bias, which is where a stock model would keep the class prior that its "
    "answers are meant for"
)


@dataclass
class EncoderPredictor(Predictor):
    """A trained backbone that answers alone.

    Attributes:
        max_length: tokens a text.
        pooling: the one of the training; a stock model read back from disk has it inside and is itself ``native``.
        feature_scale: brings features to the size that they had in training.
        refused_because: why the answers are not those of a stock model; empty if they are.
        decision: what is done to the backbone's scores, as far as its last layer could not take it in.
    """

    backbone: Backbone
    tokenizer: Any
    max_length: int
    pooling: str
    feature_scale: float = 1.0
    refused_because: str = ""
    decision: Decision = field(default_factory=lambda: Decision.neutral(1))

    def decide(self, decision: Decision) -> None:
        """Answer from now on as the decision says, behind what was decided before.

        It goes into the last linear layer, so that the stock model answers alike, unless the backbone answers otherwise
        or the layer has no bias.
        """
        linear = self.backbone.reading == "linear" and self.decision.is_neutral
        if decision.is_neutral or (linear and fold_decision(self.backbone.classifier, decision)):
            return
        self.decision = self.decision.then(decision)
        self.refused_because = self.refused_because or _NO_BIAS

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], float32; without ``embed`` H is 0."""
        tokens = tokenize(texts, self.tokenizer, self.max_length)
        scores_NC, features_NH = predict(self.backbone, None, tokens, self.tokenizer.pad_token_id, embed=embed)
        return self.decision.apply(scores_NC), features_NH * np.float32(self.feature_scale)

    def save(self, folder: Path, card: Card) -> Card:
        """Write the backbone, as the stock class where it can be, and the card beside it."""
        if not self.decision.is_neutral:
            shift = self.decision.shift_C.tolist()
            card = dataclasses.replace(card, temperature=self.decision.temperature, shift=shift)
        return saved.save(folder, self.backbone, self.tokenizer, card, self.refused_because)

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> Self:
        """Read what ``save`` wrote.

        Raises:
            AssetError: it is damaged or in parts of another classifier.
        """
        backbone, tokenizer, scale = saved.load(folder, card)
        backbone = backbone.to(pick_device(device))
        decision = Decision(card.temperature, np.asarray(card.shift or [0.0]))
        return cls(backbone, tokenizer, card.max_length, card.pooling, scale, card.not_stock_because, decision)


@dataclass
class FittedEncoder(Fitted):
    """A trained encoder with its method, whose side modules nothing needs any more."""

    predictor: EncoderPredictor
    method: Method = field(kw_only=True)


class EncoderBackend(Backend):
    """Trains an encoder by any ``Method``."""

    @classmethod
    def answered_prior(cls, class_counts: np.ndarray, settings: MethodConfig) -> np.ndarray | None:
        return cast("np.ndarray | None", method_class(settings.name).answered_prior(class_counts, settings))

    @classmethod
    def fit(
        cls,
        table: TextTable,
        config: RunConfig,
        observer: Observer,
        *,
        test: TextTable | None = None,
        output: Path | None = None,
        resume: bool = False,
        device: str = "auto",
    ) -> FittedEncoder:
        """Train on a table; see the contract.

        Raises:
            SharpReCLError: data, settings, assets or disk do not allow it.
        """
        trained = train(table, config, observer, test=test, output=output, resume=resume, device=device)
        predictor = EncoderPredictor(
            trained.backbone,
            trained.tokenizer,
            config.encoder.max_length,
            str(trained.backbone.pooling),
            refused_because=trained.method.not_exportable_because,
        )
        return FittedEncoder(
            predictor, trained.outcome, trained.validation, trained.facts, trained.notes, method=trained.method
        )

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> EncoderPredictor:
        return EncoderPredictor.load(folder, card, device)
