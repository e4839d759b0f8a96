"""A training run as a folder: train, save, judge what was saved, tell everything.

config.yaml       every setting, fit to be given back with --config
model/            the stock Hugging Face model
sharprecl.json    what it is: labels, class counts, pooling
history.jsonl     loss terms and validation figures
metrics.json      the judgement; equal runs write equal bytes; its presence marks the run as finished
environment.json  versions, machine, time, memory: what may differ between equal runs
report.html       all of it for people
"""

import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError, MissingExtraError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.evaluation.references import tfidf_logistic
from sharprecl.files import sha256_json, write_json, write_text
from sharprecl.profiles import to_yaml
from sharprecl.report.data import ReportData
from sharprecl.report.page import write_report
from sharprecl.training.history import Observer, Pace, Record, read_history
from sharprecl.training.inference import softmax
from sharprecl.training.session import CHECKPOINTS, HISTORY
from sharprecl.training.tensorboard import TensorBoardLog
from sharprecl.version import __version__

METRICS, ENVIRONMENT, REPORT, CONFIG = "metrics.json", "environment.json", "report.html", "config.yaml"


FLOOR = "TF-IDF + logistic regression"


@dataclass(frozen=True)
class Judged:
    """A classifier judged on labelled texts, with what a report shows."""

    evaluation: Evaluation
    table: TextTable
    answers: np.ndarray
    confidence: np.ndarray
    embeddings: np.ndarray
    on: str


@dataclass
class Run:
    """What a training is to do and where it leaves its results."""

    table: TextTable
    config: RunConfig
    output: Path
    test: TextTable | None = None
    references: dict[str, Evaluation] = field(default_factory=dict)
    device: str = "auto"
    text_column: str = "text"
    label_column: str = "label"
    title: str = ""

    def __post_init__(self) -> None:
        self.title = row_title(self.config, self.title)


def row_title(config: RunConfig, name: str = "") -> str:
    """How tables call a run; whatever was chosen on test data says so in every table."""
    mark = " (epoch chosen on test texts)" if config.training.select_on == "test" else ""
    return (name or config.method.name) + mark


def is_finished(output: Path) -> bool:
    """Whether a run in this folder came to its end."""
    return (output / METRICS).is_file()


def claim(output: Path, resume: bool, overwrite: bool) -> None:
    """Make the folder this run's own.

    Raises:
        ConfigError: another run is there and neither resume nor overwrite was asked for.
    """
    if overwrite:
        for name in (METRICS, ENVIRONMENT, REPORT, CONFIG, HISTORY, "sharprecl.json"):
            (output / name).unlink(missing_ok=True)
        for name in ("model", "opened", CHECKPOINTS, "tensorboard"):
            shutil.rmtree(output / name, ignore_errors=True)
    elif is_finished(output) and not resume:
        raise ConfigError(f"{output} holds a finished run; choose another --output, or add --overwrite")
    elif (output / HISTORY).exists() and not resume:
        raise ConfigError(
            f"{output} holds a run that was cut off; add --resume to finish it, --overwrite to start anew"
        )
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{output} cannot be made ({error.strerror}); choose another --output") from error


def execute(run: Run, observers: Sequence[Observer], resume: bool = False) -> Judged:
    """Train, save, judge what was saved, and write everything into the run's folder."""
    started = time.time()
    write_text(run.output / CONFIG, to_yaml(run.config))
    classifier = TextClassifier(config=run.config.model_dump(mode="json"), device=run.device)
    watching = _Together([*observers, *_tensorboard(run.output)])
    classifier.fit(run.table, test=run.test, output=run.output, resume=resume, observer=watching)
    trained = classifier.trained_
    assert trained is not None
    card = classifier.save(run.output, text_column=run.text_column, label_column=run.label_column)
    if card.not_stock_because:
        watching.said(f"not saved as a stock model: {card.not_stock_because}")
    # What is judged is what was saved, read back: the figures belong to the files that get deployed.
    product = TextClassifier.load(run.output, device=run.device)
    judged = judge(product, *_judge_on(run, trained.validation))
    environment = {
        **describe_machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "training_seconds": trained.outcome.seconds,
        "total_seconds": time.time() - started,
        "peak_memory_bytes": trained.outcome.peak_memory_bytes,
        "device": trained.outcome.device,
        "precision": trained.outcome.precision,
    }
    metrics = {
        "evaluated_on": judged.on,
        "evaluation": judged.evaluation.to_dict(),
        "references": {name: reference.to_dict() for name, reference in run.references.items()},
        "training": trained.facts,
        "notes": trained.notes,
        "selected_on": run.config.training.select_on,
        "data": {"train": run.table.content_hash, "evaluated": judged.table.content_hash},
        "config": sha256_json(run.config.model_dump(mode="json")),
    }
    write_json(run.output / ENVIRONMENT, environment)
    settings = {
        "configuration": run.config.model_dump(mode="json"),
        "training": trained.facts,
        "hashes": {"config": metrics["config"], **metrics["data"]},  # type: ignore[dict-item]
        "environment": environment,
    }
    report(
        run.output / REPORT,
        judged,
        title=run.title,
        train_counts=run.table.class_counts,
        references=run.references,
        history=read_history(run.output / HISTORY),
        settings=settings,
        notes=trained.notes,
        say=watching,
    )
    write_json(run.output / METRICS, metrics)
    shutil.rmtree(run.output / CHECKPOINTS, ignore_errors=True)
    return judged


