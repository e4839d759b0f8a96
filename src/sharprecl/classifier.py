"""``TextClassifier``: the whole library behind scikit-learn's face."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from sharprecl.config import (
    DecisionConfig,
    MethodConfig,
    RunConfig,
    Settings,
    choice_note,
    given,
    merge,
    refusals,
    resolve,
    restored,
)
from sharprecl.data.checks import is_unicode
from sharprecl.data.labels import typed_labels, typed_table
from sharprecl.data.messages import rows_phrase
from sharprecl.data.tables import TextTable, read_table
from sharprecl.decision import Decision, check_prior, learn, turned, unknown_prior, wanted_prior
from sharprecl.errors import ConfigError, DataError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.export.card import Card, read_card
from sharprecl.export.predictor import Backend, Fitted
from sharprecl.methods.registry import load_object
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.history import Callback
from sharprecl.training.inference import answers, softmax
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS
from sharprecl.training.out_of_fold import number_of_folds, remove_folds
from sharprecl.training.out_of_fold import out_of_fold as score_out_of_fold

if TYPE_CHECKING:
    from typing import Self


class TextClassifier(ClassifierMixin, BaseEstimator):
    """A text classifier for skewed labels.

    Parameters that are None keep the value of the profile; ``config`` takes any nested setting of
    ``sharprecl.config.RunConfig`` and yields to the named parameters.

    Args:
        encoder: a built-in name (``minilm``), a local folder or a Hugging Face id.
        method: any of ``sharprecl methods``, ``module:Class`` for one of your own (docs/extending.md), or ``auto``,
            which chooses by the label counts.
        profile: ``default``, ``matched`` (without early stopping, to compare methods), ``official`` (what the
            method's own source trained with), ``paper`` or ``released`` (SharpReCL as printed, and as published).
        view: where the second view of a text comes from: ``auto``, ``dropout``, an augmenter, or a chain such as
            ``synonyms+noise``.
        pooling: ``auto``, ``native``, ``mean`` or ``cls``.
        max_length: tokens a text.
        max_epochs, batch_size, learning_rate, patience, select_on, validation_fraction, precision: see
            ``sharprecl.config.TrainingConfig``.
        config: further settings, nested, e.g. ``{"method": {"mu": 0.5}}``, or all of them as a ``RunConfig``.
        device: ``auto``, ``cpu``, ``cuda``, ...
        random_state: seed of everything that is drawn.

    Attributes:
        classes_: the labels, sorted; column c of ``predict_proba`` belongs to ``classes_[c]``.
        class_counts_: training texts of each class.
        config_: the whole configuration of the training.
        prior_: class shares that the answers are meant for, [C]; None where the method's scores are for no known prior.
        out_of_fold_: scores of training texts by trainings without them, before ``decision_``; None without folds.
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
        config: dict[str, Any] | RunConfig | None = None,
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

    def run_config(self, class_counts: np.ndarray | None = None) -> RunConfig:
        """The whole configuration that the parameters amount to.

        Args:
            class_counts: training texts of each class, [C]; needed by the method ``auto``.

        Raises:
            ConfigError: they contradict each other.
        """
        if isinstance(self.config, RunConfig) and not self._named():
            return self.config
        return resolve(self._settings(), class_counts)

    def _settings(self) -> Settings:
        config = self.config.model_dump(mode="json") if isinstance(self.config, RunConfig) else self.config
        return merge(config or {}, self._named())

    def _named(self) -> Settings:
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
        return given(named)

    def fit(
        self,
        texts: Sequence[str] | TextTable,
        labels: Sequence[Any] | None = None,
        *,
        test: tuple[Sequence[str], Sequence[Any]] | TextTable | None = None,
        output: str | Path | None = None,
        resume: bool = False,
        keep_checkpoints: bool = False,
        out_of_fold: bool = False,
        callback: Callback | None = None,
    ) -> Self:
        """Train.

        Args:
            texts: N texts, or a ``TextTable`` that has its labels inside.
            labels: N labels: strings, integers or booleans.
            test: only for ``select_on="test"``, which exists for parity with published numbers.
            output: folder for checkpoints and ``history.jsonl``; None keeps everything in memory.
            resume: go on from the newest checkpoint in ``output``.
            keep_checkpoints: leave them there after the training, and the scores of folds.
            out_of_fold: whether ``training.folds: auto`` comes to folds, for figures without other texts; a number of
                folds always does.
            callback: is told how it goes.

        Raises:
            SharpReCLError: what is wrong with data, settings, assets or disk.
        """
        if isinstance(texts, TextTable):
            table, classes, label_type = texts, np.asarray(texts.label_names), "str"
        else:
            table, classes, label_type = typed_table(texts, labels)
        config = self.run_config(table.class_counts)
        if note := choice_note(self._settings(), table.class_counts):
            table = dataclasses.replace(table, notes=(note, *table.notes))
        if test is not None and not isinstance(test, TextTable):
            test = read_table(_strings(*test), label_names=table.label_names)
        folder = None if output is None else Path(output)
        watching = callback or Callback()
        job = TrainingJob(table, config, watching, test, folder, resume, self.device)
        backend = backend_of(config.method)
        known_C = backend.answered_prior(table.class_counts, config.method)
        check_prior(config.decision, config.method.name, table.label_names, table.natural_counts, known_C is not None)
        number = number_of_folds(config, len(table), out_of_fold or config.decision.calibrate)
        found = score_out_of_fold(job, number) if number else None
        fitted = backend.fit(job)
        held_out = None
        if found is not None:
            held_out = found.s_MC, table.label_ids[found.rows]
        elif config.decision.calibrate and len(fitted.validation):
            held = table.select(fitted.validation)
            held_out = fitted.predictor.scores(held.texts)[0], held.label_ids
        learned = learn(config.decision, table.label_names, table.natural_counts, known_C, held_out)
        for note in learned.notes:
            watching.on_message(f"note: {note}")
        fitted.predictor.decide(learned.decision)
        if folder is not None and not keep_checkpoints:
            remove_checkpoints(folder / CHECKPOINTS)
            remove_folds(folder)
        # Only now, so that an interrupted second fit leaves the first one's answers whole.
        self.trained_: Fitted | None = fitted
        self.classes_, self._label_type = classes, label_type
        self.class_counts_, self.natural_counts_ = table.class_counts, table.natural_counts
        self.config_, self.notes_ = config, [*fitted.notes, *learned.notes]
        self.decision_, self.prior_, self.out_of_fold_ = learned, learned.prior_C, found
        self._predictor = fitted.predictor
        return self

    def for_prior(self, prior: str | Path | Mapping[str, float]) -> Self:
        """Answer from now on for texts in which the classes are as frequent as ``prior`` says.

        Args:
            prior: ``train``, ``uniform``, a .csv, .json or .yaml file, or a share or count of every label.

        Raises:
            ConfigError: labels are missing or unknown, or the scores are for no known prior.
        """
        self._fitted()
        try:
            asked = DecisionConfig.model_validate({"prior": str(prior) if isinstance(prior, Path) else prior})
        except ValidationError as error:
            raise ConfigError(refusals(error, "decision.")) from error
        wanted_C = wanted_prior(asked.prior, [str(label) for label in self.classes_], self.natural_counts_)
        if wanted_C is None:
            return self
        if not self.config_.method.heeds_setting("decision"):
            raise ConfigError(f"{self.config_.method.name} writes labels; its answers are for no class prior")
        if self.prior_ is None:
            raise unknown_prior(self.config_.method.name)
        self._predictor.decide(turned(Decision.neutral(len(wanted_C)), self.prior_, wanted_C))
        decision = self.config_.decision.model_copy(update={"prior": asked.prior})
        self.prior_, self.config_ = wanted_C, self.config_.model_copy(update={"decision": decision})
        return self

    def score(self, X: Sequence[str], y: Sequence[Any], sample_weight: Sequence[float] | None = None) -> float:
        """Accuracy; a text to which a language model gave no label counts as wrong."""
        given_N = answers(self.scores(X))
        right_N = (given_N >= 0) & (self.classes_[given_N] == np.asarray(y))
        return float(np.average(right_N, weights=sample_weight))

    def decision_function(self, texts: Sequence[str]) -> np.ndarray:
        """Scores before the softmax: [N, C], or for two classes [N], that of the second less that of the first."""
        scores = self.scores(texts)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, texts: Sequence[str]) -> np.ndarray:
        """Probabilities, shape [N, C], columns in the order of ``classes_``."""
        return softmax(self.scores(texts))

    def predict(self, texts: Sequence[str]) -> np.ndarray:
        """The most probable label of each text, shape [N].

        Raises:
            DataError: a language model gave a text no answer that is a label; ``scores`` tells which.
        """
        best_N = answers(self.scores(texts))
        lost = np.flatnonzero(best_N < 0).tolist()
        if lost:
            raise DataError(
                f"{rows_phrase(lost)}: the language model's answer is none of the labels; use scores(), whose rows are "
                f"NaN there"
            )
        answer: np.ndarray = self.classes_[best_N]
        return answer

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Features in front of the classifier, shape [N, H].

        Raises:
            ConfigError: the method is a language model, which has none.
        """
        if self._fitted()._predictor.pooling == "none":
            raise ConfigError(f"{self.config_.method.name} gives labels and no features; train an encoder for those")
        return self.scores_and_embeddings(texts)[1]

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Scores before the softmax (the logits), shape [N, C]."""
        return self._run(texts, embed=False)[0]

    def scores_and_embeddings(self, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Scores [N, C] and features [N, H], both from one pass."""
        return self._run(texts, embed=True)

    def _run(self, texts: Iterable[str], *, embed: bool) -> tuple[np.ndarray, np.ndarray]:
        self._fitted()
        if isinstance(texts, str):
            raise DataError("predict takes a list of texts, not one text; put it in brackets: [text]")
        if hasattr(texts, "columns") or isinstance(texts, Mapping):
            # Iterating over them gives the names of columns, which are texts too.
            raise DataError("predict takes a list of texts, not a table; give its column of texts: table['text']")
        known = list(texts)
        strange = [row for row, text in enumerate(known) if not isinstance(text, str)]
        if strange:
            raise DataError(f"{rows_phrase(strange)}: not a text; convert the values to strings or leave them out")
        halves = [row for row, text in enumerate(known) if not is_unicode(text)]
        if halves:
            raise DataError(f"{rows_phrase(halves)}: half a character (a lone surrogate such as \\ud83d); take it out")
        return self._predictor.scores(known, embed=embed)

    def evaluate(self, texts: Sequence[str], labels: Sequence[Any]) -> Evaluation:
        """Judge the classifier on labelled texts: all metrics, by class and by frequency, with intervals."""
        names = tuple(str(label) for label in self._fitted().classes_)
        table = read_table(_strings(texts, labels), label_names=names)
        return evaluate(table.label_ids, answers(self.scores(table.texts)), self.class_counts_, names)

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
        return self._predictor.save(Path(folder), card)

    @classmethod
    def load(cls, folder: str | Path, device: str = "auto") -> TextClassifier:
        """Read a classifier that ``save`` or ``sharprecl train`` wrote.

        Raises:
            AssetError: there is none in this folder.
        """
        card = read_card(Path(folder))
        config = restored(card.config)
        classifier = cls(config=card.config, device=device)
        classifier._predictor, classifier.trained_ = backend_of(config.method).load(Path(folder), card, device), None
        classifier._label_type = card.label_type
        classifier.classes_ = typed_labels(card.label_names, card.label_type)
        classifier.class_counts_ = np.asarray(card.class_counts)
        classifier.natural_counts_ = np.asarray(card.natural_counts or card.class_counts)
        classifier.prior_ = np.asarray(card.prior) if card.prior else None
        classifier.config_ = config
        classifier.notes_ = []
        return classifier

    def _card(self) -> Card:
        return Card(
            label_names=[str(label) for label in self.classes_],
            label_type=self._label_type,
            class_counts=[int(count) for count in self.class_counts_],
            max_length=self.config_.encoder.max_length,
            pooling=self._predictor.pooling,
            config=self.config_.kept(),
            prior=[] if self.prior_ is None else self.prior_.tolist(),
            natural_counts=[int(count) for count in self.natural_counts_],
        )

    def _fitted(self) -> Self:
        if not hasattr(self, "_predictor"):
            raise NotFittedError("this TextClassifier is not fitted yet; call fit(texts, labels) first")
        return self


def backend_of(settings: MethodConfig) -> type[Backend]:
    """What trains a method."""
    backend: type[Backend] = load_object(settings.backend)
    return backend


def _strings(texts: Sequence[str], labels: Sequence[Any]) -> tuple[Sequence[str], list[str]]:
    return texts, [str(label) for label in labels]
