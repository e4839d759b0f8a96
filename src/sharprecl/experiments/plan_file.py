"""A plan as the YAML file that it could have been read from."""

from pathlib import Path
from typing import Any

import yaml

from sharprecl.experiments.plan import Plan
from sharprecl.files import write_text


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan, without what is as usual: ``load_plan(path)`` asks for the same runs."""
    values: dict[str, Any] = plan.model_dump(mode="json", exclude={"name", "origin"}, exclude_defaults=True)
    # Left out, it would be sharprecl.
    values["compared"] = plan.compared
    # In a file, columns name themselves.
    values["columns"] = list(values["columns"].values())
    write_text(path, yaml.safe_dump(values, sort_keys=False, allow_unicode=True))
