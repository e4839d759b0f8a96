"""Fewer layers to run, and fewer to train."""

from typing import Any

import torch
from torch import nn

from sharprecl.errors import ConfigError
from sharprecl.models import stock
from sharprecl.models.lower import LowerLayers


def keep_first(model: Any, number: int) -> None:
    """Leave only the lowest layers of an encoder. What is left is a stock model of fewer layers.

    Raises:
        ConfigError: it has not so many, or no plain list of layers.
    """
    layers = _layers(model, "layers", number)
    del layers[number:]
    config = model.config.get_text_config()
    config.num_hidden_layers = number
    if kinds := getattr(config, "layer_types", None):
        config.layer_types = kinds[:number]


def frozen_below(model: Any, trainable: int) -> tuple[list[nn.Module], LowerLayers | None]:
    """What lies below the uppermost layers: the embeddings and the other layers, from now on without gradients.

    Args:
        trainable: how many layers are trained.

    Returns:
        Modules to be kept in evaluation mode, and the layers among them, unless that is none or all.

    Raises:
        ConfigError: it has not so many layers, or no plain list of them.
    """
    layers = _layers(model, "trainable_layers", trainable)
    frozen: list[nn.Module] = []
    for child in model.base_model.children():
        if any(module is layers for module in child.modules()):
            break
        frozen.append(child)
    lower, upper = list(layers)[: len(layers) - trainable], list(layers)[len(layers) - trainable :]
    frozen += lower
    for module in frozen:
        module.requires_grad_(False)
    if not lower or not upper:
        return frozen, None
    below = LowerLayers(lower, upper)
    _freeze_shared(model, below)
    return frozen, below


def _freeze_shared(model: Any, below: LowerLayers) -> None:
    """Freeze what the lower layers share with the upper ones, such as the vectors of distances in DeBERTa and MPNet."""
    ids_NT = torch.arange(4)[None] % len(model.get_input_embeddings().weight)
    was_training = model.training
    with below.alone() as given:
        model.eval().base_model(input_ids=ids_NT)
    model.train(was_training)
    if given[0].requires_grad:
        torch.autograd.backward(given[0].sum())
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.requires_grad_(False).grad = None


def _layers(model: Any, setting: str, number: int) -> nn.ModuleList:
    layers = stock.layers(model)
    if number > len(layers):
        raise ConfigError(
            f"encoder.{setting} is {number}, but this encoder has {len(layers)} layers; leave it out, or give a "
            f"smaller number"
        )
    return layers
