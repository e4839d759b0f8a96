"""``TextClassifier``: parameters, training and answers put together, and the way to disk and back."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin

from sharprecl.classifier.deciding import Deciding
from sharprecl.classifier.epoch_lines import EpochLines
from sharprecl.classifier.given import Labels, Texts, labels_of, texts_of
from sharprecl.classifier.parameters import Parameters, parameters_of
from sharprecl.classifier.table import training_texts
from sharprecl.classifier.training import backend_of, processes_for, train
from sharprecl.config import choice_note, merge, restored
from sharprecl.data.labels import typed_labels
from sharprecl.data.tables import TextTable, read_table
from sharprecl.decision import (
    Decision,
    HeldOut,
    Learned,
    Policy,
)
from sharprecl.decision.held_out import FILE as HELD_OUT
from sharprecl.errors import ConfigError
from sharprecl.export.card import Card, read_card
from sharprecl.export.onnx_predictor import OnnxPredictor, is_onnx
from sharprecl.export.predictor import Fitted
from sharprecl.training.history import Callback, Callbacks
from sharprecl.training.job import TrainingJob


class TextClassifier(Deciding, ClassifierMixin, Parameters):
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
        class_weight: ``balanced``, or a weight for some labels (the others have 1); multiplies ``sample_weight``.
        config: further settings, nested, e.g. ``{"method": {"mu": 0.5}}``, or all of them as a ``RunConfig``.
        text_column: which column holds the texts where X is a table with several.
        device: ``auto``, ``cpu``, ``cuda``, ...
        processes: that train together, on this machine: the batch stays as large, each takes a part of it.
        random_state: seed of everything that is drawn.
        verbose: 0 prints nothing, 1 a line an epoch.

    Attributes:
        classes_: the labels, sorted; column c of ``predict_proba`` belongs to ``classes_[c]``.
        class_counts_: training texts of each class.
        natural_counts_: the same by their weights, without augmented copies: how frequent the classes are.
        set_aside_: row numbers, from 0, that had no text or no label and were not trained on; not after ``load``.
        config_: the whole configuration of the training.
        prior_: class shares that the answers are meant for, [C]; None where the method's scores are for no known prior.
        held_out_: bare scores of labelled texts that it has not learnt from, for ``decide``; None if there are none.
        out_of_fold_: scores of training texts by trainings without them, before ``decision_``; None without folds.
        notes_: sentences about the data and the training that a person should read.
    """

    def fit(
        self,
        X: Texts | TextTable,
        y: Labels | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        test: tuple[Texts, Labels] | TextTable | None = None,
        output: str | Path | None = None,
        resume: bool = False,
        keep_checkpoints: bool = False,
        out_of_fold: bool = False,
        callback: Callback | None = None,
    ) -> Self:
        """Train.

        Args:
            X: N texts, or a ``TextTable`` that has its labels inside.
            y: N labels: strings, integers or booleans.
            sample_weight: N weights. A text of weight 2 means what two equal rows mean, one of weight 0 is left out
                (``sharprecl.data.weights``); an epoch has as many texts as there are, drawn by their weights.
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
        given = training_texts(X, y, sample_weight, self.class_weight, self.text_column)
        table = given.table
        config = self.run_config(table.weighted_counts)
        if note := choice_note(self._settings(), table.weighted_counts):
            table = dataclasses.replace(table, notes=(note, *table.notes))
        if test is not None and not isinstance(test, TextTable):
            texts, labels = texts_of(test[0], self.text_column)[0], labels_of(test[1])
            test = read_table((texts, list(map(str, labels))), label_names=table.label_names)
        watching = callback or Callback()
        if self.verbose:
            watching = Callbacks([EpochLines(), watching])
        folder = None if output is None else Path(output)
        with processes_for(config, len(table), self.processes, self.device) as processes:
            job = TrainingJob(table, config, watching, test, folder, resume, self.device, processes)
            trained = train(job, out_of_fold=out_of_fold, keep_checkpoints=keep_checkpoints)
        # Only now, so that an interrupted second fit leaves the first one's answers whole.
        self.trained_: Fitted | None = trained.fitted
        self.classes_ = given.classes
        self._label_type: str = given.label_type
        self.class_counts_, self.natural_counts_ = table.class_counts, table.natural_counts
        self.set_aside_ = np.array([row.row - 1 for row in table.set_aside], dtype=np.int64)
        self.config_, self.notes_ = config, [*trained.fitted.notes, *trained.learned.notes]
        self.decision_, self.prior_ = trained.learned, trained.learned.prior_C
        self.out_of_fold_, self.held_out_, self.known_prior_ = trained.out_of_fold, trained.held_out, trained.known_C
        self._predictor = trained.fitted.predictor
        return self

    def save(self, folder: str | Path, *, text_column: str | None = None, label_column: str = "label") -> Card:
        """Write ``folder/model`` (stock Hugging Face) and ``folder/sharprecl.json``.

        Args:
            folder: made if absent.
            text_column, label_column: how the user's tables call them, remembered for later tables; without the former
                it is the parameter of this name.

        Returns:
            What the saved classifier says about itself, among it whether it is stock.
        """
        self._fitted()
        text_column = text_column or self.text_column
        card = dataclasses.replace(self._card(), text_column=text_column, label_column=label_column)
        (Path(folder) / HELD_OUT).unlink(missing_ok=True)
        written = self._predictor.save(Path(folder), card)
        if self.held_out_ is not None:
            self.held_out_.save(Path(folder))
        return written

    @classmethod
    def load(cls, folder: str | Path, device: str = "auto", precision: str | None = None) -> Self:
        """Read what ``save``, ``sharprecl train`` or ``sharprecl export`` wrote, with the parameters of the training.

        Args:
            folder: with the classifier.
            device: ``auto``, ``cpu``, ``cuda``, ...
            precision: to answer in, see ``encoder.answer_precision``; None is that of the training's settings.

        Raises:
            AssetError: there is none in this folder.
            ConfigError: the precision is not one that it can answer in.
        """
        card = read_card(Path(folder))
        if precision is not None:
            if is_onnx(Path(folder)):
                raise ConfigError(
                    f"{folder} is an ONNX export, which computes as it was exported; leave the precision out, or give "
                    f"the folder of the training"
                )
            card = dataclasses.replace(card, config=merge(card.config, {"encoder": {"answer_precision": precision}}))
        config, classes = restored(card.config), typed_labels(card.label_names, card.label_type)
        class_weight: Any = card.class_weight
        if isinstance(class_weight, dict):
            typed = dict(zip(card.label_names, classes.tolist(), strict=True))
            class_weight = {typed[name]: weight for name, weight in class_weight.items()}
        parameters = parameters_of(config)
        found = cls(**parameters, class_weight=class_weight, text_column=card.text_column, device=device)
        backend = OnnxPredictor if is_onnx(Path(folder)) else backend_of(config.method)
        found._predictor, found.trained_ = backend.load(Path(folder), card, device), None
        found.classes_, found._label_type = classes, card.label_type
        found.class_counts_ = np.asarray(card.class_counts)
        found.natural_counts_ = np.asarray(card.natural_counts or card.class_counts)
        found.prior_ = np.asarray(card.prior) if card.prior else None
        found.known_prior_ = np.asarray(card.known_prior) if card.known_prior else None
        found.held_out_, found.out_of_fold_ = HeldOut.load(Path(folder)), None
        found.config_, found.notes_ = config, []
        decided = Decision.from_dict(card.decided, len(classes))
        found.decision_ = Learned(decided, found.prior_, Policy.from_dict(card.policy))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        return tags

    def _card(self) -> Card:
        return Card(
            label_names=self._names(),
            label_type=self._label_type,
            class_counts=[int(count) for count in self.class_counts_],
            max_length=self.config_.encoder.max_length,
            pooling=self._predictor.pooling,
            config=self.config_.kept(),
            prior=[] if self.prior_ is None else self.prior_.tolist(),
            natural_counts=self.natural_counts_.tolist(),
            known_prior=[] if self.known_prior_ is None else self.known_prior_.tolist(),
            decided=self.decision_.decision.to_dict(),
            policy=self.policy_.to_dict(),
            class_weight={str(label): weight for label, weight in self.class_weight.items()}
            if isinstance(self.class_weight, Mapping)
            else self.class_weight,
        )
