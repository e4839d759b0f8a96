"""A trained classifier judged on labelled texts, and the page that shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.errors import MissingExtraError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.evaluation.references import tfidf_logistic
from sharprecl.methods.registry import method_class
from sharprecl.report.data import ReportData
from sharprecl.report.page import write_report
from sharprecl.training.history import Observer, Record
from sharprecl.training.inference import answers, softmax

FLOOR = "TF-IDF + logistic regression"
_TITLES = {"minilm": "MiniLM"}


@dataclass(frozen=True)
class Judged:
    """A classifier judged on labelled texts, with what a report shows."""

    evaluation: Evaluation
    table: TextTable
    answers: np.ndarray
    confidence: np.ndarray
    embeddings: np.ndarray
    on: str


def judge(classifier: TextClassifier, table: TextTable, on: str) -> Judged:
    """Let a classifier answer labelled texts and judge the answers."""
    scores, embeddings = classifier.scores_and_embeddings(table.texts)
    given = answers(scores)
    evaluation = evaluate(table.label_ids, given, classifier.class_counts_, table.label_names)
    # A text without an answer has no confidence either.
    return Judged(evaluation, table, given, np.nan_to_num(softmax(scores).max(1)), embeddings, on)


def judged_notes(evaluation: Evaluation) -> list[str]:
    """What a person should know of the figures: texts without an answer, classes without a text."""
    notes = []
    if evaluation.unanswered:
        silent = evaluation.unanswered
        notes.append(f"{silent} of {evaluation.n_texts} texts got no answer that is a label; they count as wrong")
    untested = sum(row.test_count == 0 for row in evaluation.classes)
    if untested:
        notes.append(
            f"no test text at all for {untested:,} of {len(evaluation.classes):,} classes: each counts 0 in macro-F1, "
            f"which is therefore too low"
        )
    return notes


def tfidf_reference(table: TextTable, test: TextTable, seed: int) -> Evaluation:
    """Judge the floor that every trained encoder should beat, fitted on the whole training table."""
    given = tfidf_logistic(table.texts, table.label_ids.tolist(), seed).predict(test.texts)
    return evaluate(test.label_ids, given, table.class_counts, table.label_names)


def frozen_title(encoder: str) -> str:
    """How tables call the second floor, after the encoder as a user names it."""
    return f"frozen {_TITLES.get(encoder, Path(encoder).name)} + logistic regression"


def frozen_reference(table: TextTable, test: TextTable, config: RunConfig, device: str = "auto") -> Evaluation:
    """Judge the run's encoder before any training, with a classifier fitted on the whole training table.

    It is the method ``frozen`` with its defaults and the run's seed, pooling and length; it costs one pass over all
    texts.
    """
    settings = {
        "seed": config.seed,
        "encoder": config.encoder.model_dump(),
        "method": {"name": "frozen"},
        "training": {"select_on": "last"},
    }
    frozen = TextClassifier(config=settings, device=device).fit(table)
    return evaluate(test.label_ids, answers(frozen.scores(test.texts)), table.class_counts, table.label_names)


def references(
    table: TextTable, test: TextTable, config: RunConfig, say: Callable[[str], None], device: str = "auto"
) -> dict[str, Evaluation]:
    """Judge the floors that a run should beat: TF-IDF, and its own encoder frozen where the run trains one.

    A language model has no encoder, and one more would have to be fetched for it.
    """
    found = {FLOOR: tfidf_reference(table, test, config.seed)}
    if method_class(config.method.name).trains_encoder:
        title = frozen_title(config.encoder.name)
        say(f"reference: {title}, one pass over {len(table):,} training and {len(test):,} test texts")
        found[title] = frozen_reference(table, test, config, device)
    return found


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
        embeddings=judged.embeddings if judged.embeddings.shape[1] else None,
        texts=list(judged.table.texts),
        y_true=judged.table.label_ids,
        y_pred=judged.answers,
        confidence=judged.confidence,
        settings=settings,
        notes=[*notes, *judged_notes(judged.evaluation)],
        evaluated_on=judged.on,
    )
    try:
        write_report(data, path)
    except MissingExtraError as error:
        say.said(f"no report.html: {error}")
