"""One run, from its data to its record. Nothing of the model is kept."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import RunConfig, merge, resolve
from sharprecl.errors import CheckpointError
from sharprecl.experiments.fairness import texts_read
from sharprecl.experiments.measure import measure
from sharprecl.experiments.prepare import Prepared
from sharprecl.experiments.records import RunRecord, RunSpec, run_key
from sharprecl.experiments.weights import weights_of
from sharprecl.machine import describe_machine
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.history import Record, TrainingSpeed, read_history
from sharprecl.training.inference import answers
from sharprecl.training.names import CHECKPOINTS, HISTORY

Tell = Callable[[int, int], None]
"""Called with (steps done, steps in all)."""


@dataclass(frozen=True, eq=False)
class Executed:
    """A run that came to its end.

    Attributes:
        history: what ``training.history`` describes.
        scores: of the test texts, float32 ``[N, C]``, so that other decisions can be judged later.
        features: of the test texts, float16 ``[N, H]``, where the spec asks for them.
    """

    record: RunRecord
    history: list[Record]
    scores: np.ndarray
    features: np.ndarray | None


def execute(
    spec: RunSpec,
    prepared: Prepared,
    code: str,
    *,
    device: str = "auto",
    checkpoints: Path | None = None,
    place: dict[str, Any] | None = None,
    tell: Tell | None = None,
) -> Executed:
    """Train, and answer the test texts with the model in memory.

    Args:
        spec: what to run.
        prepared: its data.
        code: ``code_hash()``.
        device: ``auto``, ``cpu``, ``cuda``, ...
        checkpoints: a folder for checkpoints, from which a run that was cut off goes on; None makes none.
        place: what the record's environment is to say beside what is found out here.
        tell: is told of every step.

    Raises:
        SharpReCLError: what is wrong with settings, assets or disk.
    """
    started, began = time.time(), time.monotonic()
    config = resolve(merge(spec.settings, {"seed": spec.seed}), prepared.train.class_counts)
    classifier = TextClassifier(config=config.model_dump(mode="json"), device=device)
    history = _train(classifier, config, prepared, checkpoints, tell)
    trained = classifier.trained_
    assert trained is not None
    texts = prepared.test.texts
    if spec.embeddings:
        scores_NC, x_NH = classifier.scores_and_embeddings(texts)
    else:
        scores_NC, x_NH = classifier.scores(texts), None
    given = answers(scores_NC)
    metrics, f1 = measure(prepared.record.gold, given, prepared.record.train_counts)
    outcome = trained.outcome
    environment = {
        **(place or {}),
        **describe_machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        **({"weights": weights_of(config.encoder.name)} if texts_read(config.method.name) else {}),
        "device": outcome.device,
        "precision": outcome.precision,
        # A resumed run's training took longer than this process has seen of it.
        "wall_seconds": max(time.monotonic() - began, outcome.seconds),
    }
    record = RunRecord(
        key=run_key(spec, prepared.record.hash, code),
        spec=spec,
        data=prepared.record.hash,
        code=code,
        config=config.kept(),
        answers=tuple(given.tolist()),
        metrics=metrics,
        f1=f1,
        # A language model trains on every text, and nothing is chosen.
        selected_on=config.training.select_on if texts_read(config.method.name) else "last",
        steps=outcome.steps,
        tokens=outcome.tokens,
        seconds=outcome.seconds,
        peak_memory_bytes=outcome.peak_memory_bytes,
        environment=environment,
        notes=tuple(trained.notes),
    )
    return Executed(record, history, scores_NC.astype(np.float32), None if x_NH is None else x_NH.astype(np.float16))


def _train(
    classifier: TextClassifier, config: RunConfig, prepared: Prepared, folder: Path | None, tell: Tell | None
) -> list[Record]:
    watching = _Watching(tell)
    test = prepared.test if config.training.select_on == "test" else None
    if folder is None:
        classifier.fit(prepared.train, test=test, observer=watching)
        return watching.records

    def fit(resume: bool) -> None:
        classifier.fit(
            prepared.train, test=test, output=folder, resume=resume, keep_checkpoints=True, observer=watching
        )

    try:
        fit(resume=True)
    except CheckpointError:
        if watching.records:
            raise
        # Nothing was trained yet: the checkpoint is another device's, or was left by another version of a package.
        remove_checkpoints(folder / CHECKPOINTS)
        fit(resume=False)
    return read_history(folder / HISTORY)


class _Watching:
    """Keeps a training's records and passes on how far it is."""

    def __init__(self, tell: Tell | None) -> None:
        self.records: list[Record] = []
        self._tell = tell

    def recorded(self, record: Record, pace: TrainingSpeed) -> None:
        self.records.append(record)
        if self._tell is not None:
            self._tell(pace.step, pace.total_steps)

    def said(self, sentence: str) -> None:
        del sentence

    def closed(self) -> None:
        return
