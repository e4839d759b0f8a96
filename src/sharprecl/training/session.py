"""From a table of texts and a configuration to a trained backbone: every step of the way, in order."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch

from sharprecl.assets import resolve_encoder
from sharprecl.config import RunConfig
from sharprecl.data.tokens import tokenize
from sharprecl.errors import ExportError
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone, open_backbone
from sharprecl.models.pooling import PoolingName, check_expressible, resolve_pooling
from sharprecl.training.checkpoint import CheckpointFolder, checkpoint_identity
from sharprecl.training.encoder_task import EncoderTask, LabelledTokens
from sharprecl.training.frozen import FrozenTask
from sharprecl.training.hardware import Precision, pick_device, pick_precision
from sharprecl.training.history import Callback, HistoryFile
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS, HISTORY
from sharprecl.training.optimizer import resolve_batch_size, resolve_schedule
from sharprecl.training.preparation import Notes, split, views_of
from sharprecl.training.processes import Processes
from sharprecl.training.start import ClassNames
from sharprecl.training.trainer import Trainer, TrainingResult


@dataclass
class Trained:
    """A trained classifier and what is worth knowing about its making.

    Attributes:
        validation: row numbers of the training table that were held out to choose the epoch.
        facts: JSON-ready, equal for equal runs: plan, view, padding waste, truncated texts, chosen epoch.
        notes: sentences that a person should read.
    """

    backbone: Backbone
    method: Method
    tokenizer: Any
    outcome: TrainingResult
    validation: np.ndarray
    facts: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    answer_precision: Precision = "fp32"


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that decides the steps of a training, without the texts: every process of it makes its task from this.

    Attributes:
        class_counts: training texts of each class by their weights, [C].
        held_out: what chooses the epoch; None keeps the last one.
    """

    config: RunConfig
    label_names: tuple[str, ...]
    pooling: PoolingName
    precision: Precision
    class_counts: np.ndarray
    train: LabelledTokens
    held_out: LabelledTokens | None

    def identity(self, device: torch.device) -> str:
        """What a checkpoint must agree with."""
        parts = [self.train, *([self.held_out] if self.held_out else [])]
        arrays = [array for part in parts for view in part.views for array in (part.label_ids, view.offsets, view.ids)]
        if self.train.weights is not None:
            arrays.append(self.train.weights)
        return checkpoint_identity(self.config, self.pooling, self.precision, device.type, *arrays)


def train(job: TrainingJob) -> Trained:
    """Train a classifier; the validation split is taken from the job's table.

    Raises:
        SharpReCLError: data, settings, assets or disk do not allow it.
    """
    table, config, callback = job.table, job.config, job.callback
    notes = Notes(list(table.notes), callback.on_message)
    device = pick_device(job.device)
    source = resolve_encoder(config.encoder.name, callback.on_message)
    tokenizer = stock.load_tokenizer(source)
    kind: type[Method] = method_class(config.method.name)
    # Label tokens are read at the places where they stand, and the text at its first token, whatever else is asked for.
    pooling = "cls" if kind.reading == "label_tokens" else resolve_pooling(config.encoder.pooling, source)
    fitted, validation, selection = split(table, job.test, config, notes)
    views, view_facts = views_of(fitted, tokenizer, config, notes)
    held_out = None
    if selection is not None:
        tokens = tokenize(selection.texts, tokenizer, config.encoder.max_length)
        held_out = LabelledTokens((tokens,), selection.label_ids)
    # Without training, features are fitted as the saved model will see them.
    trains = config.method.trains_encoder
    precision = pick_precision(config.training.precision if trains else config.encoder.answer_precision, device)
    prepared = Prepared(
        config,
        table.label_names,
        pooling,
        precision,
        fitted.weighted_counts,
        LabelledTokens(views, fitted.label_ids, fitted.weights),
        held_out,
    )
    job.processes.share(prepared)
    with torch.random.fork_rng(devices=_forked(device)):
        task = make_task(prepared, source, tokenizer, device, job.processes)
        _warn_if_not_stock(task.backbone, kind, notes)
        if not config.method.trains_encoder:
            callback.on_message(
                f"the frozen encoder reads {len(fitted):,} texts once, {int(views[0].lengths.sum()):,} tokens"
            )
        trainer = make_trainer(task, callback)
        if job.output:
            if task.schedule.total_steps:
                trainer.checkpoints = CheckpointFolder(job.output / CHECKPOINTS, prepared.identity(device))
            trainer.history = HistoryFile(job.output / HISTORY)
        outcome = trainer.run(job.resume)
    facts = {
        **view_facts,
        "pooling": pooling,
        "training_texts": len(fitted),
        "selection_texts": 0 if selection is None else len(selection),
        "best_epoch": outcome.best_epoch,
        "epochs": outcome.epochs,
        "steps": outcome.steps,
        **task.facts(),
    }
    answers_in = pick_precision(config.encoder.answer_precision, device)
    return Trained(task.backbone, task.method, tokenizer, outcome, validation, facts, notes.sentences, answers_in)


