"""From what a user wrote to a whole ``RunConfig``: profile first, then the file, then the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from sharprecl.config import RunConfig, refusals
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError
from sharprecl.methods.choice import choose_method
from sharprecl.methods.registry import method_class, method_names

if TYPE_CHECKING:
    import numpy as np

Settings = dict[str, Any]

# What surrounds a method in its source: no means to start from, a second view from an augmenter, an epoch to be chosen.
_SOURCES: Settings = {
    "view": "auto",
    "prototypes": {"start": "random"},
    "training": {"select_on": "validation"},
}

# What the paper's method has and this package's default has not.
_PRINTED: Settings = {"mu": 1.0, "temperature": 0.3, "compensation": 1.0, "mixtures": 0.0}

_PAPER: Settings = {
    **_SOURCES,
    "encoder": {"pooling": "cls"},
    # The mean over an anchor's positives, as in the published code: their sum, as Eq. CL prints it, is some 450 times
    # L_CLS on the first step of TREC at ratio 50 and has 60 times its gradient.
    "method": {**_PRINTED, "anchor_weight": "neg_log_prior"},
    "training": {
        **_SOURCES["training"],
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
    **_SOURCES,
    "encoder": {"pooling": "cls"},
    "method": {
        **_PRINTED,
        "n_pos": 0,
        "n_neg": 0,
        "positives": "mean",
        "anchor_weight": "code_scalar",
        "prior_smoothing": "epsilon",
        "normalize_logits": True,
        "ratio_by": "epoch",
        "head_norm": "batch",
    },
    "training": {
        **_PAPER["training"],
        "weight_decay": 4e-5,
        "select_on": "test",
        "legacy_eval_mode": True,
        "precision": "fp32",
    },
}

# ``matched`` is for comparisons: every method starts at the class means, trains on all texts for as many steps with the
# same optimiser, batches and views, and keeps the last epoch; of its source it has only what belongs to its loss. The
# defaults do all that; ``matched`` does not stop early either where a plan asks for validation. ``official`` is what a
# method's own source trained with. How ``released`` differs from the published code stands in docs/METHODS.md.
PROFILES: dict[str, Settings] = {
    "default": {},
    "matched": {"training": {"patience": None}},
    "official": _SOURCES,
    "paper": _PAPER,
    "released": _RELEASED,
}

AUTO = "auto"
"""The method that is chosen by the label distribution (``methods/choice.py``)."""


def resolve(settings: Mapping[str, Any], class_counts: "np.ndarray | None" = None) -> RunConfig:
    """Make a whole configuration from partial settings.

    The method settings of ``paper`` and ``released`` are SharpReCL's; another method under them gets their encoder and
    training settings.

    Args:
        settings: nested settings.
        class_counts: training texts of each class, [C]; needed where the method is ``auto``.

    Raises:
        ConfigError: an unknown or unfit setting; the sentence gives its path.
    """
    name, method = _method(settings)
    if name == AUTO:
        if class_counts is None:
            raise ConfigError("method: 'auto' is chosen by the training labels, and there are none yet; name a method")
        name = choose_method(class_counts).name
    if name not in method_names():
        raise ConfigError(f"method: {name!r} is not known; choose one of auto, {', '.join(method_names())}")
    profile = settings.get("profile", "default")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise ConfigError(f"profile: {profile!r} is not known; choose one of {', '.join(PROFILES)}")
    kind = method_class(name)
    base = {key: value for key, value in PROFILES[profile].items() if key not in kind.ignores}
    if name != "sharprecl":
        base.pop("method", None)
    if profile == "official":
        if not kind.official:
            raise ConfigError(
                f"profile: {name} has no settings of its own source to train with"
                + ("; its sources are the profiles paper and released" if name == "sharprecl" else "; use matched")
            )
        base = merge(_SOURCES, kind.official)
    whole = merge(base, settings, {"method": {**base.get("method", {}), **method, "name": name}})
    sections = whole.pop("method")
    try:
        section = kind.Config.model_validate(sections)
    except ValidationError as error:
        raise ConfigError(refusals(error, "method.")) from error
    try:
        config = RunConfig.model_validate({**whole, "method": section})
    except ValidationError as error:
        raise ConfigError(refusals(error)) from error
    _refuse_what_is_ignored(kind, settings, config)
    return config


def _refuse_what_is_ignored(kind: Any, settings: Mapping[str, Any], config: RunConfig) -> None:
    """A setting that was given, differs from its default and would change nothing is a mistake."""
    usual = RunConfig(method=config.method).model_dump()
    for name in kind.ignores:
        given_here = settings.get(name)
        pairs = given_here.items() if isinstance(given_here, Mapping) else [("", given_here)] if given_here else []
        for key, value in pairs:
            expected = usual[name][key] if key else usual[name]
            # Without epochs there is nothing that test texts could choose.
            if value != expected and (key not in kind.heeds or value == "test"):
                path = f"{name}.{key}" if key else name
                raise ConfigError(
                    f"{path}{' (test)' if value == 'test' else ''} says nothing to {config.method.name}, "
                    f"{kind.ignores_because}; its own settings are method.*, see docs/configuration.md"
                )


def note_choice(table: TextTable, settings: Mapping[str, Any]) -> TextTable:
    """The table, with a note that says what was chosen and why where the settings leave the method to its labels."""
    if _method(settings)[0] != AUTO:
        return table
    return replace(table, notes=(choose_method(table.class_counts).sentence, *table.notes))


def _method(settings: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    method = settings.get("method", {})
    if not isinstance(method, Mapping):
        raise ConfigError(f"method: {method!r} is not a section; write 'method: {{name: sharprecl}}'")
    return method.get("name", "sharprecl"), method


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


def assignments(words: Sequence[str]) -> Settings:
    """Nested settings of words like ``method.mu=0.5``; what comes later wins.

    Raises:
        ConfigError: a word is none.
    """
    nested: Settings = {}
    for word in words:
        path, equals, value = word.partition("=")
        if not equals or not all(path.split(".")):
            raise ConfigError(f"--set {word!r} is no setting; write it like --set method.mu=0.5")
        try:
            leaf: Any = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError) as error:
            raise ConfigError(f"--set {word!r}: the value is not valid YAML; quote it") from error
        for key in reversed(path.split(".")):
            leaf = {key: leaf}
        nested = merge(nested, leaf)
    return nested


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
