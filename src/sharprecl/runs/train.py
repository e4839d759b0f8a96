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

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from sharprecl.classifier import TextClassifier
from sharprecl.config import RunConfig, read_yaml, resolve, to_yaml
from sharprecl.data.fingerprints import SEEN, write_fingerprints
from sharprecl.data.leaks import find_leaks
from sharprecl.data.messages import plural
from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.data.set_aside import write_set_aside
from sharprecl.data.tables import TextTable
from sharprecl.decision.held_out import FILE as HELD_OUT
from sharprecl.errors import ConfigError, DataError, MissingExtraError
from sharprecl.evaluation.differences import macro_f1_difference
from sharprecl.evaluation.judge import Evaluation
from sharprecl.export.card import EXPORTS, WEIGHTS, is_ours, read_card
from sharprecl.export.card import FILE as CARD
from sharprecl.export.model_card import write_model_card
from sharprecl.files import sha256_json, write_json, write_text
from sharprecl.llm.openai_answers import ANSWERS
from sharprecl.llm.openai_answers import MODEL as PROVIDER_MODEL
from sharprecl.llm.openai_client import check_before_spending
from sharprecl.llm.openai_job import STATE as JOB
from sharprecl.llm.openai_job import TRAINING_FILE as SENT
from sharprecl.runs.execute import describe_run
from sharprecl.runs.folder import CONFIG, ENVIRONMENT, METRICS, RunFolder
from sharprecl.runs.judge import Judged, judge, judge_out_of_fold, references_out_of_fold, report
from sharprecl.runs.label_review import FILE as REVIEW
from sharprecl.runs.label_review import write_label_review
from sharprecl.runs.reference import FILE as REFERENCE
from sharprecl.runs.reference import remember
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.hardware import free_memory
from sharprecl.training.history import Callback, Callbacks, read_history
from sharprecl.training.names import CHECKPOINTS, FOLDS, HISTORY, SCORES
from sharprecl.training.out_of_fold import remove_folds
from sharprecl.training.tensorboard import TensorBoardLog

REPORT, TENSORBOARD = "report.html", "tensorboard"
SEARCH, SEARCH_PAGE = "search", "tune.html"
"""What ``sharprecl tune`` leaves beside the model that it trained."""
RAY = "ray-train"
"""A folder of Ray Train's own, while a training on a cluster goes on."""
_RESULTS = (
    METRICS,
    ENVIRONMENT,
    REPORT,
    CONFIG,
    *WEIGHTS,
    TENSORBOARD,
    SEEN,
    SET_ASIDE,
    REVIEW,
    JOB,
    PROVIDER_MODEL,
    SCORES,
    HELD_OUT,
    FOLDS,
    *EXPORTS,
    REFERENCE,
    SEARCH,
    SEARCH_PAGE,
)


@dataclass
class Run:
    """What a training is to do and where it leaves its results."""

    table: TextTable
    config: RunConfig
    output: Path
    test: TextTable | None = None
    references: dict[str, Evaluation] = field(default_factory=dict)
    device: str = "auto"
    processes: int = 1
    text_column: str = "text"
    label_column: str = "label"
    title: str = ""

    def __post_init__(self) -> None:
        self.title = row_title(self.config, self.title)

    @cached_property
    def test_notes(self) -> list[str]:
        """What is to be told of the test texts with every result: those that also stand in training."""
        if self.test is None:
            return []
        leaks = find_leaks(self.table, self.test).note
        return [*self.test.notes, *([leaks] if leaks else [])]

    def judged_on(self, validation: np.ndarray) -> tuple[TextTable, str]:
        """The texts that judge the saved model and what is told of them, given the rows that were held out."""
        if self.test is not None:
            return self.test, f"{self.test.origin}, {len(self.test)} texts"
        if len(validation):
            chosen = self.config.method.trains_encoder
            what = "the epoch was chosen on them" if chosen else "nothing was chosen on them"
            told = f"validation split of {self.table.origin}, {len(validation)} texts ({what})"
            return self.table.select(validation), told
        return self.table, f"the training texts themselves, {len(self.table)} texts: no figure for new texts"


def row_title(config: RunConfig, name: str = "") -> str:
    """How tables call a run; whatever was chosen on test data says so in every table."""
    mark = " (epoch chosen on test texts)" if config.training.select_on == "test" else ""
    return (name or config.method.name) + mark


def is_finished(output: Path) -> bool:
    """Whether a run in this folder came to its end."""
    return RunFolder(output).state == "finished"


def claim(output: Path, resume: bool, overwrite: bool) -> None:
    """Make the folder this run's own.

    Raises:
        ConfigError: another run is there and neither resume nor overwrite was asked for, or what is there is not ours.
    """
    # The lock lies in the folder: who will make it needs none.
    with RunFolder(output).alone() if output.is_dir() else nullcontext():
        _claim(output, resume, overwrite)


def _claim(output: Path, resume: bool, overwrite: bool) -> None:
    foreign = [name for name in _RESULTS if (output / name).exists()]
    if foreign and not is_ours(output):
        raise ConfigError(
            f"{output / foreign[0]} was not written by a training run and would be replaced; choose another --output"
        )
    if overwrite:
        # Checkpoints go first: were this cut off, nothing of the old run could be resumed by mistake.
        remove_checkpoints(output / CHECKPOINTS)
        for name in (*_RESULTS, SENT, ANSWERS, HISTORY, CARD, RAY):
            path = output / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    elif is_finished(output) and not resume:
        raise ConfigError(f"{output} holds a finished run; choose another --output, or add --overwrite")
    elif _has_begun(output) and not resume:
        raise ConfigError(
            f"{output} holds a run that was cut off; add --resume to finish it, --overwrite to start anew"
        )
    try:
        output.mkdir(parents=True, exist_ok=True)
        # The mark that says whose folder this is, also if the command ends before the training starts.
        (output / HISTORY).touch()
    except OSError as error:
        raise ConfigError(f"{output} cannot be made ({error.strerror}); choose another --output") from error


