"""``TextClassifier``: the whole library behind scikit-learn's face."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable, read_table
from sharprecl.data.tokens import tokenize
from sharprecl.data.wording import rows_phrase
from sharprecl.errors import DataError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.export import folder as saved
from sharprecl.export.card import Card
from sharprecl.methods.base import Method
from sharprecl.profiles import given, merge, resolve
from sharprecl.training.hardware import pick_device
from sharprecl.training.history import Observer, Silent
from sharprecl.training.inference import predict, softmax
from sharprecl.training.session import Trained, train

if TYPE_CHECKING:
    from typing import Self


class TextClassifier(ClassifierMixin, BaseEstimator):
    """A text classifier for skewed labels.

    Parameters that are None keep the value of the profile; ``config`` takes any nested setting of
    ``sharprecl.config.RunConfig`` and yields to the named parameters.

    Args:
        encoder: a built-in name (``minilm``), a local folder or a Hugging Face id.
        method: ``sharprecl`` or ``cross_entropy``.
        profile: ``default``, ``paper`` or ``released``.
        view: where the second view of a text comes from: ``auto``, ``synonyms`` or ``dropout``.
        pooling: ``auto``, ``native``, ``mean`` or ``cls``.
        max_length: tokens a text.
        max_epochs, batch_size, learning_rate, patience, select_on, validation_fraction, precision: see
            ``sharprecl.config.TrainingConfig``.
        config: further settings, nested, e.g. ``{"method": {"mu": 0.5}}``.
        device: ``auto``, ``cpu``, ``cuda``, ...
        random_state: seed of everything that is drawn.

    Attributes:
        classes_: the labels, sorted; column c of ``predict_proba`` belongs to ``classes_[c]``.
        class_counts_: training texts of each class.
        config_: the whole configuration of the training.
        notes_: sentences about the data and the training that a person should read.
    """

    def __init__(
        self,
        encoder: str | None = None,
        method: str | None = None,
        profile: str | None = None,
        view: str | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        max_epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        patience: int | None = None,
        select_on: str | None = None,
        validation_fraction: float | None = None,
        precision: str | None = None,
        config: dict[str, Any] | None = None,
        device: str = "auto",
        random_state: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.method = method
        self.profile = profile
        self.view = view
        self.pooling = pooling
        self.max_length = max_length
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.select_on = select_on
        self.validation_fraction = validation_fraction
        self.precision = precision
        self.config = config
        self.device = device
        self.random_state = random_state

    def run_config(self) -> RunConfig:
        """The whole configuration that the parameters amount to.

        Raises:
            ConfigError: they contradict each other.
        """
        named = {
            "profile": self.profile,
            "seed": self.random_state,
            "view": self.view,
            "encoder": {"name": self.encoder, "pooling": self.pooling, "max_length": self.max_length},
            "method": {"name": self.method},
            "training": {
                "max_epochs": self.max_epochs,
                "batch_size": self.batch_size,
                "learning_rate": self.learning_rate,
                "patience": self.patience,
                "select_on": self.select_on,
                "validation_fraction": self.validation_fraction,
                "precision": self.precision,
            },
        }
        return resolve(merge(self.config or {}, given(named)))

    def fit(
        self,
        texts: Sequence[str] | TextTable,
        labels: Sequence[Any] | None = None,
        *,
        test: tuple[Sequence[str], Sequence[Any]] | TextTable | None = None,
        output: str | Path | None = None,
        resume: bool = False,
        observer: Observer | None = None,
    ) -> Self:
        """Train.

        Args:
            texts: N texts, or a ``TextTable`` that has its labels inside.
            labels: N labels: strings, integers or booleans.
            test: only for ``select_on="test"``, which exists for parity with published numbers.
            output: folder for checkpoints and ``history.jsonl``; None keeps everything in memory.
            resume: go on from the newest checkpoint in ``output``.
            observer: is told how it goes.

        Raises:
            SharpReCLError: what is wrong with data, settings, assets or disk.
        """
        config = self.run_config()
        table = self._learn_labels(texts, labels)
        if test is not None and not isinstance(test, TextTable):
            test = read_table(_strings(*test), label_names=table.label_names)
        folder = None if output is None else Path(output)
        self.trained_: Trained | None = train(
            table, config, observer or Silent(), test=test, output=folder, resume=resume, device=self.device
        )
        self._backbone, self._tokenizer = self.trained_.backbone, self.trained_.tokenizer
        self._method: Method | None = self.trained_.method
        self.config_ = config
        self.notes_ = self.trained_.notes
        self.class_counts_ = table.class_counts
        return self

    def _learn_labels(self, texts: Sequence[str] | TextTable, labels: Sequence[Any] | None) -> TextTable:
        if isinstance(texts, TextTable):
            self.classes_ = np.asarray(texts.label_names)
            self._label_type = "str"
            return texts
        if labels is None:
            raise DataError("fit needs labels; call fit(texts, labels)")
        table = read_table((texts, labels))
        first = labels[0] if not hasattr(labels, "iloc") else labels.iloc[0]
        self._label_type = (
            "bool" if isinstance(first, bool | np.bool_) else ("int" if isinstance(first, int | np.integer) else "str")
        )
        self.classes_ = _typed_labels(table.label_names, self._label_type)
        if self._label_type == "int":
            # Numbers sort as numbers: 2 before 10.
            order = np.argsort(self.classes_)
            self.classes_ = self.classes_[order]
            table = read_table(_strings(texts, labels), label_names=tuple(str(c) for c in self.classes_))
        return table

    def decision_function(self, texts: Sequence[str]) -> np.ndarray:
        """Scores before the softmax, shape [N, C]."""
        return self.scores_and_embeddings(texts)[0]

    def predict_proba(self, texts: Sequence[str]) -> np.ndarray:
        """Probabilities, shape [N, C], columns in the order of ``classes_``."""
        return softmax(self.decision_function(texts))

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """The most probable label of each text, shape [N]."""
        best_N = self.decision_function(texts).argmax(1)
        answer: np.ndarray = self.classes_[best_N]
        return answer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Features in front of the classifier, shape [N, H]."""
        return self.scores_and_embeddings(texts)[1]

    def scores_and_embeddings(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], both from one pass."""
        self._fitted()
        if isinstance(texts, str):
            raise DataError("predict takes a list of texts, not one text; put it in brackets: [text]")
        strange = [row for row, text in enumerate(texts) if not isinstance(text, str)]
        if strange:
            raise DataError(
                f"{rows_phrase(strange)}: not a text; predict takes strings, so convert or leave out the others"
            )
        tokens = tokenize(list(texts), self._tokenizer, self.config_.encoder.max_length)
        return predict(self._backbone, self._method, tokens, self._tokenizer.pad_token_id)

    def evaluate(self, texts: Sequence[str], labels: Sequence[Any]) -> Evaluation:
        """Judge the classifier on labelled texts: all metrics, by class and by frequency, with intervals."""
        names = tuple(str(label) for label in self._fitted().classes_)
        table = read_table(_strings(texts, labels), label_names=names)
        answers = self.decision_function(table.texts).argmax(1)
        return evaluate(table.label_ids, answers, self.class_counts_, names)

    def save(self, folder: str | Path, *, text_column: str = "text", label_column: str = "label") -> Card:
        """Write ``folder/model`` (stock Hugging Face) and ``folder/sharprecl.json``.

        Args:
            folder: made if absent.
            text_column, label_column: how the user's tables call them; remembered for later tables.

        Returns:
            What the saved classifier says about itself, among it whether it is stock.
        """
        self._fitted()
        card = dataclasses.replace(self._card(), text_column=text_column, label_column=label_column)
        return saved.save(Path(folder), self._backbone, self._tokenizer, card)

    @classmethod
    def load(cls, folder: str | Path, device: str = "auto") -> TextClassifier:
        """Read a classifier that ``save`` or ``sharprecl train`` wrote.

        Raises:
            AssetError: there is none in this folder.
        """
        backbone, tokenizer, card = saved.load(Path(folder))
        classifier = cls(config=card.config, device=device)
        classifier._backbone, classifier._tokenizer = backbone.to(pick_device(device)), tokenizer
        classifier._method, classifier.trained_ = None, None
        classifier._label_type = card.label_type
        classifier.classes_ = _typed_labels(tuple(card.label_names), card.label_type)
        classifier.class_counts_ = np.asarray(card.class_counts)
        classifier.config_ = resolve(card.config)
        classifier.notes_ = []
        return classifier

    def _card(self) -> Card:
        return Card(
            label_names=[str(label) for label in self.classes_],
            label_type=self._label_type,
            class_counts=[int(count) for count in self.class_counts_],
            max_length=self.config_.encoder.max_length,
            pooling=self._backbone.pooling,
            config=self.config_.model_dump(mode="json"),
        )

    def _fitted(self) -> Self:
        if not hasattr(self, "classes_"):
            raise NotFittedError("this TextClassifier is not fitted yet; call fit(texts, labels) first")
        return self


def _strings(texts: Sequence[str], labels: Sequence[Any]) -> tuple[Sequence[str], list[str]]:
    return texts, [str(label) for label in labels]


def _typed_labels(names: tuple[str, ...], kind: str) -> np.ndarray:
    if kind == "int":
        return np.asarray([int(name) for name in names])
    if kind == "bool":
        return np.asarray([name == "True" for name in names])
    return np.asarray(names)
