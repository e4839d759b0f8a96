"""A trained classifier on disk: a stock model folder, and a page about it.

    out/model/          config.json, model.safetensors, tokenizer: any Hugging Face tool loads it
    out/sharprecl.json  label kinds, class counts, settings: what ``TextClassifier.load`` and reports want beside it

Where the architecture cannot express the pooling, the weights go to ``out/opened/`` instead: that folder must not be
mistaken for a stock model, whose own head would answer differently.
"""

import dataclasses
import os
import shutil
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from sharprecl.errors import AssetError, CheckpointError, ConfigError, ExportError
from sharprecl.export.card import FILE, OPENED, STOCK, WEIGHTS, Card, is_ours, model_folder
from sharprecl.export.stock import STRAIGHT, stock_model
from sharprecl.files import sync, write_json
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone


def save(folder: Path, backbone: Backbone, tokenizer: Any, card: Card, refused_because: str = "") -> Card:
    """Write a classifier. Killed at any moment, it leaves the old one, the new one, or a folder that says it has none.

    Args:
        folder: made if absent.
        backbone, tokenizer: what to write.
        card: the page about it.
        refused_because: why the method's answers are not those of a linear classifier; empty if they are.

    Returns:
        The card as written; ``not_stock_because`` is empty if the stock class could express the model.

    Raises:
        ConfigError: the folder holds a ``model`` that no classifier of ours left there.
        CheckpointError: the disk is full or read-only.
    """
    _check_ours(folder)
    try:
        if refused_because:
            raise ExportError(refused_because)
        model, name, reason = stock_model(backbone), STOCK, ""
    except ExportError as error:
        model, name, reason = backbone.model, OPENED, str(error)
    card = dataclasses.replace(card, not_stock_because=reason, reading=backbone.reading)
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in (*folder.glob(f".{STOCK}.*"), *folder.glob(f".{OPENED}.*")):
        shutil.rmtree(leftover)
    temporary = folder / f".{name}.{os.getpid()}"
    try:
        with stock.quiet():
            model.save_pretrained(temporary)
            # Stock pipelines called with truncation=True then cut where training did.
            tokenizer.model_max_length = card.max_length
            tokenizer.save_pretrained(temporary)
        for path in (*temporary.rglob("*"), temporary):
            sync(path)
        # The page goes first and comes last: between the two the folder must not pass for a classifier, since the
        # old page would give the new model's answers wrong names.
        (folder / FILE).unlink(missing_ok=True)
        for old in WEIGHTS:
            shutil.rmtree(folder / old, ignore_errors=True)
        temporary.rename(folder / name)
        sync(folder)
        write_json(folder / FILE, dataclasses.asdict(card))
    except (SafetensorError, OSError) as error:
        raise CheckpointError(
            f"the model could not be written to {folder} ({error}); free some space or make the folder writable, "
            f"then run the same command again ('sharprecl train' with --resume)"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return card


def _check_ours(folder: Path) -> None:
    foreign = [name for name in WEIGHTS if (folder / name).exists()]
    if foreign and not is_ours(folder):
        raise ConfigError(
            f"{folder / foreign[0]} was not written by sharprecl and would be replaced; choose another folder"
        )


def load(folder: Path, card: Card) -> tuple[Backbone, Any, float]:
    """Read what ``save`` wrote.

    Args:
        folder: where it lies.
        card: the page about it.

    Returns:
        The backbone, its tokenizer, and the factor that brings its features to the size that they had in training
        (the stock form of a pooling scales them down).

    Raises:
        AssetError: the folder holds no saved classifier, or a damaged one.
    """
    source = str(model_folder(folder, card))
    if card.not_stock_because:
        pooling, scale = card.pooling, 1.0
    else:
        pooling, scale = "native", 1.0 if card.pooling == "native" else 1.0 / STRAIGHT
    backbone = Backbone(stock.load_classifier(source), pooling, card.reading)  # type: ignore[arg-type]
    names = [backbone.model.config.id2label[index] for index in range(backbone.num_classes)]
    if names != card.label_names:
        raise AssetError(
            f"{folder / FILE} and the model beside it name different classes (were they copied from two runs?); "
            f"copy both from one run, or train again"
        )
    return backbone.eval(), stock.load_tokenizer(source), scale
