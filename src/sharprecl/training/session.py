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
from sharprecl.models.pooling import check_expressible, resolve_pooling
from sharprecl.training.checkpoint import CheckpointFolder, checkpoint_identity
from sharprecl.training.encoder_task import EncoderTask, LabelledTokens
from sharprecl.training.frozen import FrozenTask
from sharprecl.training.hardware import pick_device, pick_precision
from sharprecl.training.history import HistoryFile
from sharprecl.training.job import TrainingJob
from sharprecl.training.names import CHECKPOINTS, HISTORY
from sharprecl.training.optimizer import resolve_batch_size, resolve_schedule
from sharprecl.training.preparation import Notes, split, views_of
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


def train(job: TrainingJob) -> Trained:
    """Train a classifier; the validation split is taken from the job's table.

    Raises:
        SharpReCLError: data, settings, assets or disk do not allow it.
    """
    table, config, callback, output = job.table, job.config, job.callback, job.output
    notes = Notes(list(table.notes), callback.on_message)
    chosen_device = pick_device(job.device)
    precision = pick_precision(config.training.precision, chosen_device)
    source = resolve_encoder(config.encoder.name, callback.on_message)
    tokenizer = stock.load_tokenizer(source)
    kind: type[Method] = method_class(config.method.name)
    settings = config.method
    # Label tokens are read at the places where they stand, and the text at its first token, whatever else is asked for.
    pooling = "cls" if kind.reading == "label_tokens" else resolve_pooling(config.encoder.pooling, source)
    fitted, held_out, selection_table = split(table, job.test, config, notes)
    views, view_facts = views_of(fitted, tokenizer, config, notes)
    training = LabelledTokens(views, fitted.label_ids, fitted.weights)
    selection = None
    if selection_table is not None:
        tokens = tokenize(selection_table.texts, tokenizer, config.encoder.max_length)
        selection = LabelledTokens((tokens,), selection_table.label_ids)
    parts = [training, *([selection] if selection else [])]
    arrays = [array for part in parts for view in part.views for array in (part.label_ids, view.offsets, view.ids)]
    if fitted.weights is not None:
        arrays.append(fitted.weights)
    identity = checkpoint_identity(config, pooling, precision, chosen_device.type, *arrays)

    batch_size = resolve_batch_size(config.training, len(fitted))
    steps_per_epoch = -(-len(fitted) // batch_size)

    with torch.random.fork_rng(devices=_forked(chosen_device)):
        torch.manual_seed(config.seed)
        backbone = open_backbone(source, table.label_names, pooling, kind.reading, tokenizer)
        stock.agree_on_padding(backbone.model, tokenizer)
        stock.check_length(backbone.model, config.encoder.max_length)
        _warn_if_not_stock(backbone, kind, notes)
        method = kind.build(backbone, fitted.weighted_counts, config.method, config.seed)
        hidden_size = backbone.model.config.hidden_size
        schedule = resolve_schedule(config.training, batch_size, steps_per_epoch, hidden_size)
        kind_of_task: type[EncoderTask] = EncoderTask
        if not settings.trains_encoder:
            # The features are fitted as the saved model will see them, whatever the hardware computes in.
            kind_of_task, precision, schedule = FrozenTask, "fp32", replace(schedule, steps_per_epoch=0, epochs=1)
            callback.on_message(
                f"the frozen encoder reads {len(fitted):,} texts once, {int(views[0].lengths.sum()):,} tokens"
            )
        task = kind_of_task(
            config=config,
            schedule=schedule,
            backbone=backbone,
            method=method,
            train=training,
            held_out=selection,
            pad_id=tokenizer.pad_token_id,
            device=chosen_device,
            precision=precision,
            second_view=backbone.repeat_upper() if view_facts.get("view") == "upper" else 0.0,
            names=_names(table.label_names, tokenizer, config),
        )
        raising = ", raise method.temperature" if "temperature" in type(settings).model_fields else ""
        trainer = Trainer(
            task,
            schedule,
            config.training,
            callback,
            lower=f"training.learning_rate{raising}",
            checkpoints=CheckpointFolder(output / CHECKPOINTS, identity) if output and schedule.total_steps else None,
            history=HistoryFile(output / HISTORY) if output else None,
        )
        outcome = trainer.run(job.resume)
    facts = {
        **view_facts,
        "pooling": pooling,
        "training_texts": len(fitted),
        "selection_texts": 0 if selection_table is None else len(selection_table),
        "best_epoch": outcome.best_epoch,
        "epochs": outcome.epochs,
        "steps": outcome.steps,
        **task.facts(),
    }
    return Trained(backbone, method, tokenizer, outcome, held_out, facts, notes.sentences)


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
