"""Imports of optional packages, guarded by a sentence that names the extra to install."""

import importlib
from types import ModuleType

from sharprecl.errors import MissingExtraError


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import ``module`` or say which extra brings it.

    Raises:
        MissingExtraError: the module's package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{purpose} needs the package {module.partition('.')[0]!r}, which is not installed; "
            f"run: pip install 'sharprecl[{extra}]'"
        ) from error
