"""A classifier exported as ONNX: a folder that needs no more than ``onnxruntime`` and ``tokenizers``.

model.onnx          token ids to decided scores and features
tokenizer.json      cuts and pads as training did
config.json         the model's, with the names of the classes
sharprecl.json      the card: ``TextClassifier.load``, predict, evaluate and serve take the folder as any other
certificate.json    only of int8: what it costs
"""

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from sharprecl.data.tables import TextTable
from sharprecl.errors import CheckpointError, ConfigError, ExportError
from sharprecl.export.card import FILE, Card
from sharprecl.export.certificate import Budget, Certificate
from sharprecl.export.encoder import EncoderPredictor
from sharprecl.export.int8 import write_int8
from sharprecl.export.onnx import onnx_graph
from sharprecl.export.onnx_predictor import MODEL, is_onnx
from sharprecl.export.predictor import Predictor
from sharprecl.files import sync, write_json


def export_float32(folder: Path, predictor: Predictor, card: Card) -> None:
    """Write a classifier as ONNX in float32, in place of an export that was there: whole, or not at all.

    Args:
        folder: where to.
        predictor: what is exported.
        card: of its classifier.

    Raises:
        ConfigError: the folder holds something else.
        CheckpointError: the disk is full or read-only.
        ExportError: it cannot be expressed.
        MissingExtraError: a package that writes ONNX is not installed.
    """
    encoder = _encoder(predictor)

    def fill(into: Path) -> None:
        (into / MODEL).write_bytes(onnx_graph(encoder.backbone, encoder.decision).SerializeToString())

    _write(folder, encoder, card, fill)


def export_int8(
    folder: Path, predictor: Predictor, card: Card, table: TextTable, budget: Budget, say: Callable[[str], None]
) -> Certificate:
    """Write a classifier as ONNX in int8 with its certificate, as ``write_int8`` makes them, or leave no file.

    Raises:
        SharpReCLError: as ``export_float32``, or the budget is exceeded.
    """
    encoder, certificates = _encoder(predictor), list[Certificate]()

    def fill(into: Path) -> None:
        certificates.append(write_int8(into, encoder, card, table, budget, say))

    _write(folder, encoder, card, fill)
    return certificates[0]


def _encoder(predictor: Predictor) -> EncoderPredictor:
    if isinstance(predictor, EncoderPredictor):
        return predictor
    raise ExportError(
        "only what was trained as an encoder can become ONNX, not a language model with its adapter or an export; give "
        "the folder of an encoder's training"
    )


def _write(folder: Path, predictor: EncoderPredictor, card: Card, fill: Callable[[Path], None]) -> None:
    if folder.exists() and not (is_onnx(folder) and (folder / FILE).is_file()):
        raise ConfigError(f"{folder} holds something else than an export, which would be replaced; choose another --to")
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        temporary.mkdir(parents=True)
        fill(temporary)
        predictor.backbone.model.config.save_pretrained(temporary)
        _write_tokenizer(predictor, temporary)
        # What was decided is in the graph.
        write_json(temporary / FILE, dataclasses.asdict(dataclasses.replace(card, temperature=1.0, shift=[])))
        for path in (*temporary.iterdir(), temporary):
            sync(path)
        if folder.exists():
            shutil.rmtree(folder)
        temporary.rename(folder)
        sync(folder.parent)
    except OSError as error:
        raise CheckpointError(
            f"the export could not be written to {folder} ({error}); free some space or make the folder writable, then "
            f"run the same command again"
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_tokenizer(predictor: EncoderPredictor, folder: Path) -> None:
    """The tokenizer with its cutting and padding inside, for those who use ``tokenizers`` alone."""
    from tokenizers import Tokenizer

    predictor.tokenizer.model_max_length = predictor.max_length
    predictor.tokenizer.save_pretrained(folder)
    path = str(folder / "tokenizer.json")
    alone = Tokenizer.from_file(path)
    alone.enable_truncation(predictor.max_length)
    alone.enable_padding(pad_id=predictor.tokenizer.pad_token_id, pad_token=predictor.tokenizer.pad_token)
    alone.save(path)
