"""The class prior that predictions assume, and whether probabilities are calibrated."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, field_validator

from sharprecl.config.base import Frozen

NAMED_PRIORS = ("as_trained", "train", "uniform")


class DecisionConfig(Frozen):
    """How the trained model's scores become predictions."""

    prior: Literal["as_trained", "train", "uniform"] | dict[str, float] = Field(
        "as_trained",
        description="how frequent the classes will be: as_trained leaves the answers as the method gives them, "
        "train is the shares of the training texts, uniform all alike; or a share or count of every label, here or in "
        "a .csv, .json or .yaml file",
    )
    calibrate: bool = Field(
        False, description="fit temperature and prior on held-out scores, so that probabilities can be believed"
    )

    @field_validator("prior", mode="before")
    @classmethod
    def _from_file(cls, value: Any) -> Any:
        if isinstance(value, str) and value not in NAMED_PRIORS:
            value = _read_shares(Path(value))
        return _checked(value) if isinstance(value, Mapping) else value


def _checked(shares: Mapping[Any, Any]) -> dict[str, float]:
    """Shares by label; in settings YAML reads a label such as 7 as a number, so it becomes a string again."""
    checked = {}
    for label, share in shares.items():
        try:
            number = float(share)
        except (TypeError, ValueError):
            number = float("nan")
        if not 0 < number < float("inf") or isinstance(share, bool):
            raise ValueError(f"the share of {str(label)!r} is {share!r}, but must be a number above 0")
        checked[str(label)] = number
    return checked


def _read_shares(path: Path) -> dict[Any, Any]:
    """A mapping from JSON or YAML, or the two columns label and share (or count) of a CSV."""
    if path.suffix not in (".csv", ".json", ".yaml", ".yml"):
        raise ValueError(f"{str(path)!r} is none of {', '.join(NAMED_PRIORS)}, and no .csv, .json or .yaml file")
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".csv":
            return _of_csv(text)
        shares = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.BaseLoader)
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); check its name") from error
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read ({error}); it should hold a share or count for every label") from error
    if not isinstance(shares, dict):
        raise ValueError(f"{path} holds no labels with their shares; write lines like 'billing: 0.8'")
    return shares


def _of_csv(text: str) -> dict[str, str]:
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows or any(len(row) != 2 for row in rows):
        raise ValueError("a row has not two columns, label and share")
    # The first line may name the columns, whose second one is then no number.
    try:
        float(rows[0][1])
    except ValueError:
        del rows[0]
    shares = {row[0]: row[1] for row in rows}
    if len(shares) < len(rows):
        raise ValueError("a label stands twice")
    return shares
