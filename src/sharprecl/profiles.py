"""From what a user wrote to a whole ``RunConfig``: profile first, then the file, then the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sharprecl.config import RunConfig
from sharprecl.errors import ConfigError

Settings = dict[str, Any]

_PAPER: Settings = {
    "encoder": {"pooling": "cls"},
    "method": {"positives": "sum", "anchor_weight": "neg_log_prior"},
    "training": {
        "max_epochs": 30,
        "batch_size": 128,
        "learning_rate": 5e-5,
        "head_learning_rate": 5e-5,
        "weight_decay": 5e-4,
        "decay_all": True,
        "schedule": "constant",
        "warmup": 0.0,
        "clip_norm": None,
        "patience": None,
    },
}

_RELEASED: Settings = {
    "encoder": {"pooling": "cls"},
    "method": {
        "n_pos": 0,
        "n_neg": 0,
        "positives": "mean",
        "anchor_weight": "code_scalar",
        "prior_smoothing": "epsilon",
        "normalize_logits": True,
        "ratio_by": "epoch",
        "head_norm": "batch",
    },
    "training": {**_PAPER["training"], "weight_decay": 4e-5, "select_on": "test", "legacy_eval_mode": True},
}

PROFILES: dict[str, Settings] = {"default": {}, "paper": _PAPER, "released": _RELEASED}


def resolve(settings: Mapping[str, Any]) -> RunConfig:
    """Make a whole configuration from partial settings.

    A profile's own settings for a method apply to SharpReCL only; another method under the ``paper`` profile gets the
    profile's encoder and training settings.

    Raises:
        ConfigError: an unknown or unfit setting; the sentence gives its path.
    """
    profile = settings.get("profile", "default")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise ConfigError(f"profile: {profile!r} is not known; choose one of {', '.join(PROFILES)}")
    base = {key: dict(value) for key, value in PROFILES[profile].items()}
    if _method_name(settings) != "sharprecl":
        base.pop("method", None)
    try:
        return RunConfig.model_validate(merge(base, {"method": {"name": "sharprecl"}}, settings))
    except ValidationError as error:
        raise ConfigError("; ".join(_sentence(item) for item in error.errors())) from error


def merge(*layers: Mapping[str, Any]) -> Settings:
    """Merge nested settings; what comes later wins."""
    merged: Settings = {}
    for layer in layers:
        for key, value in layer.items():
            old = merged.get(key)
            both = isinstance(old, Mapping) and isinstance(value, Mapping)
            merged[key] = merge(old, value) if both else value  # type: ignore[arg-type]
    return merged


def given(values: Mapping[str, Any]) -> Settings:
    """Only the settings that somebody gave: None and empty sections are left out."""
    nested = {key: given(value) if isinstance(value, Mapping) else value for key, value in values.items()}
    return {key: value for key, value in nested.items() if value is not None and value != {}}


def read_yaml(path: Path) -> Settings:
    """Read partial settings from a YAML file.

    Raises:
        ConfigError: the file is missing, is not YAML, or is not a mapping.
    """
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the configuration {path} cannot be read ({error}); check its name") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not valid YAML ({error}); check its indentation") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path} holds {type(value).__name__}, not settings; write lines like 'seed: 1'")
    return value


def to_yaml(config: RunConfig) -> str:
    """The whole configuration as YAML, fit to be read again."""
    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _method_name(settings: Mapping[str, Any]) -> Any:
    method = settings.get("method", {})
    return method.get("name", "sharprecl") if isinstance(method, Mapping) else None


def _sentence(item: Any) -> str:
    path = ".".join(str(part) for part in item["loc"] if part not in ("sharprecl", "cross_entropy")) or "settings"
    message = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        message = "there is no such setting; see docs/configuration.md for all of them"
    elif item["type"] == "union_tag_invalid":
        message = f"{item['input'].get('name')!r} is not known; choose one of sharprecl, cross_entropy"
    return f"{path}: {message}"
