"""The trained backbone as a stock Hugging Face model that needs nothing of ours.

``native`` is stock already. ``cls`` and ``mean`` replace the head's dense layer: ``tanh(e x) / e`` is ``x`` when ``e``
is tiny, and powers of two make the scaling exact.

Mean pooling is an attention layer whose queries and keys are zero: every token then attends to all real tokens
alike, so with the identity as value the attention output is the masked mean m. The layer adds its input h before it
normalises; an output matrix ``K I`` makes that ``LayerNorm(K m + h)``, which is ``LayerNorm(m)`` when K drowns h. The
feed-forward part is zero, so the second normalisation meets a vector that is normalised already.

float16 ends at 65504, so K alone cannot drown h there. The normalisation in front of the layer therefore gives ``d h``,
the value matrix ``I / d`` takes that back, and h is drowned by ``K / d``, though no number leaves float16's range.

``unfolded`` takes all of it back: what this library loads pools directly, which saves the extra layer's time.
"""

import copy
from typing import Any, cast

import torch
from torch import nn

from sharprecl.decision.decision import Decision
from sharprecl.models.backbone import Backbone
from sharprecl.models.pooling import PoolingName, check_expressible
from sharprecl.models.stock import FOLDED, last_linear

DROWNING = float(2**9)
"""K: leaves float16 room for token vectors up to 127."""

DIMMED = float(2**-11)
"""d: K / d, 2^20, is far above any residual; d h is rounded no more coarsely in float16 than h is."""

STRAIGHT = float(2**-14)
"""e: tanh(e x) / e differs from x by (e x)^2 / 3, relatively: 1e-7 at |x| = 9, float32's own resolution. W / e stays
within float16 while no weight of the classifier exceeds 4; trained ones are below 0.2."""


def stock_model(backbone: Backbone) -> Any:
    """Express a trained backbone as its stock class.

    Returns:
        A new model in evaluation mode (for ``native``: the backbone's own model); its logits equal the backbone's up
        to float32 rounding.

    Raises:
        ExportError: the architecture has no room for this pooling.
    """
    source = backbone.model
    if backbone.pooling == "native":
        return source
    check_expressible(source.config, backbone.pooling)
    config = copy.deepcopy(source.config)
    setattr(config, FOLDED, backbone.pooling)
    if backbone.pooling == "mean":
        config.num_hidden_layers += 1
    model = type(source)(config)
    missing, unexpected = model.load_state_dict(source.state_dict(), strict=False)
    assert not unexpected, unexpected
    layers = model.base_model.encoder.layer
    extra = f"{model.base_model_prefix}.encoder.layer.{len(layers) - 1}."
    assert all(name.startswith(extra) for name in missing), missing
    with torch.no_grad():
        if backbone.pooling == "mean":
            _average(layers[-2], layers[-1])
        _straighten(_dense_before(model), backbone.classifier, model)
    return model.eval()


@torch.no_grad()
def unfolded(model: Any) -> PoolingName:
    """Take back, in place and exactly, what ``stock_model`` folded into a model.

    Returns:
        The pooling with which ``Backbone`` gives the folded model's answers, and the features of the training.
    """
    pooling = cast("PoolingName", getattr(model.config, FOLDED, "native"))
    if pooling == "native":
        return pooling
    delattr(model.config, FOLDED)
    # What was folded is read from the weights: earlier versions had other numbers.
    last_linear(model, model.config.num_labels).weight.mul_(_dense_before(model).weight[0, 0])
    if pooling == "mean":
        layers = model.base_model.encoder.layer
        _scale(layers[-2], layers[-1].attention.self.value.weight[0, 0])
        del layers[-1]
        model.config.num_hidden_layers -= 1
    return pooling


@torch.no_grad()
def fold_decision(classifier: nn.Linear, decision: Decision) -> bool:
    """Write a decision into the last linear layer: W / T and b / T + shift, whose logits are the decided scores.

    Returns:
        False where the layer has no bias to take the shift; it is then left as it was.
    """
    has_bias = "bias" in dict(classifier.named_parameters())
    if decision.shifts and not has_bias:
        return False
    # In float64, so that no more than the last rounding is lost.
    classifier.weight.copy_(classifier.weight.double() / decision.temperature)
    if has_bias:
        shift_C = torch.from_numpy(decision.shift_C).to(classifier.bias.device)
        classifier.bias.copy_(classifier.bias.double() / decision.temperature + shift_C)
    return True


def _dense_before(model: Any) -> nn.Linear:
    pooler = getattr(model.base_model, "pooler", None)
    dense = pooler.dense if pooler is not None else model.classifier.dense
    assert isinstance(dense, nn.Linear)
    return dense


def _scale(layer: Any, factor: float | torch.Tensor) -> None:
    """Multiply what a transformer layer gives."""
    for parameter in layer.output.LayerNorm.parameters():
        parameter.mul_(factor)


def _average(before: Any, layer: Any) -> None:
    """Turn a fresh transformer layer into the masked mean of what the layer before it gave, at every position."""
    _scale(before, DIMMED)
    for parameter in layer.parameters():
        parameter.zero_()
    attention = layer.attention
    attention.self.value.weight.copy_(torch.eye(len(attention.self.value.weight)) / DIMMED)
    attention.output.dense.weight.copy_(torch.eye(len(attention.output.dense.weight)) * DROWNING)
    attention.output.LayerNorm.weight.fill_(1.0)
    # The input of the second normalisation has variance 1, to which the encoder's epsilon is added: undone here.
    layer.output.LayerNorm.weight.fill_((1.0 + layer.output.LayerNorm.eps) ** 0.5)


def _straighten(dense: nn.Linear, trained: nn.Linear, model: Any) -> None:
    """Make dense + tanh + classifier equal to the trained classifier alone."""
    dense.weight.copy_(torch.eye(len(dense.weight)) * STRAIGHT)
    dense.bias.zero_()
    linear = last_linear(model, trained.out_features)
    linear.weight.copy_(trained.weight.detach().cpu() / STRAIGHT)
    if trained.bias is not None:
        linear.bias.copy_(trained.bias.detach().cpu())
