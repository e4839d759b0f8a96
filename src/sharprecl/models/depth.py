"""Fewer layers to run, and fewer to train."""

from typing import Any

from torch import nn

from sharprecl.errors import ConfigError
from sharprecl.models import stock


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


def frozen_below(model: Any, trainable: int) -> list[nn.Module]:
    """What lies below the uppermost layers: the embeddings and the other layers, from now on without gradients.

    Args:
        trainable: how many layers are trained.

    Returns:
        Modules to be kept in evaluation mode.

    Raises:
        ConfigError: it has not so many layers, or no plain list of them.
    """
    layers = _layers(model, "trainable_layers", trainable)
    frozen: list[nn.Module] = []
    for child in model.base_model.children():
        if any(module is layers for module in child.modules()):
            break
        frozen.append(child)
    frozen += list(layers)[: len(layers) - trainable]
    for module in frozen:
        module.requires_grad_(False)
    return frozen


def _layers(model: Any, setting: str, number: int) -> nn.ModuleList:
    layers = stock.layers(model)
    if number > len(layers):
        raise ConfigError(
            f"encoder.{setting} is {number}, but this encoder has {len(layers)} layers; leave it out, or give a "
            f"smaller number"
        )
    return layers
