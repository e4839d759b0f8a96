"""A trained classifier on disk: a stock model folder, and a page about it.

    out/model/          config.json, model.safetensors, tokenizer: any Hugging Face tool loads it
    out/sharprecl.json  label kinds, class counts, settings: what ``TextClassifier.load`` and reports want beside it

Where the architecture cannot express the pooling, the weights go to ``out/opened/`` instead: that folder must not be
mistaken for a stock model, whose own head would answer differently.
"""

import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from sharprecl.errors import CheckpointError, ExportError
from sharprecl.export.card import FILE, Card, read_card
from sharprecl.export.stock import stock_model
from sharprecl.files import sync, write_json
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone

STOCK, OPENED = "model", "opened"


def save(folder: Path, backbone: Backbone, tokenizer: Any, card: Card) -> Card:
    """Write a classifier; the model folder appears whole or not at all.

    Returns:
        The card as written; ``not_stock_because`` is empty if the stock class could express the model.
    """
    try:
        model, name, reason = stock_model(backbone), STOCK, ""
    except ExportError as error:
        model, name, reason = backbone.model, OPENED, str(error)
    card = Card(**{**asdict(card), "not_stock_because": reason})
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{name}.{os.getpid()}"
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        with stock.quiet():
            model.save_pretrained(temporary)
            # Stock pipelines called with truncation=True then cut where training did.
            tokenizer.model_max_length = card.max_length
            tokenizer.save_pretrained(temporary)
        for path in temporary.rglob("*"):
            sync(path)
        for old in (STOCK, OPENED):
            shutil.rmtree(folder / old, ignore_errors=True)
        temporary.rename(folder / name)
    except SafetensorError as error:
        raise CheckpointError(
            f"the model could not be written to {folder} ({error}); free some space or make the folder writable, "
            f"then run the same command again ('sharprecl train' with --resume)"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    write_json(folder / FILE, asdict(card))
    return card


def load(folder: Path) -> tuple[Backbone, Any, Card]:
    """Read what ``save`` wrote: the backbone, its tokenizer, its card.

    Raises:
        AssetError: the folder holds no saved classifier, or one of a newer version.
    """
    card = read_card(folder)
    if card.not_stock_because:
        source, pooling = str(folder / OPENED), card.pooling
    else:
        source, pooling = str(folder / STOCK), "native"
    backbone = Backbone(stock.load_classifier(source), pooling)  # type: ignore[arg-type]
    return backbone.eval(), stock.load_tokenizer(source), card
