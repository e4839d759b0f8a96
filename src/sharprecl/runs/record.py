"""What is known of a run afterwards: plain values that tables, figures and checks are made of.

Nothing here knows of plans: one run may stand in several tables. All shares lie in 0 to 1, rows count from 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic.dataclasses import dataclass

from sharprecl.evaluation.judge import evaluate
from sharprecl.runs.spec import STRICT, RunId, Stored

_LEAST_RESAMPLES = 2  # A single run shows no interval: a table's certainty comes from seeds and paired tests.


@dataclass(frozen=True, config=STRICT)
class DataRecord(Stored):
    """What a group of runs was trained and judged on.

    Attributes:
        hash: hex SHA-256 over both tables' content hashes. Several specs may come to the same texts, so where they
            come from stands in the specs alone.
        achieved_ir: what the training texts really have.
        label_names: C names in the order of the ids.
        train_counts: training texts of each class.
        gold: the true class id of every test text.
        leaks: test texts that also stand in training.
    """

    hash: str
    achieved_ir: float
    label_names: tuple[str, ...]
    train_counts: tuple[int, ...]
    gold: tuple[int, ...]
    leaks: int


@dataclass(frozen=True, config=STRICT)
class RunRecord(RunId):
    """A finished run.

    Attributes:
        key: ``run_key`` of the first three; names its folder.
        config: every setting as resolved.
        answers: the predicted class id of every test text, -1 for none.
        metrics: ``accuracy``, ``macro_f1``, ``balanced_accuracy``, and ``head``, ``medium``, ``tail`` (None where the
            band has nothing).
        f1: F1 of each class, in the order of the ids.
        selected_on: ``validation``, ``last`` or ``test``.
        steps: optimiser steps; ``tokens``: tokens that the encoder read in training, padding not counted.
        seconds: of training; ``peak_memory_bytes``: of the process or the card.
        environment: versions, machine, device, precision, date: what may differ between equal runs.
        notes: sentences of the run for people.
    """

    key: str
    config: dict[str, Any]
    answers: tuple[int, ...]
    metrics: dict[str, float | None]
    f1: tuple[float, ...]
    selected_on: str
    steps: int
    tokens: int
    seconds: float
    peak_memory_bytes: int
    environment: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def model(self) -> str:
        """The name of the encoder, or of the language model, that was trained; empty where there was none."""
        return str(self.config["method"].get("model") or self.config.get("encoder", {}).get("name", ""))


@dataclass(frozen=True, config=STRICT)
class Failure(RunId):
    """A run that failed; ``text`` is the traceback."""

    text: str

    @property
    def sentence(self) -> str:
        """The last line of the traceback, without the name of the exception's module."""
        return (self.text.strip().splitlines() or ["unknown"])[-1]


def measure(
    gold: Sequence[int] | np.ndarray, answers: Sequence[int] | np.ndarray, train_counts: Sequence[int] | np.ndarray
) -> tuple[dict[str, float | None], tuple[float, ...]]:
    """Judge answers: what a run keeps, and what a check computes anew.

    Args:
        gold: true class ids, [N].
        answers: predicted class ids, [N]; -1 is none.
        train_counts: training texts of each class, [C].

    Returns:
        ``RunRecord.metrics`` and ``RunRecord.f1``.

    Raises:
        DataError: lengths or ids that do not fit together.
    """
    names = tuple(map(str, range(len(train_counts))))
    found = evaluate(np.asarray(gold), np.asarray(answers), np.asarray(train_counts), names, _LEAST_RESAMPLES)
    whole = {name: found.score(name) for name in ("accuracy", "macro_f1", "balanced_accuracy")}
    bands = {name: band.macro_f1 for name, band in found.bands.items()}
    return whole | bands, tuple(row.f1 for row in found.classes)
