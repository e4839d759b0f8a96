"""A trained encoder as an ONNX graph: token ids in, decided scores and features out, whatever its pooling and reading.

The graph pools as training did, so it also serves what no stock model can express.
"""

import ast
import logging
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from sharprecl.decision.decision import Decision
from sharprecl.errors import ExportError
from sharprecl.extras import require
from sharprecl.models import stock
from sharprecl.models.backbone import Backbone

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

IDS, MASK, SCORES, FEATURES = "input_ids", "attention_mask", "logits", "embeddings"
"""How the graph calls its inputs, int64 [N, T], and its outputs, float32 [N, C] and [N, H]."""

_SCOPES = "pkg.torch.onnx.name_scopes"
_MOST_BYTES = 2**31
_FLOAT = 1  # as ONNX numbers its types


class _Answering(nn.Module):
    """A backbone and what was decided about its scores. Without a mask, all tokens are a text's."""

    def __init__(self, backbone: Backbone, decision: Decision) -> None:
        super().__init__()
        self.backbone = backbone
        self.temperature = decision.temperature
        self.register_buffer("shift_C", torch.from_numpy(decision.shift_C).float())

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        mask_NT = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        features = self.backbone(input_ids, mask_NT)
        return features.s_NC / self.temperature + self.shift_C, features.x_NH


def onnx_graph(backbone: Backbone, decision: Decision, *, alone: bool = False) -> "ModelProto":
    """Trace a backbone on the CPU.

    Args:
        backbone: in evaluation mode.
        decision: what is done to its scores; it becomes part of the graph.
        alone: whether the graph takes one text at a time, [1, T], and no mask.

    Raises:
        MissingExtraError: the packages that write ONNX are not installed.
        ExportError: the architecture cannot be traced.
    """
    for package in ("onnx", "onnxscript"):
        require(package, "export", "writing an ONNX file")
    if (size := sum(weight.nbytes for weight in backbone.parameters())) > _MOST_BYTES:
        raise ExportError(
            f"the encoder has {size / 2**30:.1f} GB of weights, and an ONNX file holds 2; answer with the trained "
            f"folder itself, or train a smaller encoder"
        )
    # Two texts, one of them padded, and other sizes than 1, which a tracer takes for constants.
    ids_NT = torch.full((1 if alone else 2, 7), 5)
    mask_NT = torch.ones_like(ids_NT)
    mask_NT[-1, 5:] = 1 if alone else 0
    sizes = {1: torch.export.Dim.DYNAMIC} if alone else {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    inputs = {IDS: ids_NT} if alone else {IDS: ids_NT, MASK: mask_NT}
    answering = _Answering(backbone, decision).eval()
    try:
        # The plain kernel becomes the fewest nodes: the fused one brings its treatment of rows that attend to nothing.
        stock.use_attention(backbone.model, "eager")
        with silent():
            program = torch.onnx.export(
                answering,
                (),
                kwargs=inputs,
                dynamo=True,
                dynamic_shapes=dict.fromkeys(inputs, sizes),
                input_names=list(inputs),
                output_names=[SCORES, FEATURES],
                verbose=False,
            )
    except (torch.onnx.OnnxExporterError, RuntimeError) as error:
        first = str(error).strip().partition("\n")[0]
        raise ExportError(
            f"{type(backbone.model).__name__} could not be traced into an ONNX graph ({first}); another version of "
            f"torch or transformers may, or answer with the trained folder itself"
        ) from error
    finally:
        backbone.eval()
    assert program is not None
    model: ModelProto = program.model_proto
    for value in (*model.graph.input, *model.graph.output):
        for dimension, name in zip(value.type.tensor_type.shape.dim, ("batch", "length"), strict=True):
            if dimension.dim_param:
                dimension.dim_param = name
    _tidy(model)
    return model


def weighted_nodes(model: "ModelProto") -> "list[NodeProto]":
    """Nodes that multiply with weights of the encoder or look vectors up in them, in the order in which they run."""
    place = {"MatMul": 1, "Gather": 0}
    constants = {constant.name for constant in model.graph.initializer if constant.data_type == _FLOAT}
    return [node for node in model.graph.node if node.op_type in place and node.input[place[node.op_type]] in constants]


def _tidy(model: "ModelProto") -> None:
    """Name weighted nodes as the model's modules, and take out what tells of this machine's files."""
    weighted, taken = {node.name for node in weighted_nodes(model)}, Counter[str]()
    for node in model.graph.node:
        notes = {note.key: note.value for note in node.metadata_props}
        node.ClearField("metadata_props")
        if node.name in weighted and _SCOPES in notes:
            module = ast.literal_eval(notes[_SCOPES])[-2].removeprefix("backbone.model.")
            taken[module] += 1
            # A module that runs twice has two nodes.
            node.name = module if taken[module] == 1 else f"{module}.{taken[module]}"


@contextmanager
def silent() -> Iterator[None]:
    """Hold back the remarks of exporter and quantiser, none of which a user can act on."""
    level = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)
