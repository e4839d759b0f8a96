"""The base of all sections of settings, and their messages about refused settings."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Share = Annotated[float, Field(gt=0.0, le=1.0)]


class Frozen(BaseModel):
    """Base of every section: immutable, hashable by content, strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __repr_args__(self) -> Any:
        """Only what is not at its default: all the settings of a run would fill the screen."""
        usual = {name: field.get_default(call_default_factory=True) for name, field in type(self).model_fields.items()}
        return [(name, value) for name, value in super().__repr_args__() if value != usual.get(name or "")]


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
