"""Whose an output folder is: what may be replaced there, and what is gone on with."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path

from sharprecl.config import read_yaml, resolve
from sharprecl.data.fingerprints import SEEN
from sharprecl.data.set_aside import FILE as SET_ASIDE
from sharprecl.decision.held_out import FILE as HELD_OUT
from sharprecl.errors import ConfigError
from sharprecl.export.card import EXPORTS, WEIGHTS, is_ours
from sharprecl.export.card import FILE as CARD
from sharprecl.files import sha256_json
from sharprecl.llm.openai_answers import ANSWERS
from sharprecl.llm.openai_answers import MODEL as PROVIDER_MODEL
from sharprecl.llm.openai_job import STATE as JOB
from sharprecl.llm.openai_job import TRAINING_FILE as SENT
from sharprecl.runs.folder import CONFIG, ENVIRONMENT, METRICS, RunFolder
from sharprecl.runs.label_review import FILE as REVIEW
from sharprecl.runs.reference import FILE as REFERENCE
from sharprecl.runs.run import Run
from sharprecl.training.checkpoint import remove_checkpoints
from sharprecl.training.names import CHECKPOINTS, FOLDS, HISTORY, SCORES

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


def check_begun(run: Run) -> None:
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
