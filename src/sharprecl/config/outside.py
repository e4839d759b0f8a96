"""Methods from outside the package, named by their address or by an entry point of an installed package.

An address is ``module:Class``, as in ``my_package.poly1:Poly1``. The module is looked for among the installed packages
and then in the current folder. An entry point of the group ``sharprecl.methods`` gives an address a short name::

    [project.entry-points."sharprecl.methods"]
    poly1 = "my_package.poly1:Poly1"

docs/extending.md says what the class needs.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ConfigDict, ValidationError

from sharprecl.config.base import refusals
from sharprecl.config.method import MethodConfig
from sharprecl.errors import ConfigError
from sharprecl.source import hash_sources

GROUP = "sharprecl.methods"


@dataclass(frozen=True)
class OutsideMethod:
    """A method from outside.

    Attributes:
        kind: its class, a ``sharprecl.methods.base.Method``.
        settings: of the method.
        code: hex SHA-256 over the Python files of the package that it is in, or of the one file.
    """

    kind: Any
    settings: type[MethodConfig]
    code: str


class SavedSettings(MethodConfig):
    """Settings of the method from outside that trained a saved classifier, unchecked: its code may be gone."""

    model_config = ConfigDict(extra="allow")


@cache
def short_names() -> Mapping[str, tuple[EntryPoint, ...]]:
    """The entry points of installed packages by their names; more than one is a conflict."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


@cache
def outside_method(name: str) -> OutsideMethod:
    """The method with this address or short name, imported.

    Raises:
        ConfigError: there is none, or it is no method.
    """
    address = _address(name)
    told = f"the method {name!r}" if name == address else f"the method {name!r} ({address})"
    module_name, _, class_name = address.partition(":")
    module = _import(module_name, told)
    kind = getattr(module, class_name, None)
    if kind is None:
        raise ConfigError(f"{told}: {module.__file__} has no {class_name!r}; is it another file that you mean?")
    settings = _settings(kind, class_name, told)
    try:
        settings(name=name)
    except ValidationError as error:
        raise ConfigError(
            f"{told}: {settings.__name__} needs a default for every setting ({refusals(error)})"
        ) from error
    return OutsideMethod(kind, settings, hash_sources(_sources(module)))


def _address(name: str) -> str:
    if ":" not in name:
        points = short_names()[name]
        if len(points) > 1:
            every = ", ".join(point.value for point in points)
            raise ConfigError(f"several packages have a method {name!r}; name one by its address: {every}")
        return points[0].value
    module, _, kind = name.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), kind)):
        raise ConfigError(f"{name!r} is no address of a method; write module:Class, as in my_package.poly1:Poly1")
    return name


def _import(name: str, told: str) -> ModuleType:
    folder = os.getcwd()
    # At the end: a random.py that lies beside the data must not take the place of Python's own.
    if folder not in sys.path:
        sys.path.append(folder)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{name}.".startswith(f"{error.name}."):
            raise ConfigError(
                f"{told}: there is no module {error.name!r}, neither among the installed packages nor in the current "
                f"folder, {folder}; go to the folder that holds it, or install its package"
            ) from error
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = "" if isinstance(error, SyntaxError) else f", in {place.filename}, line {place.lineno}"
        raise ConfigError(
            f"{told}: its module cannot be imported ({type(error).__name__}: {error}{where}); mend it first"
        ) from error


def _settings(kind: Any, name: str, told: str) -> type[MethodConfig]:
    """The settings of a class, once it is known to be a method."""
    bases = [f"{base.__module__}.{base.__name__}" for base in getattr(kind, "__mro__", ())]
    # By name, so that what is wrong is found without PyTorch.
    if "sharprecl.methods.base.Method" not in bases:
        raise ConfigError(f"{told}: {name} is no method; a method is a subclass of sharprecl.methods.base.Method")
    if lacking := sorted(kind.__abstractmethods__):
        raise ConfigError(f"{told}: {name} lacks {' and '.join(lacking)}; sharprecl.methods.base.Method says what for")
    settings: Any = getattr(kind, "Config", None)
    if not (isinstance(settings, type) and issubclass(settings, MethodConfig)):
        raise ConfigError(
            f"{told}: {name} has no settings; write class {name}Config(sharprecl.config.MethodConfig) and, in {name}, "
            f"Config = {name}Config"
        )
    if settings.model_fields["name"].annotation is not str:
        raise ConfigError(
            f"{told}: the settings {settings.__name__} belong to the method {settings().name!r}; give {name} a "
            f'subclass of them with name: str = ""'
        )
    return settings


def _sources(module: ModuleType) -> Iterator[tuple[str, Path]]:
    """The Python files that count as the method's code, each with its name in the package."""
    top = sys.modules[module.__name__.partition(".")[0]]
    folders = [Path(folder) for folder in getattr(top, "__path__", ())]
    if not folders and module.__file__ is not None:
        yield Path(module.__file__).name, Path(module.__file__)
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            yield path.relative_to(folder).as_posix(), path
