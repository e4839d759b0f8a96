"""From a plan to its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from sharprecl.config import PROFILES, RunConfig, Settings, merge, method_settings, resolve
from sharprecl.data.benchmarks import SOURCES
from sharprecl.errors import ConfigError
from sharprecl.experiments.fairness import check_fair, longer, only_heeded, texts_read
from sharprecl.experiments.layout import AtScale, Column, Number, Row
from sharprecl.experiments.scales import Scale
from sharprecl.experiments.shortest import shortest
from sharprecl.runs.spec import RunSpec

if TYPE_CHECKING:
    from sharprecl.experiments.plan import Plan

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


def expand(plan: "Plan", scale: Scale, rows: Sequence[str], columns: Sequence[str], seeds: Sequence[int]) -> list[Job]:
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
        # Only a language model is told what the data is; the settings of an encoder are the same for all columns.
        told = "" if texts_read(row.method) else data.data
        for value in part.values.get(name, row.values) or (None,):
            x = None if value is None else float(value)
            spec = _spec(data, settings(name, value, told), seed, scale, part, plan.kind)
            jobs.append(Job(name, column, x, seed, spec))
    return jobs


def _view(plan: "Plan", scale: Scale, row: Row) -> str:
    """What a row's second view is made of, by its settings, else by their profile, else as usual."""
    settings = merge(scale.settings, plan.settings, row.settings)
    whole = merge(PROFILES.get(str(settings.get("profile")), {}), settings)
    return str(whole.get("view", RunConfig.model_fields["view"].default))


def _settings(plan: "Plan", scale: Scale, name: str, value: Number | None, told: str, most: int) -> Settings:
    try:
        return shortest(_config(plan, scale, plan.rows[name], value, told, most))
    except ConfigError as error:
        raise ConfigError(f"{plan.name}, row {name}: {error}") from error


def _config(plan: "Plan", scale: Scale, row: Row, value: Number | None, told: str, most: int) -> RunConfig:
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


def _spec(column: Column, settings: Settings, seed: int, scale: Scale, part: AtScale, kind: str) -> RunSpec:
    caps = scale.caps_of(column.data)
    return RunSpec(
        data=column.data,
        ir=column.ir,
        train_cap=column.cap or part.train_cap or caps.train,
        test_cap=part.test_cap or caps.test,
        settings=settings,
        seed=seed,
        embeddings=kind == "embedding",
        **column.of_a_file(),
    )
