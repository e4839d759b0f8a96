"""All methods by name, in the order in which they are listed."""

from sharprecl.config import language_models, methods
from sharprecl.config.method import MethodConfig
from sharprecl.config.sharprecl import SharpReCLConfig
from sharprecl.errors import ConfigError

AnyMethod = (
    SharpReCLConfig
    | methods.CrossEntropyConfig
    | methods.DiceConfig
    | methods.FocalConfig
    | methods.SimCSEConfig
    | methods.SupervisedContrastiveConfig
    | methods.SPCLConfig
    | methods.DualCLConfig
    | methods.HybridSCConfig
    | methods.HybridPSCConfig
    | methods.BCLConfig
    | methods.TSCConfig
    | methods.WeightedCrossEntropyConfig
    | methods.ClassBalancedSamplingConfig
    | methods.LdamDrwConfig
    | methods.BalancedSoftmaxConfig
    | methods.LogitAdjustmentConfig
    | methods.FrozenConfig
    | language_models.LlmLoraConfig
    | language_models.OpenAIFinetuneConfig
)

METHODS: dict[str, type[MethodConfig]] = {kind.model_fields["name"].default: kind for kind in AnyMethod.__args__}
"""The settings of each method, by its name."""


def method_settings(name: object) -> type[MethodConfig]:
    """The settings of the method called ``name``.

    Raises:
        ConfigError: there is no such method.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise ConfigError(f"there is no method {name!r}; choose one of {', '.join(METHODS)}")
    return METHODS[name]
