"""All methods by name, in the order in which they are listed, and those from outside the package."""

from collections.abc import Mapping
from typing import Any

from sharprecl.config import language_models, methods
from sharprecl.config.method import MethodConfig
from sharprecl.config.outside import outside_method, short_names
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.errors import ConfigError

_KINDS: tuple[type[MethodConfig], ...] = (
    SharpReCLConfig,
    methods.CrossEntropyConfig,
    methods.DiceConfig,
    methods.FocalConfig,
    methods.SimCSEConfig,
    methods.SupervisedContrastiveConfig,
    methods.SPCLConfig,
    methods.DualCLConfig,
    methods.HybridSCConfig,
    methods.HybridPSCConfig,
    methods.BCLConfig,
    methods.TSCConfig,
    methods.WeightedCrossEntropyConfig,
    methods.ClassBalancedSamplingConfig,
    methods.LdamDrwConfig,
    methods.BalancedSoftmaxConfig,
    methods.LogitAdjustmentConfig,
    methods.FrozenConfig,
    language_models.LlmLoraConfig,
    language_models.OpenAIFinetuneConfig,
)

METHODS: dict[str, type[MethodConfig]] = {kind.model_fields["name"].default: kind for kind in _KINDS}
"""The settings of each method of the package, by its name."""


def method_names() -> tuple[str, ...]:
    """Every name that needs no address: the package's own, then those that installed packages bring."""
    return tuple(dict.fromkeys((*METHODS, *short_names())))


def method_settings(name: object) -> type[MethodConfig]:
    """The settings of a method: one of ``method_names()``, or ``module:Class``.

    Raises:
        ConfigError: there is no such method, or two of the name.
    """
    if isinstance(name, str) and name in METHODS:
        if taken := short_names().get(name):
            raise ConfigError(
                f"{name!r} names a method of sharprecl and an entry point for {taken[0].value}; rename that entry "
                f"point, or take its package away"
            )
        return METHODS[name]
    if isinstance(name, str) and (":" in name or name in short_names()):
        return outside_method(name).settings
    raise ConfigError(
        f"there is no method {name!r}; choose one of {', '.join(method_names())}, or name a class of your own as "
        f"module:Class"
    )


def outside_code(name: str) -> str:
    """A hash of the code of a method from outside; empty for the package's own.

    Raises:
        ConfigError: there is no such method.
    """
    method_settings(name)
    return "" if name in METHODS else outside_method(name).code


def method_section(value: Any) -> Any:
    """The ``method`` section of a configuration as settings of the method that it names.

    Raises:
        ConfigError: there is no such method, or no such setting of one from outside.
        ValidationError: a setting is unknown or unfit.
    """
    if not isinstance(value, Mapping):
        return value
    name = value.get("name")
    kind = method_settings(name)
    known = [setting for setting in kind.model_fields if setting != "name"]
    for setting in value:
        # Of the package's own methods docs/configuration.md has all settings, and the sentence says so.
        if name not in METHODS and setting not in kind.model_fields:
            raise ConfigError(f"{name} has no setting {setting!r}; it has {', '.join(known) or 'none'}")
    return kind.model_validate(value)
