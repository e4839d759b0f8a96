"""The space of a search: which settings, and what of each. Checked without PyTorch."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from sharprecl.config import (
    SHARED,
    Around,
    Dimension,
    Range,
    RunConfig,
    Settings,
    leaves,
    merge,
    nested,
    read_yaml,
    refusals,
    resolve,
)
from sharprecl.config.space import Choice
from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError

AUTOMATIC = ("training.batch_size", "training.learning_rate", "training.head_learning_rate", "training.max_epochs")
"""Settings whose ``auto`` is a number that data and encoder decide."""

# They say what is searched, and on which texts: with another value trials could not be compared.
_SET_BEFORE = ("profile", "seed", "method.name", "training.folds", "training.select_on")

Start = Mapping[str, Choice]
"""Where a search begins, by the path of the setting: trial 0."""


def check_method(config: RunConfig) -> None:
    """See that a method can be judged out of fold, on texts of which none choose an epoch.

    Raises:
        ConfigError: it cannot.
    """
    name = config.method.name
    if not config.method.heeds_setting("training", "folds"):
        raise ConfigError(
            f"settings are judged on texts held out of the training, and {name} holds none out; search for those of a "
            f"method with an encoder, as with --method sharprecl"
        )
    if config.training.select_on == "test":
        raise ConfigError("a search never looks at test texts; set training.select_on to last")


def shipped_space(config: RunConfig) -> dict[str, Dimension]:
    """What the method's settings bring, and what is tried of every method that trains by steps.

    Raises:
        ConfigError: there is nothing.
    """
    own: dict[str, Dimension] = {f"method.{name}": dimension for name, dimension in type(config.method).search.items()}
    shared = {path: of for path, of in SHARED.items() if config.method.heeds_setting(*path.split("."))}
    if not (found := own | shared):
        raise ConfigError(f"{config.method.name} brings nothing to search; say what to try with --space")
    return found


def read_space(path: Path) -> dict[str, Dimension]:
    """Read a space from YAML: ``method.mu: {low: 0.1, high: 1, log: true}``, ``{around: 4}`` or a list of choices.

    Raises:
        ConfigError: the file cannot be read, or a line of it is no dimension.
    """
    found = {str(name): _dimension(value, f"{path}: {name}") for name, value in read_yaml(path).items()}
    if not found:
        raise ConfigError(f"{path} names no setting; write lines like 'method.mu: {{low: 0.1, high: 1}}'")
    return found


def _dimension(value: Any, where: str) -> Dimension:
    kind: Any = Around if isinstance(value, Mapping) and "around" in value else Range
    if isinstance(value, list):
        kind = tuple[Choice, ...]
    try:
        made: Dimension = TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise ConfigError(
            f"{where} cannot be searched ({refusals(error)}); write {{low: 0.1, high: 1, log: true}}, {{around: 4}} or "
            f"a list of choices"
        ) from error
    if made == ():
        raise ConfigError(f"{where} has no choices; name two or more")
    return made


def check_space(space: Mapping[str, Dimension], wanted: Settings, config: RunConfig, class_counts: np.ndarray) -> None:
    """See that every setting is there, and takes what would be tried.

    Args:
        wanted: what ``config`` was resolved from.
        class_counts: training texts of each class, [C].

    Raises:
        ConfigError: one is not, or does not.
    """
    known = _values(config)
    for path, dimension in space.items():
        if path not in known:
            raise ConfigError(
                f"the space names {path!r}, which is no setting of {config.method.name}{closest(path, known)}; "
                f"docs/configuration.md lists all"
            )
        if path in _SET_BEFORE:
            raise ConfigError(f"the space names {path!r}, which is the same in all trials; leave it out there")
        if isinstance(dimension, tuple):
            tried: tuple[Choice, ...] = dimension
        elif not _is_number(known[path]) and not (known[path] == "auto" and path in AUTOMATIC):
            raise ConfigError(
                f"the space has numbers for {path}, which is {known[path]!r} to begin with; begin at a number, with "
                f"--set {path}=..., or list choices"
            )
        else:
            tried = (dimension.low, dimension.high) if isinstance(dimension, Range) else ()
        for value in tried:
            resolve(merge(wanted, nested(path.split("."), value)), class_counts)


def start_of(space: Mapping[str, Dimension], config: RunConfig, automatic: Mapping[str, Choice]) -> Start:
    """What the settings of a space are to begin with.

    Args:
        automatic: what ``auto`` comes to, for settings in ``AUTOMATIC``.
    """
    known = _values(config)
    return {path: automatic[path] if known[path] == "auto" and path in automatic else known[path] for path in space}


def settled(space: Mapping[str, Dimension], start: Start) -> dict[str, Range | tuple[Choice, ...]]:
    """The space as ranges and choices, each wide enough for the start to be in it."""
    return {path: _settled(dimension, start[path]) for path, dimension in space.items()}


def _settled(dimension: Dimension, start: Choice) -> Range | tuple[Choice, ...]:
    if isinstance(dimension, tuple):
        return dimension if start in dimension else (start, *dimension)
    assert isinstance(start, int | float)
    if isinstance(dimension, Range):
        return Range(min(dimension.low, start), max(dimension.high, start), dimension.log and start > 0)
    low, high = start / dimension.around, start * dimension.around
    return Range(max(1, math.floor(low)), max(2, math.ceil(high)), True) if is_whole(start) else Range(low, high, True)


def is_whole(start: Choice) -> bool:
    """Whether a setting that begins here takes whole numbers alone."""
    return isinstance(start, int) and not isinstance(start, bool)


def settings_of(values: Mapping[str, Choice]) -> Settings:
    """Tried values as nested settings, numbers to three digits: nobody can tell more apart."""
    return merge(*(nested(path.split("."), rounded(value)) for path, value in values.items()))


def rounded(value: Choice) -> Choice:
    """A value as it is trained with."""
    return float(f"{value:.3g}") if isinstance(value, float) else value


def _values(config: RunConfig) -> dict[str, Any]:
    return {".".join(path): value for path, value in leaves(config.model_dump())}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
