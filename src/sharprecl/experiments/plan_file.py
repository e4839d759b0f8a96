"""Plans as YAML files: those that come with the package, and your own; read and written."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sharprecl.config import read_yaml
from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError
from sharprecl.experiments.plan import Plan, refusals_of
from sharprecl.files import write_text

SHIPPED: tuple[str, ...] = (
    "datasets", "main", "llm", "ablation", "default_ablation", "sensitivity", "top_k", "augmentation", "embedding",
)  # fmt: skip
"""The plans that come with the package, in the order of the paper."""

_FOLDER = Path(__file__).parent / "plans"


def load_plan(path_or_name: str | Path) -> Plan:
    """Read a plan: a YAML file, or one of ``SHIPPED`` by its name.

    Where there is no file ``plans/main.yaml``, that too is the shipped plan ``main``; ``origin`` says what was read.

    Raises:
        ConfigError: there is no such plan, or it is none.
    """
    path = Path(path_or_name)
    by_name = str(path) == path.stem or (path == Path("plans", f"{path.stem}.yaml") and not path.exists())
    if by_name and path.stem in SHIPPED:
        path = _FOLDER / f"{path.stem}.yaml"
    elif path.suffix not in (".yaml", ".yml") or not path.exists():
        raise ConfigError(
            f"there is no plan {str(path)!r}{closest(path.stem, SHIPPED)}; the shipped ones are {', '.join(SHIPPED)}, "
            f"and a plan of your own is a file that ends in .yaml"
        )
    return make_plan(path.stem, str(path), read_yaml(path))


def make_plan(name: str, origin: str, values: Mapping[str, Any]) -> Plan:
    """Check what a plan's file says.

    Raises:
        ConfigError: what is wrong with it, by path.
    """
    rows = values.get("rows")
    has_ours = isinstance(rows, Mapping) and "sharprecl" in rows
    values = {"compared": "sharprecl" if has_ours else None, **values}
    try:
        return Plan.model_validate({**values, "name": name, "origin": origin})
    except ValidationError as error:
        raise ConfigError(f"{origin}: {refusals_of(error)}") from error


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan, without what is as usual: ``load_plan(path)`` asks for the same runs."""
    values: dict[str, Any] = plan.model_dump(mode="json", exclude={"name", "origin"}, exclude_defaults=True)
    # Left out, it would be sharprecl.
    values["compared"] = plan.compared
    # Columns that name themselves need no names.
    if all(column.name == name for name, column in plan.columns.items()):
        values["columns"] = list(values["columns"].values())
    write_text(path, yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
