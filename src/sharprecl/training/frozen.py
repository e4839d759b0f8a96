"""The training of methods that leave the encoder as it is: every text is read once, and no step is taken."""

import time
from typing import Any

import numpy as np
import torch

from sharprecl.config import RunConfig
from sharprecl.data.augmented import split_originals
from sharprecl.data.tables import TextTable
from sharprecl.methods.base import Batch, Method, Progress
from sharprecl.models.backbone import Backbone
from sharprecl.models.features import Features
from sharprecl.training import hardware
from sharprecl.training.encoder_task import LabelledTokens
from sharprecl.training.history import HistoryFile, Observer, Record, TrainingSpeed
from sharprecl.training.inference import predict
from sharprecl.training.selection import validation_figures
from sharprecl.training.trainer import TrainingResult

_PRECISION = "fp32"
"""Of the pass, whatever the hardware: the features are fitted as the saved model will see them."""


def hold_out(table: TextTable, config: RunConfig) -> tuple[TextTable, np.ndarray, TextTable | None]:
    """Return the texts to fit on, the rows held out, and their texts: the same ones as for every method.

    Nothing is chosen on them, so they judge without bias.
    """
    training = config.training
    if training.select_on == "validation":
        fit_rows, held_out = split_originals(
            table.label_ids, training.validation_fraction, config.seed, table.texts, table.copies
        )
        if len(held_out):
            return table.select(fit_rows), held_out, table.select(held_out)
    return table, np.empty(0, dtype=np.int64), None


def fit_frozen(
    backbone: Backbone,
    method: Method,
    train: LabelledTokens,
    selection: LabelledTokens | None,
    pad_id: int,
    device: torch.device,
    observer: Observer,
    history: HistoryFile | None,
) -> tuple[TrainingResult, dict[str, Any]]:
    """Let a method see the features of all training texts, and write what it fits into the backbone.

    A run that was cut off starts anew, which gives the same: nothing is drawn but the backbone's fresh head.

    Args:
        selection: labelled texts that are judged at the end; None judges none.
        history: None keeps nothing on disk.

    Returns:
        The outcome, of one epoch and no step, and JSON-ready facts, equal for equal runs.
    """
    started = time.monotonic()
    hardware.reset_peak_memory(device)
    tokens = int(train.views[0].lengths.sum())
    observer.said(f"the frozen encoder reads {len(train.label_ids):,} texts once, {tokens:,} tokens")
    try:
        if history:
            history.rewind(0)
        backbone.to(device).eval()
        method.to(device).eval()
        with hardware.enough_memory("make encoder.max_length smaller"):
            _, x_NH = predict(backbone, None, train.views[0], pad_id, embed=True)
        loss = _fit(backbone, method, torch.from_numpy(x_NH).to(device), torch.from_numpy(train.label_ids).to(device))
        if selection is not None:
            record = _judged(predict(backbone, None, selection.views[0], pad_id)[0], selection.label_ids)
            if history:
                history.write(record)
            observer.recorded(record, TrainingSpeed(0, 0, len(train.label_ids) / (time.monotonic() - started), 0.0))
    finally:
        if history:
            history.close()
        observer.closed()
    outcome = TrainingResult(
        best_epoch=1,
        epochs=1,
        steps=0,
        tokens=tokens,
        seconds=time.monotonic() - started,
        peak_memory_bytes=hardware.peak_memory_bytes(device),
        precision=_PRECISION,
        device=str(device),
    )
    facts = {
        "training_texts": len(train.label_ids),
        "selection_texts": 0 if selection is None else len(selection.label_ids),
        "training_loss": loss,
        "best_epoch": outcome.best_epoch,
        "epochs": outcome.epochs,
        "steps": outcome.steps,
    }
    return outcome, facts


@torch.no_grad()
def _fit(backbone: Backbone, method: Method, x_NH: torch.Tensor, y_N: torch.Tensor) -> float:
    """Fit, finalize, and give the loss on the texts of the fit."""
    method.on_features(x_NH, y_N, 0, 1)
    classifier = backbone.classifier
    method.finalize(classifier)
    features = Features(x_NH, classifier(x_NH), classifier.weight)
    return float(method(Batch(y_N, 1), features, Progress(0, 0, 0, 1))["total"])


def _judged(scores_NC: np.ndarray, truth_N: np.ndarray) -> Record:
    """The record of the texts held out."""
    return {"kind": "validation", "epoch": 1, "step": 0, **validation_figures(scores_NC, truth_N), "best": True}
