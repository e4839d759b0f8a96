"""Layers of partial settings: merged, read from words and YAML, written as YAML."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sharprecl.config.run import RunConfig
from sharprecl.errors import ConfigError

Settings = dict[str, Any]


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
    inner = {key: given(value) if isinstance(value, Mapping) else value for key, value in values.items()}
    return {key: value for key, value in inner.items() if value is not None and value != {}}


def nested(path: Sequence[str], value: Any) -> Settings:
    """One setting as nested ones: ``("method", "mu")`` and 0.5 as ``{"method": {"mu": 0.5}}``."""
    for key in reversed(path):
        value = {key: value}
    settings: Settings = value
    return settings


def leaves(settings: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The settings one by one, each with its path: the inverse of merging what ``nested`` gives."""
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*above, key))
        else:
            yield (*above, key), value


def difference(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> Settings:
    """What of nested settings is not as usual."""
    found: Settings = {}
    for key, value in settings.items():
        other = usual.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            value, other = difference(value, other), {}
        if value != other:
            found[key] = value
    return found


def assignments(words: Sequence[str]) -> Settings:
    """Nested settings of words like ``method.mu=0.5``; what comes later wins.

    Raises:
        ConfigError: a word is none.
    """
    settings: Settings = {}
    for word in words:
        path, equals, value = word.partition("=")
        if not equals or not all(path.split(".")):
            raise ConfigError(f"--set {word!r} is no setting; write it like --set method.mu=0.5")
        try:
            leaf = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError) as error:
            raise ConfigError(f"--set {word!r}: the value is not valid YAML; quote it") from error
        settings = merge(settings, nested(path.split("."), leaf))
    return settings


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice in a mapping, of which YAML's own loader silently drops the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping, each key of it once."""
        seen = set()
        for key, _ in node.value:
            name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) and key.value != "<<" else key
            if name in seen:
                raise yaml.constructor.ConstructorError(
                    "while reading a mapping", node.start_mark, f"{key.value!r} stands twice", key.start_mark
                )
            seen.add(name)
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def read_yaml(path: Path) -> Settings:
    """Read partial settings from a YAML file.

    Raises:
        ConfigError: the file is missing, is not YAML, or is not a mapping.
    """
    try:
        value = yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the configuration {path} cannot be read ({error}); check its name") from error
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path} is not valid YAML ({error}); check its keys and indentation") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path} holds {type(value).__name__}, not settings; write lines like 'seed: 1'")
    return value


def to_yaml(config: RunConfig) -> str:
    """The whole configuration as YAML, fit to be read again."""
    return yaml.safe_dump(config.kept(), sort_keys=False, allow_unicode=True)
