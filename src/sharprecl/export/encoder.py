"""Encoders: how one is trained, answers with its tokenizer, is written to a folder and read again."""

import copy
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import torch

from sharprecl.config import MethodConfig, restored
from sharprecl.data.tokens import tokenize
from sharprecl.decision.decision import Decision
from sharprecl.errors import AssetError, ExportError
from sharprecl.export.card import FILE, OPENED, STOCK, Card, model_folder
from sharprecl.export.predictor import Backend, Fitted, Predictor
from sharprecl.export.stock import fold_decision, stock_model, unfolded
from sharprecl.export.writing import write_weights
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone
from sharprecl.quiet import quiet
from sharprecl.training.hardware import Precision, autocast, pick_device, pick_precision
from sharprecl.training.inference import predict
from sharprecl.training.job import TrainingJob
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
        pooling: the one of the training.
        refused_because: why the answers are not those of a stock model; empty if they are.
        precision: in which the backbone computes.
        decision: what is done to the backbone's scores, as far as its last layer could not take it in.
    """

    backbone: Backbone
    tokenizer: Any
    max_length: int
    pooling: str
    refused_because: str = ""
    precision: Precision = "fp32"
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

    def grown(self, label_names: Sequence[str], places_K: np.ndarray, w_KH: np.ndarray, b_K: np.ndarray) -> Self:
        """A copy that knows K classes more; the scores of the others stay as they are.

        Args:
            label_names: of all classes.
            places_K: which of them are new.
            w_KH: their rows: a new class scores x . w + b for the features x that ``scores`` embeds.
            b_K: all 0 where the classifier has no bias.
        """
        assert self.backbone.reading == "linear"
        classifier = self.backbone.classifier
        old_C = np.setdiff1d(np.arange(len(label_names)), places_K)
        w_CH = torch.empty(len(label_names), classifier.in_features, dtype=torch.float64)
        w_CH[old_C] = classifier.weight.detach().cpu().double()
        # Undone by the decision that is applied behind the layer, which only moves the classes that it was learnt for.
        w_CH[places_K] = torch.from_numpy(w_KH * self.decision.temperature)
        b_C = None
        if classifier.bias is not None:
            b_C = torch.empty(len(label_names), dtype=torch.float64)
            b_C[old_C] = classifier.bias.detach().cpu().double()
            b_C[places_K] = torch.from_numpy(b_K * self.decision.temperature)
        model = copy.deepcopy(self.backbone.model)
        stock.replace_classes(model, label_names, w_CH, b_C)
        shift_C = np.zeros(len(label_names))
        shift_C[old_C] = self.decision.shift_C
        backbone = Backbone(model, self.backbone.pooling)
        decision = Decision(self.decision.temperature, shift_C)
        return dataclasses.replace(self, backbone=backbone.eval(), decision=decision)

    def scores(self, texts: Sequence[str], *, embed: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], float32; without ``embed`` H is 0."""
        tokens = tokenize(texts, self.tokenizer, self.max_length)
        with autocast(self.backbone.classifier.weight.device, self.precision):
            scores_NC, features_NH = predict(self.backbone, None, tokens, self.tokenizer.pad_token_id, embed=embed)
        return self.decision.apply(scores_NC), features_NH

    def save(self, folder: Path, card: Card) -> Card:
        """Write the backbone, as the stock class where it can be, and the card beside it.

        Killed at any moment, it leaves the old classifier, the new one, or a folder that says it has none.

        Returns:
            The card as written; ``not_stock_because`` is empty if the stock class could express the model.

        Raises:
            ConfigError: the folder holds a ``model`` that no classifier of ours left there.
            CheckpointError: the disk is full or read-only.
        """
        try:
            if self.refused_because:
                raise ExportError(self.refused_because)
            model, name, reason = stock_model(self.backbone), STOCK, ""
        except ExportError as error:
            model, name, reason = self.backbone.model, OPENED, str(error)
        card = dataclasses.replace(card, not_stock_because=reason, reading=self.backbone.reading)
        if not self.decision.is_neutral:
            shift = self.decision.shift_C.tolist()
            card = dataclasses.replace(card, temperature=self.decision.temperature, shift=shift)

        def fill(into: Path) -> None:
            with quiet():
                model.save_pretrained(into)
                # Stock pipelines called with truncation=True then cut where training did.
                self.tokenizer.model_max_length = card.max_length
                self.tokenizer.save_pretrained(into)

        write_weights(folder, name, card, fill, what="model", again=" ('sharprecl train' with --resume)")
        return card

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> Self:
        """Read what ``save`` wrote.

        Raises:
            AssetError: it is damaged or in parts of another classifier.
        """
        source = str(model_folder(folder, card))
        model = stock.load_classifier(source)
        pooling = card.pooling if card.not_stock_because else unfolded(model)
        backbone = Backbone(model, pooling, card.reading)  # type: ignore[arg-type]
        names = [backbone.model.config.id2label[index] for index in range(backbone.num_classes)]
        if names != card.label_names:
            raise AssetError(
                f"{folder / FILE} and the model beside it name different classes (were they copied from two runs?); "
                f"copy both from one run, or train again"
            )
        tokenizer = stock.load_tokenizer(source)
        place = pick_device(device)
        precision = pick_precision(restored(card.config).encoder.answer_precision, place)
        decision = Decision(card.temperature, np.asarray(card.shift or [0.0]))
        return cls(
            backbone.eval().to(place), tokenizer, card.max_length, pooling, card.not_stock_because, precision, decision
        )


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
    def fit(cls, job: TrainingJob) -> FittedEncoder:
        """Train an encoder.

        Raises:
            SharpReCLError: data, settings, assets or disk do not allow it.
        """
        trained = train(job)
        predictor = EncoderPredictor(
            trained.backbone,
            trained.tokenizer,
            job.config.encoder.max_length,
            str(trained.backbone.pooling),
            refused_because=trained.method.not_exportable_because,
            precision=trained.answer_precision,
        )
        return FittedEncoder(
            predictor, trained.outcome, trained.validation, trained.facts, trained.notes, method=trained.method
        )

    @classmethod
    def load(cls, folder: Path, card: Card, device: str) -> EncoderPredictor:
        return EncoderPredictor.load(folder, card, device)
