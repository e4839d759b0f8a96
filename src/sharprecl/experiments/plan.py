"""Plans: which methods are compared on which data, and what runs that makes at a scale."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from sharprecl.config import PROFILES, Frozen, RunConfig, Settings, merge, method_settings, resolve
from sharprecl.data.benchmarks import SOURCES
from sharprecl.data.messages import closest
from sharprecl.errors import ConfigError
from sharprecl.experiments.fairness import check_fair, longer, only_heeded, texts_read
from sharprecl.experiments.layout import AtScale, Column, Kind, Number, Row, names_a_method
from sharprecl.experiments.scales import Scale, ScaleName, scale_of
from sharprecl.experiments.shortest import shortest
from sharprecl.runs.spec import WORDS, RunSpec

_TASKS: Mapping[str, str] = {
    "r52": "topic of the news article",
    "ohsumed": "disease category of the medical title",
    "trec": "type of answer the question asks for",
    "dblp": "research area of the paper title",
    "biomedical": "biomedical topic of the paper title",
    "cr": "sentiment of the customer review",
}
"""What a language model is told of a benchmark. The paper gives no prompts; these are ours, the same for all models."""


@dataclass(frozen=True)
class Job:
    """One cell's share of a plan: a run, and where it stands in the table. Several jobs may ask for one run.

    Attributes:
        row, column: names, as in ``Plan.rows`` and ``Plan.columns``.
        x: in a curve, the value of the varied setting.
        spec: the run.
    """

    row: str
    column: str
    x: float | None
    seed: int
    spec: RunSpec

    @property
    def label(self) -> str:
        """How a person calls the run: ``trec@50 sharprecl seed 1``, in a curve ``cr@50 mu=0.3 seed 0``."""
        value = "" if self.x is None else f"={self.x:g}"
        return f"{self.column} {self.row}{value} seed {self.seed}"


class Plan(Frozen):
    """A comparison. ``rows`` and ``columns`` are by name, in the order of the table."""

    name: str = Field(description="of the plan: its file's")
    origin: str = Field("", description="where it was read from")
    title: str = Field(description="a heading")
    paper: str = Field("", description="what it is in the paper, such as Table 2")
    notes: tuple[str, ...] = Field((), description="sentences that a reader of its tables needs, printed below them")
    kind: Kind = Field("table", description="what is made of the runs")
    columns: Mapping[str, Column] = Field(description="data, as trec@50 or a section; a list, or by names of your own")
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
            raise ValueError(
                f"{twice[0]!r} stands twice; give columns names of their own, as in columns: {{first: {{data: ...}}}}"
            )
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
            if isinstance(part.train_cap, Mapping):
                _check_names(part.train_cap, self.columns, f"at.{scale}.train_cap")
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
        return _expand(self, scale_of(scale), chosen, data, seeds or range(self.seeds_at(scale)))


def refusals_of(error: ValidationError) -> str:
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
        raise ValueError(f"{value!r}: {refusals_of(error)}") from error


def _check_names(names: Iterable[str], known: Iterable[str], where: str) -> None:
    known = tuple(known)
    for name in names:
        if name not in known:
            raise ValueError(f"{where}: there is no {name!r}{closest(name, known)}; there are {', '.join(known)}")


def _expand(plan: Plan, scale: Scale, rows: Sequence[str], columns: Sequence[str], seeds: Sequence[int]) -> list[Job]:
    """The jobs of a plan: the first seed of every cell, then the second of every cell, and so on.

    Raises:
        ConfigError: a setting is unknown, unfit or unfair; the sentence names the row.
    """
    part = plan.part(scale.name)
    # Of all rows and not of the chosen ones: a run must not depend on what else was asked for.
    rows_here = [plan.rows[name] for name in plan.rows_at(scale.name)]
    most = max((texts_read(row.method, _view(plan, scale, row)) for row in rows_here), default=0)

    @cache
    def settings(name: str, value: Number | None, told: str) -> Settings:
        return _settings(plan, scale, name, value, told, most)

    jobs = []
    for seed, column, name in product(seeds, columns, rows):
        data, row = plan.columns[column], plan.rows[name]
        if row.method == WORDS and seed != seeds[0]:
            continue
        # Only a language model is told what the data is; the settings of an encoder are the same for all columns.
        told = "" if texts_read(row.method) else data.data
        for value in part.values.get(name, row.values) or (None,):
            x = None if value is None else float(value)
            spec = _spec(plan, column, settings(name, value, told), seed, scale)
            jobs.append(Job(name, column, x, seed, spec))
    return jobs


def _view(plan: Plan, scale: Scale, row: Row) -> str:
    """What a row's second view is made of, by its settings, else by their profile, else as usual."""
    settings = merge(scale.settings, plan.settings, row.settings)
    whole = merge(PROFILES.get(str(settings.get("profile")), {}), settings)
    return str(whole.get("view", RunConfig.model_fields["view"].default))


def _settings(plan: Plan, scale: Scale, name: str, value: Number | None, told: str, most: int) -> Settings:
    if plan.rows[name].method == WORDS:
        return {"method": {"name": WORDS}}
    try:
        return shortest(_config(plan, scale, plan.rows[name], value, told, most))
    except ConfigError as error:
        raise ConfigError(f"{plan.name}, row {name}: {error}") from error


def _config(plan: Plan, scale: Scale, row: Row, value: Number | None, told: str, most: int) -> RunConfig:
    if row.method == "openai_finetune":
        raise ConfigError(
            "a sweep spends no money; train it with 'sharprecl train --method openai_finetune', and set scales to []"
        )
    varied = {} if row.vary is None else _nested(row.vary, value)
    own = merge(row.settings, {"method": {"name": row.method}}, varied)
    reads = texts_read(row.method, _view(plan, scale, row))
    if not reads:
        return resolve(merge({"method": task_description(told)}, own))
    chosen = {} if plan.select_on is None else {"training": {"select_on": plan.select_on}}
    common = merge(scale.settings, plan.settings, chosen)
    if not method_settings(row.method).trains_encoder:
        return resolve(merge(only_heeded(row.method, common), own))
    config = resolve(merge(common, own))
    check_fair(config)
    return longer(config, most // reads) if plan.equal == "tokens" else config


def task_description(data: str) -> dict[str, Any]:
    """Settings of a language model's ``method`` section for a benchmark: what the labels are, and words for codes.

    None for a file.
    """
    if data not in _TASKS:
        return {}
    words = dict(SOURCES[data].labels)
    return {"task": _TASKS[data], **({"label_words": words} if words else {})}


def _nested(path: str, value: Number | None) -> Settings:
    head, _, rest = path.partition(".")
    return {head: _nested(rest, value) if rest else value}


def _spec(plan: Plan, name: str, settings: Settings, seed: int, scale: Scale) -> RunSpec:
    column, part = plan.columns[name], plan.part(scale.name)
    caps = scale.caps_of(column.data)
    cap = part.train_cap.get(name) if isinstance(part.train_cap, Mapping) else part.train_cap
    return RunSpec(
        data=column.data,
        ir=column.ir,
        train_cap=column.cap or cap or caps.train,
        test_cap=part.test_cap or caps.test,
        settings=settings,
        seed=0 if settings["method"]["name"] == WORDS else seed,
        embeddings=plan.kind == "embedding",
        **column.of_a_file(),
    )
