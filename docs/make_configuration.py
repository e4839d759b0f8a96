"""Writes docs/configuration.md from the configuration models: ``python docs/make_configuration.py``."""

import re
from pathlib import Path

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sharprecl.config import CrossEntropyConfig, EncoderConfig, RunConfig, SharpReCLConfig, TrainingConfig

SECTIONS: list[tuple[str, str, type[BaseModel]]] = [
    ("The run", "", RunConfig),
    ("The encoder", "encoder.", EncoderConfig),
    ("The method: SharpReCL", "method.", SharpReCLConfig),
    ("The method: cross-entropy", "method.", CrossEntropyConfig),
    ("The training", "training.", TrainingConfig),
]
INTRODUCTION = """# Configuration

Every setting, its default, and what it does. This page is generated from `src/sharprecl/config.py`.

A YAML file holds any part of it and is given with `--config run.yaml`; options of the command line win over the file,
the file wins over the profile (`--profile paper`, `--profile released`), the profile over these defaults. From Python:
`TextClassifier(config={"method": {"mu": 0.5}})`. Every run writes the whole of it to `config.yaml` in its folder; given
back with `--config`, it repeats the run to the byte on the same machine.

```yaml
seed: 1
encoder: {name: minilm, max_length: 128}
method: {name: sharprecl, mu: 0.5}
training: {max_epochs: 20, patience: 4}
```
"""


def allowed(field: FieldInfo) -> str:
    """The type as a reader wants it: choices spelled out."""
    words = str(field.annotation)
    for ugly, plain in (("typing.", ""), ("Literal", ""), ("<class '", ""), ("'>", ""), ("NoneType", "null")):
        words = words.replace(ugly, plain)
    words = words.replace("None", "null").replace("['", "'").replace("']", "'")
    words = re.sub(r"Union\[(\w+), ('auto')\]?", r"\1 or \2", words).replace(" | ", " or ")
    return words.rstrip("]")


def row(path: str, name: str, field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    shown = "null" if default is None else str(default).lower() if isinstance(default, bool) else str(default)
    return f"| `{path}{name}` | `{shown}` | {allowed(field)} | {field.description or ''} |"


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
