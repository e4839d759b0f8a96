"""A trained classifier judged on labelled texts, the floors that it should beat, and the page that shows it all."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import RunConfig
from sharprecl.data.tables import TextTable
from sharprecl.decision import Answers, Policy, best_classes
from sharprecl.errors import MissingExtraError
from sharprecl.evaluation.judge import Evaluation, evaluate
from sharprecl.evaluation.references import tfidf_answers, tfidf_logistic
from sharprecl.evaluation.reliability import Certainty, certainty
from sharprecl.report.data import ReportData
from sharprecl.report.page import write_report
from sharprecl.runs.folder import write_arrays
from sharprecl.runs.spec import FLOOR
from sharprecl.training.history import Callback, Record
from sharprecl.training.out_of_fold import OutOfFold

_TITLES = {"minilm": "MiniLM"}


@dataclass(frozen=True, eq=False)
class Judged:
    """A classifier judged on labelled texts, with what a report shows."""

    evaluation: Evaluation
    table: TextTable
    answers: Answers
    policy: Policy
    scores: np.ndarray
    embeddings: np.ndarray
    on: str

    @cached_property
    def certainty(self) -> Certainty:
        """What confidence, abstention and sets were worth."""
        answers = self.answers
        return certainty(
            self.table.label_ids, answers.class_ids_N, answers.confidence_N, ~answers.abstained_N, answers.sets_NC
        )

    @property
    def notes(self) -> list[str]:
        """What a person should know of the figures: texts without an answer, classes without a text."""
        return judged_notes(self.evaluation)

    def write_scores(self, path: Path) -> None:
        """Keep the scores, so that any decision can be judged later without the model."""
        names = np.array(self.table.label_names)
        write_arrays(path, scores=self.scores, label_ids=self.table.label_ids, label_names=names)


def judge(classifier: TextClassifier, table: TextTable, on: str) -> Judged:
    """Let a classifier answer labelled texts and judge the answers."""
    return _judge_scores(classifier, table, on, *classifier.scores_and_embeddings(table.texts))


def judge_out_of_fold(classifier: TextClassifier, table: TextTable, found: OutOfFold) -> Judged:
    """Judge a classifier by the scores of the trainings of folds, as it would decide on them."""
    held = table.select(found.rows)
    scores = classifier.decision_.decision.apply(found.s_MC)
    # Features of different encoders do not lie in one space.
    nothing = np.empty((len(held), 0), dtype=np.float32)
    return _judge_scores(classifier, held, f"{table.origin}, {len(held)} texts: {found.sentence}", scores, nothing)


def _judge_scores(
    classifier: TextClassifier, table: TextTable, on: str, scores: np.ndarray, embeddings: np.ndarray
) -> Judged:
    answers = classifier.policy_.answers(scores)
    evaluation = evaluate(table.label_ids, answers.class_ids_N, classifier.class_counts_, table.label_names)
    return Judged(evaluation, table, answers, classifier.policy_, scores, embeddings, on)


def judged_notes(evaluation: Evaluation) -> list[str]:
    """What a person should know of the figures: texts without an answer, classes without a text."""
    notes = []
    if evaluation.unanswered:
        silent = evaluation.unanswered
        notes.append(f"{silent} of {evaluation.n_texts} texts got no answer; they count as wrong")
    untested = sum(row.test_count == 0 for row in evaluation.classes)
    if untested:
        notes.append(
            f"no test text at all for {untested:,} of {len(evaluation.classes):,} classes: each counts 0 in macro-F1, "
            f"which is therefore too low"
        )
    return notes


def tfidf_reference(table: TextTable, test: TextTable, seed: int) -> Evaluation:
    """Judge the floor that every trained encoder should beat, fitted on the whole training table."""
    return _evaluate(table, test.label_ids, _tfidf_answers(table, test, seed))


def frozen_reference(table: TextTable, test: TextTable, config: RunConfig, device: str = "auto") -> Evaluation:
    """Judge the run's encoder before any training, with a classifier fitted on the whole training table.

    It is the method ``frozen`` with its defaults and the run's seed, pooling and length; it costs one pass over all
    texts.
    """
    return _evaluate(table, test.label_ids, _frozen_answers(table, test, config, device))


def references(
    table: TextTable, test: TextTable, config: RunConfig, say: Callable[[str], None], device: str = "auto"
) -> dict[str, Evaluation]:
    """Judge the floors that a run should beat: TF-IDF, and its own encoder frozen where the run trains one.

    A language model has no encoder, and one more would have to be fetched for it.
    """
    found = {FLOOR: tfidf_reference(table, test, config.seed)}
    if config.method.trains_encoder:
        title = frozen_title(config.encoder.name)
        say(f"reference: {title}, one pass over {len(table):,} training and {len(test):,} test texts")
        found[title] = frozen_reference(table, test, config, device)
    return found


def references_out_of_fold(
    table: TextTable, found: OutOfFold, config: RunConfig, device: str = "auto"
) -> dict[str, Evaluation]:
    """Judge the same floors on what was held out, each fitted on what that training learnt from."""
    parts = [(table.select(fold.fit), table.select(fold.held)) for fold in found.folds]
    given = {FLOOR: [_tfidf_answers(*part, config.seed) for part in parts]}
    if config.method.trains_encoder:
        given[frozen_title(config.encoder.name)] = [_frozen_answers(*part, config, device) for part in parts]
    truth = table.label_ids[found.rows]
    return {title: _evaluate(table, truth, np.concatenate(rows)) for title, rows in given.items()}


def frozen_title(encoder: str) -> str:
    """How tables call the second floor, after the encoder as a user names it."""
    return f"frozen {_TITLES.get(encoder, Path(encoder).name)} + logistic regression"


def _evaluate(table: TextTable, truth: np.ndarray, given: np.ndarray) -> Evaluation:
    return evaluate(truth, given, table.class_counts, table.label_names)


def _tfidf_answers(table: TextTable, test: TextTable, seed: int) -> np.ndarray:
    return tfidf_answers(tfidf_logistic(table.texts, table.label_ids.tolist(), seed), test.texts)


def _frozen_answers(table: TextTable, test: TextTable, config: RunConfig, device: str) -> np.ndarray:
    settings = {
        "seed": config.seed,
        "encoder": config.encoder.model_dump(),
        "method": {"name": "frozen"},
        "training": {"select_on": "last"},
    }
    return best_classes(TextClassifier(config=settings, device=device).fit(table).scores(test.texts))


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
    say: Callback,
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
        # A text without an answer has no confidence either.
        confidence=np.nan_to_num(judged.answers.confidence_N),
        certainty=judged.certainty,
        least_confidence=judged.policy.least_confidence,
        set_level=judged.policy.set_level,
        settings=settings,
        notes=[*notes, *judged.notes],
        evaluated_on=judged.on,
    )
    try:
        write_report(data, path)
    except MissingExtraError as error:
        say.on_message(f"no report.html: {error}")