def train_along(processes: Processes, device: str) -> None:
    """Train what the first process trains, as one of the others, until it has no more."""
    while (prepared := processes.share(None)) is not None:
        source = resolve_encoder(prepared.config.encoder.name)
        task = make_task(prepared, source, stock.load_tokenizer(source), pick_device(device), processes)
        make_trainer(task, Callback()).run()


def make_task(
    prepared: Prepared, source: str, tokenizer: Any, device: torch.device, processes: Processes
) -> EncoderTask:
    """An encoder with fresh layers and a method, from the run's seed: this sets the global random state."""
    config = prepared.config
    kind: type[Method] = method_class(config.method.name)
    torch.manual_seed(config.seed)
    backbone = open_backbone(source, prepared.label_names, prepared.pooling, kind.reading, tokenizer, config.encoder)
    stock.agree_on_padding(backbone.model, tokenizer)
    stock.check_length(backbone.model, config.encoder.max_length)
    method = kind.build(backbone, prepared.class_counts, config.method, config.seed)
    number = len(prepared.train.label_ids)
    batch_size = resolve_batch_size(config.training, number)
    schedule = resolve_schedule(
        config.training, batch_size, -(-number // batch_size), backbone.model.config.hidden_size
    )
    kind_of_task: type[EncoderTask] = EncoderTask
    if not config.method.trains_encoder:
        kind_of_task, schedule = FrozenTask, replace(schedule, steps_per_epoch=0, epochs=1)
    upper = config.method.views == "two" and config.view == "upper"
    return kind_of_task(
        config=config,
        schedule=schedule,
        backbone=backbone,
        method=method,
        train=prepared.train,
        held_out=prepared.held_out,
        pad_id=tokenizer.pad_token_id,
        device=device,
        precision=prepared.precision,
        second_view=backbone.repeat_upper() if upper else 0.0,
        names=_names(prepared.label_names, tokenizer, config),
        processes=processes,
    )


def make_trainer(task: EncoderTask, callback: Callback) -> Trainer:
    """Trains the task, and leaves nothing on the disk."""
    raising = ", raise method.temperature" if "temperature" in type(task.config.method).model_fields else ""
    return Trainer(
        task,
        task.schedule,
        task.config.training,
        callback,
        lower=f"training.learning_rate{raising}",
        processes=task.processes,
    )


def _names(label_names: Sequence[str], tokenizer: Any, config: RunConfig) -> ClassNames | None:
    if config.prototypes.start != "label_text":
        return None
    return ClassNames.of(label_names, tokenizer, config.encoder.max_length)


def _warn_if_not_stock(backbone: Backbone, kind: type[Method], notes: Notes) -> None:
    reason = kind.not_exportable_because
    try:
        check_expressible(backbone.model.config, backbone.pooling)
    except ExportError as error:
        reason = reason or str(error)
    if reason:
        notes.add(f"the result will not be a stock model: {reason}")


def _forked(device: torch.device) -> list[int]:
    return [device.index or 0] if device.type == "cuda" else []
