"""The base of all sections of settings, and their messages about refused settings."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Share = Annotated[float, Field(gt=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every section: immutable, hashable by content, strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def refusals(error: ValidationError, prefix: str = "") -> str:
    """pydantic's objections to settings, in one sentence with each path.

    Args:
        error: pydantic's.
        prefix: where the settings stand in a larger whole, such as ``method.``
    """
    return "; ".join(_refusal(item, prefix) for item in error.errors())


def _refusal(item: Any, prefix: str) -> str:
    parts = [str(part) for part in item["loc"]]
    path = prefix + ".".join(parts)
    message = str(item["msg"]).removeprefix("Value error, ")
    if item["type"] == "extra_forbidden":
        message = "there is no such setting; see docs/configuration.md for all of them"
    return f"{path.rstrip('.') or 'settings'}: {message}"
