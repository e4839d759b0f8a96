"""Writes docs/configuration.md from the configuration models: ``python docs/make_configuration.py``."""

import types
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sharprecl.config import (
    METHODS,
    AugmentConfig,
    DecisionConfig,
    EncoderConfig,
    RunConfig,
    TrainingConfig,
)

SECTIONS: list[tuple[str, str, type[BaseModel]]] = [
    ("The run", "", RunConfig),
    ("The encoder", "encoder.", EncoderConfig),
    ("The training", "training.", TrainingConfig),
    ("The decision", "decision.", DecisionConfig),
    *((f"The augmenter: {name}", f"augment.{name}.", type(section)) for name, section in AugmentConfig()),
    *((f"The method: {name}", "method.", METHODS[name]) for name in METHODS),
]
INTRODUCTION = """# Configuration

Every setting, its default, and what it does. This page is generated from `src/sharprecl/config/`.

A YAML file holds any part of it and is given with `--config run.yaml`; options of the command line win over the file,
the file wins over the profile, the profile over these defaults. `--set method.mu=0.5` sets anything. From Python:
`TextClassifier(config={"method": {"mu": 0.5}})`. Every run writes the whole of it to `config.yaml` in its folder; given
back with `--config`, it repeats the run to the byte on the same machine.

```yaml
seed: 1
encoder: {name: minilm, max_length: 128}
method: {name: sharprecl, mu: 0.5}
training: {max_epochs: 20, patience: 4}
```

Profiles: `default`; `matched`, for comparisons (no early stopping; one optimiser, one number of steps, of each source
only what belongs to its loss); `official`, what the method's own source trained with, refused where there is none;
`paper` and `released`,
SharpReCL's equations as printed (the sign mended) and its published code fault by fault.

`method.name` may be `auto`: the label distribution of the training texts chooses, and the run says why. Or it is
`module:Class`, a [method of your own](extending.md) with settings of its own.
"""


def allowed(field: FieldInfo) -> str:
    """The type as a reader wants it: choices spelled out."""
    return _spelled(field.annotation)


def _spelled(kind: Any) -> str:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is type(None):
        return "null"
    if origin is Annotated:
        return _spelled(inner[0])
    if origin is Literal:
        return ", ".join(repr(choice) for choice in inner)
    if origin in (Union, types.UnionType):
        return " or ".join(map(_spelled, inner))
    if origin is tuple:
        return f"list of {_spelled(inner[0])}"
    if origin is dict:
        return f"{_spelled(inner[0])} to {_spelled(inner[1])}"
    return str(kind.__name__)


def default_of(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def row(path: str, name: str, field: FieldInfo) -> str:
    return f"| `{path}{name}` | `{default_of(field)}` | {allowed(field)} | {field.description or ''} |"


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for title, path, model in SECTIONS:
        parts.append(f"## {title}\n\n| setting | default | values | meaning |\n|---|---|---|---|")
        fields = model.model_fields.items()
        parts.append("\n".join(row(path, name, f) for name, f in fields if not _is_section(f)) + "\n")
    return "\n".join(parts)


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.get_default(), BaseModel)


if __name__ == "__main__":
    (Path(__file__).parent / "configuration.md").write_text(page(), encoding="utf-8")
