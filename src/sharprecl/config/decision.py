"""How scores become answers: prior, calibration, thresholds, abstention, sets."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import Field, field_validator, model_validator

from sharprecl.config.base import Frozen

NAMED_PRIORS = ("as_trained", "train", "uniform")
NAMED_OBJECTIVES = ("macro_f1", "balanced_accuracy")

Costs = dict[str, float] | dict[str, dict[str, float]]
"""Of missing a text of a label, or of every pair of true and answered label."""

Open = Annotated[float, Field(gt=0.0, lt=1.0)]


class DecisionConfig(Frozen):
    """How the trained model's scores become predictions."""

    prior: Literal["as_trained", "train", "uniform"] | dict[str, float] = Field(
        "as_trained",
        description="how frequent the classes will be: as_trained leaves the answers as the method gives them, "
        "train is the shares of the training texts, uniform all alike; or a share or count of every label, here or in "
        "a .csv, .json or .yaml file",
    )
    calibrate: bool = Field(
        False,
        description="fit temperature and prior on held-out scores, so that probabilities can be believed; true "
        "with any of the following, which rest on probabilities",
    )
    optimise: str | Costs | None = Field(
        None,
        description="answer some classes sooner, by offsets learnt from held-out scores: macro_f1, balanced_accuracy, "
        "recall:LABEL>=0.9, or a .csv file with the cost of missing each label or of every pair",
    )
    coverage: Open | None = Field(
        None, description="share of the texts that are answered; of the others it is said that they are not sure"
    )
    precision: Open | None = Field(
        None, description="share of right answers that is promised among those that are sure; not with coverage"
    )
    sets: Open | None = Field(
        None, description="how often the true class is to be in the set of classes that each text is given"
    )

    @property
    def learns(self) -> bool:
        """Whether it needs scores of texts that the model has not learnt from."""
        return self.calibrate or any(
            wanted is not None for wanted in (self.optimise, self.coverage, self.precision, self.sets)
        )

    @field_validator("prior", mode="before")
    @classmethod
    def _from_file(cls, value: Any) -> Any:
        if isinstance(value, str) and value not in NAMED_PRIORS:
            value = _read_shares(Path(value))
        return _checked(value) if isinstance(value, Mapping) else value

    @field_validator("optimise", mode="before")
    @classmethod
    def _known_objective(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(true): _costs(cost) if isinstance(cost, Mapping) else cost for true, cost in value.items()}
        if not isinstance(value, str) or value in NAMED_OBJECTIVES:
            return value
        if value.startswith("recall:"):
            recall_objective(value)
            return value
        if not value.endswith(".csv"):
            raise ValueError(
                f"{value!r} is none of {', '.join(NAMED_OBJECTIVES)}, recall:LABEL>=0.9 or a .csv file of costs"
            )
        return _read_costs(Path(value))

    @model_validator(mode="after")
    def _one_bar(self) -> Self:
        if self.coverage is not None and self.precision is not None:
            raise ValueError("coverage and precision both say from which confidence on to answer; leave out one")
        return self


def recall_objective(text: str) -> tuple[str, float]:
    """Label and least recall of ``recall:LABEL>=0.9``.

    Raises:
        ValueError: it is none.
    """
    label, _, share = text.removeprefix("recall:").rpartition(">=")
    try:
        recall = float(share)
    except ValueError:
        recall = 0.0
    if not label or not 0 < recall < 1:
        raise ValueError(f"{text!r} should read like recall:LABEL>=0.9, with a share between 0 and 1")
    return label, recall


def _costs(costs: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(label): cost for label, cost in costs.items()}


def _read_costs(path: Path) -> dict[str, Any]:
    """Two columns, label and cost of missing it; or a matrix, whose first column is the true label."""
    try:
        rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row]
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); check its name") from error
    if len({len(row) for row in rows}) != 1 or len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError(f"{path} should hold two columns, label and cost, or a matrix with the true labels in front")
    if len(rows[0]) == 2:
        return dict(_of_csv(path.read_text(encoding="utf-8-sig")))
    answered = rows[0][1:]
    return {row[0]: dict(zip(answered, row[1:], strict=True)) for row in rows[1:]}


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