def _has_begun(output: Path) -> bool:
    history = output / HISTORY
    if history.exists() and history.stat().st_size > 0:
        return True
    parts = (f"{CHECKPOINTS}/step-*", f"{FOLDS}/*/*", f"{SEARCH}/*", CARD, JOB)
    return any(True for part in parts for _ in output.glob(part))


def check_same(run: Run) -> None:
    """See that a finished folder holds this very run.

    Raises:
        ConfigError: its data or settings are others.
    """
    metrics = json.loads((run.output / METRICS).read_text(encoding="utf-8"))
    if metrics["data"]["train"] != run.table.content_hash or metrics["config"] != sha256_json(run.config.kept()):
        raise ConfigError(
            f"{run.output} holds a finished run with other settings or other data; choose another --output, "
            f"or add --overwrite instead of --resume"
        )
    if run.test is not None and metrics["data"]["evaluated"] != run.test.content_hash:
        raise ConfigError(
            f"{run.output} is finished and was judged on other test texts; judge it on these with 'sharprecl evaluate "
            f"{run.output} ...', or add --overwrite instead of --resume"
        )


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
        return _train(run, Callbacks([*callbacks, *_tensorboard(run.output)]), resume)


def _train(run: Run, watching: Callback, resume: bool) -> Judged:
    started = time.time()
    if resume and (run.output / CONFIG).exists():
        _check_begun(run)
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
    trained = classifier.trained_
    assert trained is not None
    classifier.save(run.output, text_column=run.text_column, label_column=run.label_column)
    write_fingerprints(run.output / SEEN, run.table)
    outcome, facts, validation = trained.outcome, trained.facts, trained.validation
    of_validation, judged = _of_validation(run, validation), None
    found, looks_wrong = classifier.out_of_fold_, []
    if found is not None and (number := write_label_review(run.table, found, run.output / REVIEW)):
        looks_wrong = [
            f"{plural(number, 'training label looks', 'training labels look')} wrong to models that have not seen the "
            f"text: {run.output / REVIEW}; decide there, then 'sharprecl doctor' with --fix and --review"
        ]
    if run.test is None and found is not None:
        judged = judge_out_of_fold(classifier, run.table, found)
        with suppress(DataError):  # Texts without a word have no floor.
            run.references |= references_out_of_fold(run.table, found, run.config, run.device)
    for note in (*of_validation, *looks_wrong):
        watching.on_message(f"note: {note}")
    notes = [*classifier.notes_, *run.test_notes, *of_validation, *looks_wrong]
    decided = classifier.decision_.facts
    # The trained model must be gone before it is read back: two of 7 billion weights fit on no card.
    del trained, classifier
    free_memory()
    of_folds = judged is not None
    # What is judged is what was saved, read back: the figures belong to the files that get deployed.
    saved = TextClassifier.load(run.output, device=run.device)
    if judged is None:
        judged = judge(saved, *run.judged_on(validation))
    judged.write_scores(run.output / SCORES)
    remember(run.output, saved, judged, held_out=not of_folds and (run.test is not None or len(validation) > 0))
    del saved
    environment = {
        **describe_run(started, outcome),
        "training_seconds": outcome.seconds,
        "seconds_of_this_process": time.time() - started,
        "peak_memory_bytes": outcome.peak_memory_bytes,
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
        "training": facts,
        "notes": [*notes, *judged.notes],
        "selected_on": run.config.training.select_on,
        "data": data,
        "config": config_hash,
        **({"decision": decided} if decided else {}),
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
            "training": facts,
            "hashes": {"config": config_hash, **data},
            "environment": environment,
        },
        notes=notes,
        say=watching,
    )
    write_model_card(run.output, read_card(run.output), judged.evaluation, judged.on, judged.certainty)
    write_json(run.output / METRICS, metrics)
    remove_checkpoints(run.output / CHECKPOINTS)
    remove_folds(run.output)
    return judged


def _check_begun(run: Run) -> None:
    """See that what was begun in the folder is this very run.

    Raises:
        ConfigError: its settings are others.
    """
    begun = resolve(read_yaml(run.output / CONFIG), run.table.class_counts)
    if begun.kept() != run.config.kept():
        raise ConfigError(
            f"{run.output} holds a run with other settings ({run.output / CONFIG}); choose another --output, "
            f"or add --overwrite instead of --resume"
        )


def _of_validation(run: Run, validation: np.ndarray) -> list[str]:
    """What is to be told of validation texts: the split keeps equal texts together, but not those that only look so."""
    if run.test is not None or not len(validation):
        return []
    fitted = np.setdiff1d(np.arange(len(run.table)), validation)
    leaks = find_leaks(run.table.select(fitted), run.table.select(validation)).note_on("validation texts")
    return [leaks] if leaks else []


def _tensorboard(output: Path) -> list[Callback]:
    try:
        return [TensorBoardLog(output / TENSORBOARD)]
    except MissingExtraError:
        # TensorBoard is a second view of history.jsonl; its absence loses nothing.
        return []
