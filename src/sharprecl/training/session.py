"""From a table of texts and a configuration to a trained backbone: every step of the way, in order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sharprecl.assets import cache_dir, resolve_encoder
from sharprecl.augment.views import second_views
from sharprecl.config import RunConfig
from sharprecl.data.batches import BucketedBatches, padding_waste
from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.data.tables import TextTable
from sharprecl.data.tokens import TokenizedTexts, tokenize
from sharprecl.errors import ConfigError
from sharprecl.files import sha256_json
from sharprecl.methods.base import Method
from sharprecl.methods.registry import method_class
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone, open_backbone
from sharprecl.models.pooling import resolve_pooling
from sharprecl.training.checkpoint import CheckpointFolder
from sharprecl.training.hardware import pick_device
from sharprecl.training.history import HistoryFile, Observer
from sharprecl.training.loop import LabelledTokens, Outcome, Trainer
from sharprecl.training.optimizer import resolve_batch_size, resolve_plan
from sharprecl.version import __version__

CHECKPOINTS = "checkpoints"
HISTORY = "history.jsonl"


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
    outcome: Outcome
    validation: np.ndarray
    facts: dict[str, Any]
    notes: list[str] = field(default_factory=list)


def run_hash(config: RunConfig, table: TextTable, test: TextTable | None) -> str:
    """Identifies what decides a training's result: version, settings and data."""
    settings = config.model_dump(mode="json")
    del settings["training"]["checkpoint_seconds"]
    data = [table.content_hash, test.content_hash if test is not None else None]
    return sha256_json({"version": __version__, "settings": settings, "data": data})


def train(
    table: TextTable,
    config: RunConfig,
    observer: Observer,
    *,
    test: TextTable | None = None,
    output: Path | None = None,
    resume: bool = False,
    device: str = "auto",
) -> Trained:
    """Train a classifier.

    Args:
        table: training texts; the validation split is taken from them.
        config: everything else that decides the result.
        observer: is told how it goes.
        test: needed only by ``select_on="test"``.
        output: folder for history and checkpoints; None keeps everything in memory.
        resume: go on from the newest checkpoint in ``output``, if there is one.
        device: ``auto``, ``cpu``, ``cuda``, ...

    Raises:
        SharpReCLError: data, settings, assets or disk do not allow it.
    """
    notes = list(table.notes)
    chosen_device = pick_device(device)
    source = resolve_encoder(config.encoder.name)
    pooling = resolve_pooling(config.encoder.pooling, source)
    fitted, held_out, selection_table = _split(table, test, config, notes)
    tokenizer = stock.load_tokenizer(source)
    views, view_facts = _views(fitted, table.label_names, tokenizer, config, observer.said, notes)
    selection = None
    if selection_table is not None:
        tokens = tokenize(selection_table.texts, tokenizer, config.encoder.max_length)
        selection = LabelledTokens((tokens,), selection_table.label_ids)

    batch_size = resolve_batch_size(config.training, len(fitted))
    batches = BucketedBatches(np.stack([view.lengths for view in views]), batch_size, config.seed)

    with torch.random.fork_rng(devices=_forked(chosen_device)):
        torch.manual_seed(config.seed)
        backbone = open_backbone(source, table.label_names, pooling)
        hidden_size = backbone.model.config.hidden_size
        plan = resolve_plan(config.training, batch_size, len(batches), hidden_size)
        method = method_class(config.method.name).build(backbone, fitted.class_counts, config.method, config.seed)
        trainer = Trainer(
            config=config,
            plan=plan,
            backbone=backbone,
            method=method,
            batches=batches,
            train=LabelledTokens(views, fitted.label_ids),
            selection=selection,
            pad_id=tokenizer.pad_token_id,
            device=chosen_device,
            observer=observer,
            checkpoints=CheckpointFolder(output / CHECKPOINTS, run_hash(config, table, test)) if output else None,
            history=HistoryFile(output / HISTORY) if output else None,
        )
        outcome = trainer.run(resume)
    facts = {
        **view_facts,
        "pooling": pooling,
        "plan": vars(plan),
        "training_texts": len(fitted),
        "selection_texts": 0 if selection_table is None else len(selection_table),
        "padding_waste": padding_waste(views, batches.epoch(0)),
        "best_epoch": outcome.best_epoch,
        "epochs": outcome.epochs,
        "steps": outcome.steps,
    }
    return Trained(backbone, method, tokenizer, outcome, held_out, facts, notes)


def _split(
    table: TextTable, test: TextTable | None, config: RunConfig, notes: list[str]
) -> tuple[TextTable, np.ndarray, TextTable | None]:
    """Return the texts to fit on, the rows held out, and the labelled texts that choose the epoch."""
    nothing = np.empty(0, dtype=np.int64)
    training = config.training
    if training.select_on == "last":
        return table, nothing, None
    if training.select_on == "test":
        if test is None:
            raise ConfigError(
                "training.select_on is 'test' but there are no test texts; give them with --test FILE, "
                "or set training.select_on to 'validation'"
            )
        notes.append("the epoch was chosen on the test texts: the test figures are too good to be true for new texts")
        return table, nothing, test
    fit_rows, held_out = stratified_split(
        table.label_ids, training.validation_fraction, config.seed, text_groups(table.texts)
    )
    if len(held_out) == 0:
        notes.append("no class has two texts, so nothing could be held out: the last epoch was kept")
        return table, nothing, None
    return table.select(fit_rows), held_out, table.select(held_out)


def _views(
    table: TextTable,
    label_names: tuple[str, ...],
    tokenizer: Any,
    config: RunConfig,
    say: Callable[[str], None],
    notes: list[str],
) -> tuple[tuple[TokenizedTexts, ...], dict[str, Any]]:
    max_length = config.encoder.max_length
    first = tokenize(table.texts, tokenizer, max_length)
    facts: dict[str, Any] = {"truncated_texts": first.truncated}
    if first.truncated:
        notes.append(
            f"{first.truncated} of {len(table)} training texts are longer than {max_length} tokens and were cut off "
            f"there (encoder.max_length)"
        )
    if method_class(config.method.name).n_views == 1:
        return (first,), facts
    label_words = tuple(sorted({word for name in label_names for word in re.findall(r"[^\W\d_]+", name.lower())}))
    made = second_views(
        table.texts, config.view, protected=label_words, seed=config.seed, cache_folder=cache_dir() / "views"
    )
    if made.note:
        notes.append(made.note)
        say(made.note)
    facts |= {"view": made.name, "view_share_changed": made.share_changed}
    return (first, tokenize(made.texts, tokenizer, max_length)), facts


def _forked(device: torch.device) -> list[int]:
    return [device.index or 0] if device.type == "cuda" else []