def judge(classifier: TextClassifier, table: TextTable, on: str) -> Judged:
    """Let a classifier answer labelled texts and judge the answers."""
    scores, embeddings = classifier.scores_and_embeddings(table.texts)
    answers = scores.argmax(1)
    evaluation = evaluate(table.label_ids, answers, classifier.class_counts_, table.label_names)
    return Judged(evaluation, table, answers, softmax(scores).max(1), embeddings, on)


def tfidf_reference(table: TextTable, test: TextTable, seed: int) -> Evaluation:
    """Judge the floor that every trained encoder should beat, fitted on the whole training table."""
    answers = tfidf_logistic(table.texts, table.label_ids.tolist(), seed).predict(test.texts)
    return evaluate(test.label_ids, answers, table.class_counts, table.label_names)


def report(
    path: Path,
    judged: Judged,
    *,
    title: str,
    train_counts: np.ndarray,
    references: dict[str, Evaluation],
    history: list[Record],
    settings: dict[str, Any],
    notes: list[str],
    say: Observer,
) -> None:
    """Write ``report.html``; without the ``report`` extra, say how to get it."""
    data = ReportData(
        title=title,
        label_names=list(judged.table.label_names),
        train_counts=train_counts,
        evaluations={title: judged.evaluation, **references},
        history=history,
        embeddings=judged.embeddings,
        texts=list(judged.table.texts),
        y_true=judged.table.label_ids,
        y_pred=judged.answers,
        confidence=judged.confidence,
        settings=settings,
        notes=notes,
        evaluated_on=judged.on,
    )
    try:
        write_report(data, path)
    except MissingExtraError as error:
        say.said(f"no report.html: {error}")


def describe_machine() -> dict[str, Any]:
    """Versions and hardware, for the record."""
    import torch

    packages = ("torch", "transformers", "accelerate", "tokenizers", "numpy", "scikit-learn", "polars", "nltk")
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "sharprecl": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "packages": versions,
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def read_metrics(output: Path) -> dict[str, Any]:
    """The judgement of a finished run."""
    value: dict[str, Any] = json.loads((output / METRICS).read_text(encoding="utf-8"))
    return value


def _judge_on(run: Run, validation: np.ndarray) -> tuple[TextTable, str]:
    if run.test is not None:
        return run.test, f"{run.test.origin}, {len(run.test)} texts"
    if len(validation):
        where = f"validation split of {run.table.origin}, {len(validation)} texts (the epoch was chosen on them)"
        return run.table.select(validation), where
    return run.table, f"the training texts themselves, {len(run.table)} texts: no figure for new texts"


def _tensorboard(output: Path) -> list[Observer]:
    try:
        return [TensorBoardLog(output / "tensorboard")]
    except MissingExtraError:
        # TensorBoard is a second view of history.jsonl; its absence loses nothing.
        return []


class _Together:
    """Several observers as one."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = observers

    def recorded(self, record: Record, pace: Pace) -> None:
        for observer in self._observers:
            observer.recorded(record, pace)

    def said(self, sentence: str) -> None:
        for observer in self._observers:
            observer.said(sentence)

    def closed(self) -> None:
        for observer in self._observers:
            observer.closed()
