"""Training methods by the name that a configuration gives them, imported when asked for."""

import importlib

from sharprecl.errors import ConfigError
from sharprecl.methods.base import Method

_WHERE = {
    "sharprecl": ("sharprecl.methods.sharprecl", "SharpReCL"),
    "cross_entropy": ("sharprecl.methods.cross_entropy", "CrossEntropy"),
}


def method_names() -> tuple[str, ...]:
    """All names that ``method_class`` knows."""
    return tuple(_WHERE)


def method_class(name: str) -> type[Method]:
    """The class of the method called ``name``.

    Raises:
        ConfigError: there is no such method.
    """
    if name not in _WHERE:
        raise ConfigError(f"there is no method {name!r}; choose one of {', '.join(_WHERE)}")
    module, attribute = _WHERE[name]
    method: type[Method] = getattr(importlib.import_module(module), attribute)
    return method
