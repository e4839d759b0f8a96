"""The constructor's parameters, and the configuration that they amount to."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from sharprecl.config import METHODS, RunConfig, Settings, difference, given, leaves, merge, nested, resolve
from sharprecl.data.weights import ClassWeight
from sharprecl.errors import ConfigError

NAMED = {
    ("profile",): "profile",
    ("seed",): "random_state",
    ("view",): "view",
    ("encoder", "name"): "encoder",
    ("encoder", "pooling"): "pooling",
    ("encoder", "max_length"): "max_length",
    ("method", "name"): "method",
    ("training", "max_epochs"): "max_epochs",
    ("training", "batch_size"): "batch_size",
    ("training", "learning_rate"): "learning_rate",
    ("training", "patience"): "patience",
    ("training", "select_on"): "select_on",
    ("training", "validation_fraction"): "validation_fraction",
    ("training", "precision"): "precision",
}
"""The settings that are parameters by a name of their own."""

_CONFIG = "config__"


class Parameters(BaseEstimator):
    """Keeps the parameters. ``set_params`` and grids reach every setting: ``config__method__mu=0.5``."""

    def __init__(
        self,
        encoder: str | None = None,
        method: str | None = None,
        profile: str | None = None,
        view: str | None = None,
        pooling: str | None = None,
        max_length: int | None = None,
        max_epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        patience: int | None = None,
        select_on: str | None = None,
        validation_fraction: float | None = None,
        precision: str | None = None,
        class_weight: ClassWeight | None = None,
        config: Settings | RunConfig | None = None,
        text_column: str = "text",
        device: str = "auto",
        processes: int = 1,
        random_state: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.encoder = encoder
        self.method = method
        self.profile = profile
        self.view = view
        self.pooling = pooling
        self.max_length = max_length
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.select_on = select_on
        self.validation_fraction = validation_fraction
        self.precision = precision
        self.class_weight = class_weight
        self.config = config
        self.text_column = text_column
        self.device = device
        self.processes = processes
        self.random_state = random_state
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name; with ``deep``, the settings in ``config`` besides, as ``config__section__name``."""
        parameters: dict[str, Any] = super().get_params(deep=False)
        if deep and isinstance(self.config, Mapping | RunConfig):
            for path, value in leaves(self._nested()):
                if getattr(self, NAMED.get(path, ""), None) is None:
                    parameters[_CONFIG + "__".join(path)] = value
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, and any setting as ``config__section__name``.

        A setting that has a name of its own is set by that: ``config__training__max_epochs=3`` is ``max_epochs=3``.
        """
        deep = {key: params.pop(key) for key in list(params) if key.startswith(_CONFIG)}
        super().set_params(**params)
        for key, value in deep.items():
            path = tuple(key.removeprefix(_CONFIG).split("__"))
            name = NAMED.get(path)
            if name is not None:
                # None by name would mean the profile's value, and is one where patience is off.
                setattr(self, name, value)
            if name is None or value is None:
                self.config = merge(self._nested(), nested(path, value))
        return self

    def run_config(self, class_counts: np.ndarray | None = None) -> RunConfig:
        """The whole configuration that the parameters amount to.

        Args:
            class_counts: training texts of each class, [C]; needed by the method ``auto``.

        Raises:
            ConfigError: they contradict each other.
        """
        if isinstance(self.config, RunConfig) and not self._named():
            return self.config
        return resolve(self._settings(), class_counts)

    def _settings(self) -> Settings:
        return merge(self._nested(), self._named())

    def _named(self) -> Settings:
        return given(merge(*(nested(path, getattr(self, name)) for path, name in NAMED.items())))

    def _nested(self) -> Settings:
        config = self.config.model_dump(mode="json") if isinstance(self.config, RunConfig) else self.config
        if config is not None and not isinstance(config, Mapping):
            raise ConfigError(f"config is {config!r}; give nested settings, as in {{'method': {{'mu': 0.5}}}}")
        return config or {}


def parameters_of(config: RunConfig) -> dict[str, Any]:
    """Parameters that amount to a configuration: encoder, method, and what differs from the profile's values.

    Of a method from outside, whose defaults only its code knows, that is everything.
    """
    kept, usual = config.kept(), {}
    if config.method.name in METHODS:
        usual = resolve({"profile": config.profile, "method": {"name": config.method.name}}).kept()
    rest = difference(kept, usual)
    always = {"encoder": kept["encoder"]["name"], "method": kept["method"]["name"]}
    if config.profile != "default":
        always["profile"] = config.profile
    named = {name: value for path, value in leaves(rest) if value is not None and (name := NAMED.get(path))}
    others = merge(*(nested(path, value) for path, value in leaves(rest) if value is None or path not in NAMED))
    return {**always, **named, "config": others or None}
