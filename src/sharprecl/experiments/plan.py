"""Plans: which methods are compared on which data, and what runs that makes at a scale."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from sharprecl.config import Frozen, Settings, read_yaml
from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError
from sharprecl.experiments.expand import Job, expand
from sharprecl.experiments.layout import AtScale, Column, Kind, Row, names_a_method
from sharprecl.experiments.scales import ScaleName, scale_of

SHIPPED: tuple[str, ...] = (
    "datasets", "main", "llm", "ablation", "sensitivity", "top_k", "augmentation", "embedding",
)  # fmt: skip
"""The plans that come with the package, in the order of the paper."""

_FOLDER = Path(__file__).parent / "plans"


class Plan(Frozen):
    """A comparison. ``rows`` and ``columns`` are by name, in the order of the table."""

    name: str = Field(description="of the plan: its file's")
    origin: str = Field("", description="where it was read from")
    title: str = Field(description="a heading")
    paper: str = Field("", description="what it is in the paper, such as Table 2")
    notes: tuple[str, ...] = Field((), description="sentences that a reader of its tables needs, printed below them")
    kind: Kind = Field("table", description="what is made of the runs")
    columns: Mapping[str, Column] = Field(description="data, as trec@50 or as a section of its own")
    rows: Mapping[str, Row] = Field({}, description="methods with their settings")
    compared: str | None = Field(None, description="the row whose lead is tested; sharprecl, where there is such a row")
    settings: Settings = Field({}, description="common to all rows, over those of the scale")
    select_on: Literal["validation", "test", "last"] | None = Field(
        None, description="what chooses the epoch; null leaves that to the profile"
    )
    equal: Literal["steps", "tokens"] = Field(
        "steps", description="what methods that read one view of a text have in common with those that read two"
    )
    seeds: int | None = Field(None, ge=1, description="how many; null leaves that to the scale")
    at: Mapping[ScaleName, AtScale] = Field({}, description="what is otherwise at a scale")

    @field_validator("columns", mode="before")
    @classmethod
    def _columns_by_name(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        columns = [_column(item) for item in value]
        names = [column.name for column in columns]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{twice[0]!r} stands twice")
        return dict(zip(names, columns, strict=True))

    @field_validator("rows", mode="before")
    @classmethod
    def _rows_named_by_their_method(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        rows = {name: {} if row is None else row for name, row in value.items()}
        return {name: {"method": name, **row} if isinstance(row, Mapping) else row for name, row in rows.items()}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if not self.columns or (self.kind == "datasets") == bool(self.rows):
            raise ValueError("a plan needs columns, and rows too unless its kind is datasets")
        for name, row in self.rows.items():
            if (row.vary is not None) != (self.kind == "curve"):
                raise ValueError(f"rows.{name}: each row of a curve varies a setting, and none of a {self.kind} does")
        for name in (*self.rows, *self.columns):
            if "," in name:
                raise ValueError(f"{name!r}: names of rows and columns stand in lists with commas, and have none")
        if "seed" in self.settings:
            raise ValueError("settings.seed: a plan runs several of them; write seeds: 5")
        if names_a_method(self.settings):
            raise ValueError("settings.method: these are settings of every row; methods are named in rows")
        for scale, part in self.at.items():
            _check_names(part.columns or (), self.columns, f"at.{scale}.columns")
            _check_names(part.rows or (), self.rows, f"at.{scale}.rows")
            _check_names(part.values, self.vary, f"at.{scale}.values")
        if self.compared is not None:
            _check_names([self.compared], self.rows, "compared")
        return self

    @property
    def vary(self) -> dict[str, str]:
        """In a curve, the dotted setting that each row varies; else empty."""
        return {name: row.vary for name, row in self.rows.items() if row.vary is not None}

    def part(self, scale: str) -> AtScale:
        """What is otherwise at a scale."""
        return self.at.get(scale_of(scale).name, AtScale())

    def rows_at(self, scale: str) -> tuple[str, ...]:
        """Names of the rows that are run at a scale, in order."""
        chosen = self.part(scale).rows
        return tuple(
            name for name, row in self.rows.items() if scale in row.scales and (chosen is None or name in chosen)
        )

    def columns_at(self, scale: str) -> tuple[str, ...]:
        """Names of the columns that are run at a scale, in order."""
        chosen = self.part(scale).columns
        return tuple(name for name in self.columns if chosen is None or name in chosen)

    def seeds_at(self, scale: str) -> int:
        """How many seeds are run at a scale."""
        return self.part(scale).seeds or self.seeds or scale_of(scale).seeds

    def jobs(
        self, scale: str, *, rows: Sequence[str] = (), columns: Sequence[str] = (), seeds: Sequence[int] = ()
    ) -> list[Job]:
        """The runs of the plan at a scale: one seed of every cell first, so that an early table has no holes.

        Args:
            scale: one of ``SCALES``.
            rows, columns: names of those to run; empty takes those of the scale. A column that the plan leaves out at
                this scale may be named too.
            seeds: those to run; empty takes as many as the plan or the scale has, from 0.

        Raises:
            ConfigError: no such scale, row or column, or a setting that is unknown, unfit or unfair.
        """
        usual = self.rows_at(scale)
        try:
            _check_names(rows, usual, f"at the scale {scale}, rows of {self.name}")
            _check_names(columns, self.columns, f"columns of {self.name}")
        except ValueError as error:
            raise ConfigError(str(error)) from error
        chosen = tuple(name for name in usual if not rows or name in rows)
        data = tuple(name for name in self.columns if name in columns) if columns else self.columns_at(scale)
        return expand(self, scale_of(scale), chosen, data, seeds or range(self.seeds_at(scale)))


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
        raise ConfigError(f"{origin}: {_refusals(error)}") from error


def _refusals(error: ValidationError) -> str:
    sentences = []
    for item in error.errors():
        path = ".".join(str(part) for part in item["loc"])
        unknown = item["type"] == "extra_forbidden"
        message = "a plan has no such key; see docs/experiments.md" if unknown else item["msg"]
        sentences.append(": ".join(filter(None, [path, message.removeprefix("Value error, ")])))
    return "; ".join(sentences)


def _column(value: Any) -> Any:
    try:
        return Column.model_validate(value)
    except ValidationError as error:
        raise ValueError(f"{value!r}: {_refusals(error)}") from error


def _check_names(names: Iterable[str], known: Iterable[str], where: str) -> None:
    known = tuple(known)
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: there is no {name!r}{closest(name, known)}; there are {', '.join(known)}")
