"""A run that keeps its model: train, save, judge what was saved, tell everything.

Beside what every run leaves (``runs/folder.py``) its folder holds:

model/             the stock Hugging Face model
sharprecl.json     what it is: labels, class counts, pooling
set_aside.csv      rows of the files without a text or a label, if there are any
reference.npz      features and scores of at most 500 judged texts, for 'drift' and 'add-class'
training.seen      a number for every training text: 'evaluate' then knows test texts that were trained on
report.html        all of it for people
tensorboard/       history.jsonl once more
folds/             while trainings on parts of the texts come first, see training/out_of_fold.py

``config.yaml`` is fit to be given back with --config. Equal runs write equal bytes into ``metrics.json`` and ``model``.
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import to_yaml
from sharprecl.data.fingerprints import SEEN, write_fingerprints
from sharprecl.data.leaks import find_leaks
from sharprecl.data.messages import plural
from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.data.set_aside import write_set_aside
from sharprecl.errors import DataError, MissingExtraError
from sharprecl.evaluation.differences import macro_f1_difference
from sharprecl.export.card import read_card
from sharprecl.export.model_card import write_model_card
from sharprecl.files import sha256_json, write_json, write_text
from sharprecl.llm.openai_client import check_before_spending
from sharprecl.runs.claim import REPORT, TENSORBOARD, check_begun, check_same
from sharprecl.runs.execute import describe_run
from sharprecl.runs.folder import CONFIG, ENVIRONMENT, METRICS, RunFolder
from sharprecl.runs.judge import Judged, judge, judge_out_of_fold, references_out_of_fold, report
from sharprecl.runs.label_review import FILE as REVIEW
from sharprecl.runs.label_review import write_label_review
from sharprecl.runs.reference import remember
from sharprecl.runs.run import Run
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.hardware import free_memory
from sharprecl.training.history import Callback, Callbacks, read_history
from sharprecl.training.names import CHECKPOINTS, HISTORY, SCORES
from sharprecl.training.out_of_fold import remove_folds
from sharprecl.training.tensorboard import TensorBoardLog
from sharprecl.training.trainer import TrainingResult


@dataclass(frozen=True, eq=False)
class _Saved:
    """What is to be told of a training whose model was saved and is gone from memory.

    Attributes:
        validation: rows that were held out to choose the epoch.
        of_folds: the judgement of trainings on parts of the texts, where there were any.
    """

    outcome: TrainingResult
    facts: dict[str, Any]
    decided: dict[str, Any]
    validation: np.ndarray
    of_folds: Judged | None
    notes: list[str]


def judge_again(run: Run) -> Judged:
    """Judge a finished run's saved model on its test texts, without training it again.

    Raises:
        ConfigError: the folder holds another run.
    """
    check_same(run)
    check_before_spending(run.config)
    return judge(TextClassifier.load(run.output, device=run.device), *run.judged_on(np.empty(0, dtype=np.int64)))


def train(run: Run, callbacks: Sequence[Callback], resume: bool = False) -> Judged:
    """Train, save, judge what was saved, and write everything into the run's folder.

    Raises:
        SharpReCLError: what is wrong with data, settings, assets or disk, or another process trains into the folder.
    """
    run.output.mkdir(parents=True, exist_ok=True)
    with RunFolder(run.output).alone():
        started = time.time()
        watching = Callbacks([*callbacks, *_tensorboard(run)])
        saved = _learn(run, watching, resume)
        # The trained model is gone before it is read back: two of 7 billion weights fit on no card.
        free_memory()
        judged = _judge_saved(run, saved)
        _write(run, saved, judged, started, watching)
        return judged


def _learn(run: Run, watching: Callback, resume: bool) -> _Saved:
    """Train and save."""
    if resume and (run.output / CONFIG).exists():
        check_begun(run)
    else:
        write_text(run.output / CONFIG, to_yaml(run.config))
    aside = [*run.table.set_aside, *(run.test.set_aside if run.test is not None else ())]
    write_set_aside(aside, run.output / SET_ASIDE)
    classifier = TextClassifier(config=run.config, device=run.device, processes=run.processes)
    classifier.fit(
        run.table,
        test=run.test,
        output=run.output,
        resume=resume,
        keep_checkpoints=True,
        out_of_fold=run.test is None,
        callback=watching,
    )
    write_text(run.output / CONFIG, to_yaml(run.config))
    trained, found, of_folds = classifier.trained_, classifier.out_of_fold_, None
    assert trained is not None
    classifier.save(run.output, text_column=run.text_column, label_column=run.label_column)
    write_fingerprints(run.output / SEEN, run.table)
    own_notes = _of_validation(run, trained.validation)
    if found is not None and (number := write_label_review(run.table, found, run.output / REVIEW)):
        own_notes.append(
            f"{plural(number, 'training label looks', 'training labels look')} wrong to models that have not seen the "
            f"text: {run.output / REVIEW}; decide there, then 'sharprecl doctor' with --fix and --review"
        )
    if run.test is None and found is not None:
        of_folds = judge_out_of_fold(classifier, run.table, found)
        with suppress(DataError):  # Texts without a word have no floor.
            run.references |= references_out_of_fold(run.table, found, run.config, run.device)
    for note in own_notes:
        watching.on_message(f"note: {note}")
    return _Saved(
        trained.outcome,
        trained.facts,
        classifier.decision_.facts,
        trained.validation,
        of_folds,
        [*classifier.notes_, *run.test_notes, *own_notes],
    )


def _judge_saved(run: Run, saved: _Saved) -> Judged:
    """Judge what was saved, read back: the figures belong to the files that get deployed."""
    classifier = TextClassifier.load(run.output, device=run.device)
    judged = saved.of_folds
    if judged is None:
        judged = judge(classifier, *run.judged_on(saved.validation))
    judged.write_scores(run.output / SCORES)
    held_out = saved.of_folds is None and (run.test is not None or len(saved.validation) > 0)
    remember(run.output, classifier, judged, held_out=held_out)
    return judged


def _write(run: Run, saved: _Saved, judged: Judged, started: float, watching: Callback) -> None:
    """Write figures, report and model card; what a restart would need is removed last."""
    environment = {
        **describe_run(started, saved.outcome),
        "training_seconds": saved.outcome.seconds,
        "seconds_of_this_process": time.time() - started,
        "peak_memory_bytes": saved.outcome.peak_memory_bytes,
    }
    data = {"train": run.table.content_hash, "evaluated": judged.table.content_hash}
    config_hash = sha256_json(run.config.kept())
    metrics = {
        "evaluated_on": judged.on,
        "evaluation": judged.evaluation.to_dict(),
        "references": {name: reference.to_dict() for name, reference in run.references.items()},
        "macro_f1_differences": {
            name: asdict(macro_f1_difference(judged.evaluation, other)) for name, other in run.references.items()
        },
        "certainty": asdict(judged.certainty),
        "training": saved.facts,
        "notes": [*saved.notes, *judged.notes],
        "selected_on": run.config.training.select_on,
        "data": data,
        "config": config_hash,
        **({"decision": saved.decided} if saved.decided else {}),
    }
    write_json(run.output / ENVIRONMENT, environment)
    report(
        run.output / REPORT,
        judged,
        title=run.title,
        train_counts=run.table.class_counts,
        references=run.references,
        history=read_history(run.output / HISTORY),
        settings={
            "configuration": run.config.kept(),
            "training": saved.facts,
            "hashes": {"config": config_hash, **data},
            "environment": environment,
        },
        notes=saved.notes,
        say=watching,
    )
    write_model_card(run.output, read_card(run.output), judged.evaluation, judged.on, judged.certainty)
    write_json(run.output / METRICS, metrics)
    remove_checkpoints(run.output / CHECKPOINTS)
    remove_folds(run.output)


def _of_validation(run: Run, validation: np.ndarray) -> list[str]:
    """What is to be told of validation texts: the split keeps equal texts together, but not those that only look so."""
    if run.test is not None or not len(validation):
        return []
    fitted = np.setdiff1d(np.arange(len(run.table)), validation)
    leaks = find_leaks(run.table.select(fitted), run.table.select(validation)).note_on("validation texts")
    return [leaks] if leaks else []


def _tensorboard(run: Run) -> list[Callback]:
    try:
        return [TensorBoardLog(run.output / TENSORBOARD)]
    except MissingExtraError:
        # TensorBoard is a second view of history.jsonl; its absence loses nothing.
        return []
