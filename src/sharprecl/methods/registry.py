"""The class of a method, imported when asked for: ``sharprecl.config.registry`` knows where it is."""

import importlib
from typing import Any

from sharprecl.config import METHODS, method_settings, outside_method


def method_class(name: str) -> Any:
    """The class of the method called ``name``: a ``Method``, or for language models a ``Backend``.

    Raises:
        ConfigError: there is no such method.
    """
    settings = method_settings(name)
    return load_object(settings.implementation) if name in METHODS else outside_method(name).kind


def load_object(path: str) -> Any:
    """What stands at ``module:name``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
