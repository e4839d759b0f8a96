"""A run that keeps no model: train, answer the test texts with the model in memory, judge the answers."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.assets.catalogue import ENCODERS
from sharprecl.assets.named import resolve_encoder
from sharprecl.classifier import TextClassifier
from sharprecl.config import merge, resolve
from sharprecl.decision import best_classes
from sharprecl.errors import CheckpointError
from sharprecl.files import sha256_file, sha256_json
from sharprecl.machine import describe_machine
from sharprecl.runs.data import Prepared
from sharprecl.runs.folder import RunFolder
from sharprecl.runs.record import RunRecord, measure
from sharprecl.runs.spec import RunSpec, run_key
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.history import Callback, Record, TrainingSpeed, read_history
from sharprecl.training.names import CHECKPOINTS, HISTORY
from sharprecl.training.trainer import TrainingResult

_WEIGHTS = (".safetensors", ".bin", ".json", ".txt", ".model")  # weights, configuration, vocabulary


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

    def write(self, folder: RunFolder) -> None:
        """Leave the run in its folder."""
        history = "".join(json.dumps(line, sort_keys=True) + "\n" for line in self.history)
        folder.finish(self.record, history, self.features, self.scores)


def execute(
    spec: RunSpec,
    prepared: Prepared,
    code: str,
    *,
    device: str = "auto",
    checkpoints: Path | None = None,
    place: dict[str, Any] | None = None,
    callback: Callback | None = None,
) -> Executed:
    """Train, answer and judge.

    Args:
        spec: what to run.
        prepared: its data.
        code: ``code_hash()``.
        device: ``auto``, ``cpu``, ``cuda``, ...
        checkpoints: a folder for checkpoints, from which a run that was cut off goes on; None makes none.
        place: what the record's environment is to say beside what is found out here.
        callback: is told of every step.

    Raises:
        SharpReCLError: what is wrong with settings, assets or disk.
    """
    started, began = time.time(), time.monotonic()
    config = resolve(merge(spec.settings, {"seed": spec.seed}), prepared.train.class_counts)
    classifier = TextClassifier(config=config, device=device)
    history = _train(classifier, prepared, checkpoints, callback or Callback())
    trained = classifier.trained_
    assert trained is not None
    x_NH: np.ndarray | None
    if spec.embeddings:
        scores_NC, x_NH = classifier.scores_and_embeddings(prepared.test.texts)
    else:
        scores_NC, x_NH = classifier.scores(prepared.test.texts), None
    given = best_classes(scores_NC)
    metrics, f1 = measure(prepared.record.gold, given, prepared.record.train_counts)
    has_encoder = config.method.views != "none"
    outcome = trained.outcome
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
        selected_on=config.training.select_on if has_encoder else "last",
        steps=outcome.steps,
        tokens=outcome.tokens,
        seconds=outcome.seconds,
        peak_memory_bytes=outcome.peak_memory_bytes,
        environment={
            **(place or {}),
            **describe_run(started, outcome),
            **({"weights": weights_of(config.encoder.name)} if has_encoder else {}),
            # A resumed run's training took longer than this process has seen of it.
            "wall_seconds": max(time.monotonic() - began, outcome.seconds),
        },
        notes=tuple(trained.notes),
    )
    return Executed(record, history, scores_NC.astype(np.float32), None if x_NH is None else x_NH.astype(np.float16))


def describe_run(started: float, outcome: TrainingResult) -> dict[str, Any]:
    """Where a training took place: what may differ between equal runs.

    Args:
        started: by ``time.time``.
        outcome: of the training.
    """
    return {
        **describe_machine(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "device": outcome.device,
        "precision": outcome.precision,
        "processes": outcome.processes,
    }


def _train(classifier: TextClassifier, prepared: Prepared, folder: Path | None, callback: Callback) -> list[Record]:
    recorder = _Recorder(callback)

    def fit(resume: bool) -> None:
        keep = folder is not None
        classifier.fit(
            prepared.train,
            test=prepared.test,  # looked at only where the settings choose the epoch on test texts
            output=folder,
            resume=resume,
            keep_checkpoints=keep,
            callback=recorder,
        )

    try:
        fit(resume=folder is not None)
    except CheckpointError:
        if folder is None or recorder.records:
            raise
        # Nothing was trained yet: the checkpoint is another device's, or was left by another version of a package.
        remove_checkpoints(folder / CHECKPOINTS)
        fit(resume=False)
    return recorder.records if folder is None else read_history(folder / HISTORY)


class _Recorder(Callback):
    """Keeps a training's records while another callback watches."""

    def __init__(self, callback: Callback) -> None:
        self.records: list[Record] = []
        self._callback = callback

    def on_record(self, record: Record, speed: TrainingSpeed) -> None:
        self.records.append(record)
        self._callback.on_record(record, speed)


def weights_of(encoder: str) -> str:
    """Which weights a run began with, since a name does not say: folders are written anew, repositories move on.

    Args:
        encoder: as in ``EncoderConfig.name``; one that was loaded before, so that the Hub is not asked again.

    Returns:
        The package of a named encoder, the commit of one from the Hub (``unknown`` where its cache does not say), the
        SHA-256 over a folder's files.

    Raises:
        AssetError: there is no such encoder.
    """
    source = resolve_encoder(encoder)
    folder = Path(source)
    if encoder in ENCODERS:
        return folder.name
    if not folder.is_dir():
        from transformers import AutoConfig

        try:
            return str(AutoConfig.from_pretrained(source, local_files_only=True)._commit_hash or "unknown")
        except (OSError, ValueError):
            return "unknown"
    files = [path for path in sorted(folder.iterdir()) if path.suffix in _WEIGHTS and path.is_file()]
    return sha256_json([[path.name, sha256_file(path)] for path in files])
