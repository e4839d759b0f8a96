"""A trained classifier on disk: a stock model folder, and a page about it.

    out/model/          config.json, model.safetensors, tokenizer: any Hugging Face tool loads it
    out/sharprecl.json  label kinds, class counts, settings: what ``TextClassifier.load`` and reports want beside it

Where the architecture cannot express the pooling, the weights go to ``out/opened/`` instead: that folder must not be
mistaken for a stock model, whose own head would answer differently.
"""

import dataclasses
from pathlib import Path
from typing import Any

from sharprecl.errors import AssetError, ExportError
from sharprecl.export.card import FILE, OPENED, STOCK, Card, model_folder
from sharprecl.export.stock import STRAIGHT, stock_model
from sharprecl.export.writing import write_weights
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone
from sharprecl.quiet import quiet


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
    try:
        if refused_because:
            raise ExportError(refused_because)
        model, name, reason = stock_model(backbone), STOCK, ""
    except ExportError as error:
        model, name, reason = backbone.model, OPENED, str(error)
    card = dataclasses.replace(card, not_stock_because=reason, reading=backbone.reading)

    def fill(into: Path) -> None:
        with quiet():
            model.save_pretrained(into)
            # Stock pipelines called with truncation=True then cut where training did.
            tokenizer.model_max_length = card.max_length
            tokenizer.save_pretrained(into)

    write_weights(folder, name, card, fill, what="model", again=" ('sharprecl train' with --resume)")
    return card


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
