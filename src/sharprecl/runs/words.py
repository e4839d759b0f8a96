"""The run of the floor, TF-IDF with logistic regression: no encoder, no steps, no chance, so one run in any sweep."""

import time
from typing import Any

import numpy as np

from sharprecl.evaluation.references import tfidf_answers, tfidf_logistic
from sharprecl.machine import describe_machine
from sharprecl.runs.data import Prepared
from sharprecl.runs.execute import Executed
from sharprecl.runs.record import RunRecord, measure
from sharprecl.runs.spec import RunSpec, run_key


def execute_words(spec: RunSpec, prepared: Prepared, code: str, place: dict[str, Any] | None = None) -> Executed:
    """Fit, answer and judge, as ``execute`` does with a method.

    Raises:
        DataError: no training text holds a word.
    """
    started, began = time.time(), time.monotonic()
    train, test = prepared.train, prepared.test
    fitted = tfidf_logistic(train.texts, train.label_ids.tolist(), spec.seed)
    seconds = time.monotonic() - began
    scores_NC = np.full((len(test), len(train.label_names)), -np.inf, dtype=np.float32)
    scores_NC[:, fitted.classes_] = fitted.predict_log_proba(test.texts)
    given = tfidf_answers(fitted, test.texts)
    scores_NC[given < 0] = np.nan
    metrics, f1 = measure(prepared.record.gold, given, prepared.record.train_counts)
    record = RunRecord(
        key=run_key(spec, prepared.record.hash, code),
        spec=spec,
        data=prepared.record.hash,
        code=code,
        config=spec.settings,
        answers=tuple(given.tolist()),
        metrics=metrics,
        f1=f1,
        selected_on="last",
        steps=0,
        tokens=0,
        seconds=seconds,
        peak_memory_bytes=0,
        environment={
            **(place or {}),
            **describe_machine(),
            "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
            "wall_seconds": time.monotonic() - began,
        },
        notes=(),
    )
    return Executed(record, [], scores_NC, None)
