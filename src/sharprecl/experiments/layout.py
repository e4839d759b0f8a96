"""The parts of a plan: columns (data at an imbalance ratio), rows (methods), and what a scale changes of both."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from sharprecl.config import Frozen, Settings, method_names, method_settings
from sharprecl.config.choice import AUTO
from sharprecl.data.benchmarks import BENCHMARKS
from sharprecl.data.messages import closest
from sharprecl.experiments.scales import ScaleName
from sharprecl.runs.spec import WORDS

Kind = Literal["table", "curve", "embedding", "datasets"]
Number = int | float

# What may differ between the rows of a plan. All else is what they have in common: that makes the comparison fair.
_OF_A_ROW = ("method", "encoder", "view", "augment")


def _each_once(values: tuple[Number, ...]) -> tuple[Number, ...]:
    if len(set(values)) < len(values):
        raise ValueError(f"one of {', '.join(map(str, values))} stands twice")
    return values


Values = Annotated[tuple[Number, ...], AfterValidator(_each_once)]
"""What a setting takes in a curve."""

Cap = Annotated[int, Field(ge=1)]
"""Most texts."""


class Column(Frozen):
    """What a run is trained and judged on: a benchmark, or a file.

    In a plan a benchmark may stand as ``trec``, or ``trec@50`` at imbalance ratio 50.
    """

    data: str = Field(description="a benchmark's name or a file with labelled texts, seen from the working folder")
    ir: float | None = Field(None, ge=1, description="imbalance ratio that the training texts are thinned to")
    cap: int | None = Field(None, ge=1, description="most training texts a class, in place of the scale's")
    text: str = Field("text", description="a file's column with the texts")
    label: str = Field("label", description="a file's column with the labels")
    test: str | None = Field(None, description="a file with test texts; without, a part of ``data`` is held out")
    encoding: str | None = Field(None, description="of text files that are not UTF-8; cp1252, if they look like it")
    separator: str | None = Field(None, description="between the fields of .csv and .tsv files; recognised if left out")
    sheet: str | None = Field(None, description="of workbooks; their only one if left out")

    @property
    def name(self) -> str:
        """How a table calls it: ``trec@50``, ``r52/60`` with at most 60 texts a class."""
        stem = self.data if self.data in BENCHMARKS else PurePath(self.data).stem
        stem = stem if self.cap is None else f"{stem}/{self.cap}"
        return stem if self.ir is None else f"{stem}@{self.ir:g}"

    def of_a_file(self) -> dict[str, Any]:
        """What a ``RunSpec`` says of a file beyond its name; nothing of a benchmark."""
        given = self.model_dump(
            include={"text", "label", "test", "encoding", "separator", "sheet"}, exclude_defaults=True
        )
        columns = {"text": "text_column", "label": "label_column"}
        return {columns.get(name, name): value for name, value in given.items()}

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        data, at, ratio = value.partition("@")
        return {"data": data, "ir": ratio} if at else {"data": data}

    @model_validator(mode="after")
    def _known_data(self) -> Self:
        # Every file that is read has an ending, and no benchmark has.
        if self.data not in BENCHMARKS and not PurePath(self.data).suffix:
            raise ValueError(
                f"{self.data!r} is neither a file nor a benchmark{closest(self.data, BENCHMARKS)}; "
                f"the benchmarks are {', '.join(BENCHMARKS)}"
            )
        return self


def names_a_method(settings: Settings) -> bool:
    """Whether settings say which method it is, as ``method: bcl`` or by ``method.name``, and not only how it is set."""
    method = settings.get("method") or {}
    return not isinstance(method, Mapping) or "name" in method


class Row(Frozen):
    """What is compared: a method with its settings, in a curve at several values of one of them."""

    paper: str | None = Field(None, description="how the paper's table calls the row; null where it has no such name")
    beyond: bool = Field(False, description="whether the paper has no such row")
    method: str = Field(description=f"as in method.name, or {WORDS}; the row's own name if left out")
    settings: Settings = Field({}, description=f"of {', '.join(_OF_A_ROW)}; all else is common to the rows")
    scales: tuple[ScaleName, ...] = Field(("paper", "small", "smoke"), description="at which the row is run")
    vary: str | None = Field(None, description="in a curve: the dotted name of a setting, such as method.mu")
    values: Values = Field((), description="in a curve: the values of that setting")

    @field_validator("method")
    @classmethod
    def _named_method(cls, value: str) -> str:
        if value == AUTO:
            raise ValueError("'auto' is chosen by the labels, so it could be another one in each column; name a method")
        if value == WORDS:
            return value
        if ":" not in value and value not in (known := method_names()):
            raise ValueError(
                f"there is no method {value!r}{closest(value, known)}; choose one of {', '.join(known)}, or write "
                f"module:Class"
            )
        method_settings(value)
        return value

    @field_validator("settings")
    @classmethod
    def _only_its_own(cls, value: Settings) -> Settings:
        for name in value:
            if name not in _OF_A_ROW:
                raise ValueError(
                    f"{name!r} must be equal for all rows, or the comparison is not fair; "
                    f"move it to the plan's own settings"
                )
        if names_a_method(value):
            raise ValueError("method: write 'method: bcl' beside the settings, not in them")
        return value

    @model_validator(mode="after")
    def _values_of_something(self) -> Self:
        if self.method == WORDS and (self.settings or self.vary):
            raise ValueError(f"{WORDS} has no settings; leave them out")
        if (self.vary is None) != (not self.values):
            raise ValueError("vary names a setting and values lists what it takes; give both or neither")
        if self.vary is not None and self.vary.split(".")[0] in ("seed", "profile"):
            raise ValueError(f"{self.vary!r} cannot be varied; name a setting such as method.mu")
        return self


class AtScale(Frozen):
    """What a plan does otherwise at one scale; what is left out stays as it is."""

    columns: tuple[str, ...] | None = Field(None, description="names of those that are run")
    rows: tuple[str, ...] | None = Field(None, description="names of those that are run")
    values: Mapping[str, Values] = Field({}, description="in a curve: fewer values, by row")
    seeds: int | None = Field(None, ge=1, description="how many")
    train_cap: Cap | Mapping[str, Cap] | None = Field(
        None, description="most training texts a class, in all columns or by column"
    )
    test_cap: int | None = Field(None, ge=1, description="most test texts, in all columns")
