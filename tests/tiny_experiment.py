"""Records and plans for the tests of experiments: small enough to be made by the hundred, or really run in a second."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sharprecl.experiments.plan import Job, Plan
from sharprecl.experiments.plan_file import make_plan
from sharprecl.runs.record import DataRecord, RunRecord, measure
from sharprecl.runs.spec import RunSpec, run_key
from tiny import skewed_texts, tiny_encoder

CODE = "c" * 64
DATA = DataRecord(
    hash="d" * 64,
    achieved_ir=50.0,
    label_names=("a", "b", "c"),
    train_counts=(150, 30, 3),
    gold=(0, 0, 1, 2),
    leaks=0,
)


def spec(seed: int = 0, method: str = "cross_entropy", **changes: Any) -> RunSpec:
    """A spec that nobody runs."""
    settings = {"profile": "matched", "method": {"name": method}, "training": {"learning_rate": 1e-05}}
    return replace(RunSpec("trec", 50.0, None, None, settings, seed), **changes)


def record(seed: int = 0, answers: tuple[int, ...] = (0, 0, 1, 1), **changes: Any) -> RunRecord:
    """A record that nobody made."""
    asked = changes.pop("spec", spec(seed))
    code = changes.pop("code", CODE)
    metrics, f1 = measure(DATA.gold, answers, DATA.train_counts)
    made = RunRecord(
        key=run_key(asked, DATA.hash, code),
        spec=asked,
        data=DATA.hash,
        code=code,
        config={**asked.settings, "seed": seed},
        answers=answers,
        metrics=metrics,
        f1=f1,
        selected_on="last",
        steps=12,
        tokens=345,
        seconds=1.5,
        peak_memory_bytes=10**9,
        environment={
            "started": f"2026-01-01T00:00:{seed:02d}Z", "wall_seconds": 2.0, "workers": 2, "threads": 1,
            "hardware": "2 cores (cpu)",
        },
        notes=("a note with an ümlaut",),
    )  # fmt: skip
    return replace(made, **changes)


def job(seed: int = 0, **changes: Any) -> Job:
    """A job that nobody runs."""
    return Job("cross_entropy", "trec@50", None, seed, spec(seed, **changes))


def write_table(path: Path, seed: int = 0) -> Path:
    """A table of a few dozen skewed texts."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerows([("text", "label"), *zip(*skewed_texts(seed=seed), strict=True)])
    return path


def tiny_plan(folder: Path, **changes: Any) -> Plan:
    """A plan that is really run, on tables and an encoder that are made in ``folder``."""
    encoder = folder / "encoder"
    if not encoder.exists():
        tiny_encoder(encoder, mean_pooling=True)
    column = {"data": str(write_table(folder / "train.csv")), "test": str(write_table(folder / "test.csv", seed=1))}
    values = {
        "title": "A tiny plan",
        "columns": [column],
        "settings": {
            "encoder": {"name": str(encoder)}, "view": "dropout", "training": {"learning_rate": 2e-3, "max_epochs": 2},
        },
        "rows": {"cross_entropy": None, "sharprecl": None},
        "seeds": 1,
    }  # fmt: skip
    return make_plan("tiny", "a test", {**values, **changes})


class Said(list[str]):
    """A callback that remembers sentences."""

    def on_progress(self, *_: object) -> None:
        pass

    def on_message(self, sentence: str) -> None:
        self.append(sentence)


def timeless(path: Path) -> list[dict[str, Any]]:
    """The lines of an export without what may differ between equal runs."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        for name in ("seconds", "peak_memory_bytes", "environment"):
            line.pop(name, None)
    return lines
