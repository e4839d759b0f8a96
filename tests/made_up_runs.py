"""A plan and runs of it that nobody trained: answers are drawn, everything else is computed from them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sharprecl.experiments.collection import Records
from sharprecl.experiments.plan import Job, Plan
from sharprecl.experiments.plan_file import make_plan
from sharprecl.runs.record import DataRecord, RunRecord, measure
from sharprecl.runs.spec import run_key

CODE = "c" * 64
N_TEXTS = 300
COUNTS = (150, 60, 12)
Skill = Callable[[Job], float]


def made_up_plan(**changes: Any) -> Plan:
    """Three methods on two data sets over three seeds."""
    values = {
        "title": "Three methods",
        "columns": ["trec@50", "cr"],
        "rows": {"cross_entropy": None, "bcl": None, "sharprecl": None},
        "seeds": 3,
    }
    return make_plan("mine", "mine.yaml", {**values, **changes})


def made_up_data(column: str) -> DataRecord:
    """Three classes, of which the last is rare."""
    generator = np.random.default_rng(len(column))
    return DataRecord(
        hash=f"data-{column}",
        achieved_ir=12.5,
        label_names=("many", "some", "few"),
        train_counts=COUNTS,
        gold=tuple(generator.choice(3, size=N_TEXTS, p=[0.6, 0.3, 0.1]).tolist()),
        leaks=0,
    )


def made_up_run(job: Job, data: DataRecord, skill: float, code: str = CODE, select_on: str = "last") -> RunRecord:
    """A run that answers about ``skill`` of the texts rightly, each seed others."""
    generator = np.random.default_rng([job.seed, len(job.row), round(1000 * skill)])
    gold = np.asarray(data.gold)
    answers = np.where(generator.random(len(gold)) < skill, gold, (gold + 1) % 3)
    metrics, f1 = measure(gold, answers, data.train_counts)
    return RunRecord(
        key=run_key(job.spec, data.hash, code),
        spec=job.spec,
        data=data.hash,
        code=code,
        config={
            "seed": job.seed,
            "encoder": {"name": "minilm"},
            "method": {"name": job.spec.settings["method"]["name"]},
            "training": {"select_on": select_on},
        },
        answers=tuple(answers.tolist()),
        metrics=metrics,
        f1=f1,
        selected_on=select_on,
        steps=100,
        tokens=1_000_000,
        seconds=10.0 + job.seed,
        peak_memory_bytes=1,
        environment={"started": "2026-11-21T00:00:00Z"},
        notes=(),
    )


def made_up_records(
    plan: Plan,
    skills: Mapping[str, float] | Skill,
    *,
    scale: str = "smoke",
    without: Callable[[Job], bool] | None = None,
) -> Records:
    """Runs of all jobs of a plan, but for those that ``without`` chooses."""
    runs, data = {}, {}
    for job in plan.jobs(scale):
        if without is not None and without(job):
            continue
        record = made_up_data(job.column)
        data[record.hash] = record
        run = made_up_run(job, record, skills[job.row] if isinstance(skills, Mapping) else skills(job))
        runs[run.key] = run
    return Records(runs, data)
