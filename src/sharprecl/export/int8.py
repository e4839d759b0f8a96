"""A trained encoder in int8, certified.

Dynamic quantisation (weights of 7 bits by output, activations of 8 bits by tensor) is what a CPU computes fastest. Its
scales are taken over all that a call computes, so a text would get other scores beside other texts: the graph
therefore takes one text a call, and cores are kept busy by several calls at once. With 7 bits no sum saturates, so
processors without VNNI answer alike.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sharprecl.data.tables import TextTable
from sharprecl.errors import ExportError
from sharprecl.export.card import Card
from sharprecl.export.certificate import FILE, Budget, Certificate, certify
from sharprecl.export.encoder import EncoderPredictor
from sharprecl.export.onnx import onnx_graph, silent, weighted_nodes
from sharprecl.export.onnx_predictor import MODEL, OnnxPredictor
from sharprecl.extras import require
from sharprecl.files import write_json

if TYPE_CHECKING:
    from onnx import ModelProto

_SAMPLE = 64


def write_int8(
    folder: Path,
    predictor: EncoderPredictor,
    card: Card,
    table: TextTable,
    budget: Budget,
    say: Callable[[str], None],
) -> Certificate:
    """Write an int8 graph and its certificate into a folder.

    Where the budget is exceeded, layers stay in float32, one more each time, the most damaging first, up to a quarter.

    Args:
        folder: an empty one.
        predictor: what is exported.
        card: of its classifier.
        table: labelled texts that it was not trained on, the classes in the classifier's order.
        budget: what may be lost.
        say: is told what takes long.

    Raises:
        ExportError: the budget is exceeded whatever stays in float32.
        MissingExtraError: a package that writes or runs ONNX is not installed.
    """
    model = onnx_graph(predictor.backbone, predictor.decision, alone=True)
    expected_NC = predictor.scores(table.texts)[0]
    names = [node.name for node in weighted_nodes(model)]
    ranked: list[str] = []
    for kept in range(len(names) // 4 + 1):
        if kept == 1:
            say("int8 exceeds the budget; looking for the layers that do the damage")
            ranked = _most_damaging(model, names, predictor, card, table, folder / MODEL)
        quantise(model, set(names) - set(ranked[:kept]), folder / MODEL)
        found_NC = OnnxPredictor(folder / MODEL, predictor.tokenizer, card).scores(table.texts)[0]
        certificate = certify(
            table.label_ids,
            expected_NC,
            found_NC,
            card.label_names,
            budget,
            evaluated_on=f"{table.origin}, {len(table)} texts",
            float32_layers=tuple(ranked[:kept]),
            attempts=kept + 1,
        )
        if certificate.passed:
            write_json(folder / FILE, certificate.to_dict())
            return certificate
    raise ExportError(
        f"int8 exceeds the budget on {certificate.evaluated_on}, also with {kept} of {len(names)} layers in float32 "
        f"({'; '.join(certificate.broken)}); export float32 with --onnx, or allow more with --lose-macro-f1 and "
        f"--lose-recall"
    )


def quantise(model: "ModelProto", names: Collection[str], path: Path) -> None:
    """Write a graph with some of its ``weighted_nodes`` in int8.

    Raises:
        MissingExtraError: onnxruntime is not installed.
    """
    quantisation: Any = require("onnxruntime.quantization", "export", "writing an int8 file")
    with silent():
        quantisation.quantize_dynamic(
            model,
            path,
            op_types_to_quantize=["MatMul", "Gather"],
            nodes_to_quantize=[*names],
            per_channel=True,
            reduce_range=True,
            weight_type=quantisation.QuantType.QInt8,
        )


def _most_damaging(
    model: "ModelProto", names: list[str], predictor: EncoderPredictor, card: Card, table: TextTable, path: Path
) -> list[str]:
    """Names by the error of the scores when one alone is in int8, on some of the texts, the largest first."""
    texts = [table.texts[row] for row in np.unique(np.linspace(0, len(table) - 1, _SAMPLE).astype(int))]
    expected_NC = predictor.scores(texts)[0]
    error = {}
    for name in names:
        quantise(model, [name], path)
        wrong_NC = OnnxPredictor(path, predictor.tokenizer, card).scores(texts)[0] - expected_NC
        # What all classes gain alike changes no answer.
        error[name] = float(np.square(wrong_NC - wrong_NC.mean(1, keepdims=True)).mean())
    return sorted(names, key=lambda name: -error[name])
