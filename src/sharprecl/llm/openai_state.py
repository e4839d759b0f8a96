"""How far a job at the provider has come, in ``openai.json``: what a restart must know to pay only once."""

import dataclasses
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from sharprecl.errors import CheckpointError, ConfigError
from sharprecl.files import write_json

STATE = "openai.json"
DEAD = ("failed", "cancelled")


@dataclass
class JobState:
    """How far a job has come.

    Attributes:
        run: a random name of this run; the uploaded file bears it.
        request: what is asked of the provider: endpoint, model, hyper-parameters, seed.
        data: SHA-256 of the training file.
        upload_asked, job_asked: the request was about to be sent; whether it arrived is another matter.
        seconds: from the job's start to its end, by the provider's clock.
    """

    run: str
    request: dict[str, Any]
    data: str
    upload_asked: bool = False
    file: str | None = None
    job_asked: bool = False
    job: str | None = None
    status: str = ""
    model: str | None = None
    trained_tokens: int | None = None
    steps: int = 0
    seconds: float = 0.0
    answers: bool = False
    format: Literal[1] = 1

    @property
    def spent(self) -> bool:
        """Whether there is a job, or may be one, that a new one would be paid for on top of."""
        return self.job_asked and self.status not in DEAD

    def keep(self, folder: Path) -> None:
        """Write the state, whole or not at all.

        Raises:
            CheckpointError: the disk is full or read-only.
        """
        try:
            write_json(folder / STATE, dataclasses.asdict(self))
        except OSError as error:
            raise CheckpointError(
                f"{folder / STATE} cannot be written ({error.strerror}), and without it a restart would pay twice; "
                f"free some space or make the folder writable, then go on with --resume"
            ) from error


def open_state(folder: Path, request: dict[str, Any], data: str, resume: bool) -> JobState:
    """Begin a job, or go on with the one in a folder.

    Raises:
        ConfigError: the folder holds a job that would be lost, or another one than is to be resumed.
        CheckpointError: what the folder holds cannot be read.
    """
    fresh = JobState(uuid.uuid4().hex, request, data)
    old = _read(folder)
    if old is None:
        return fresh
    if not resume:
        if old.spent:
            raise ConfigError(
                f"{folder} holds the paid job {old.job or '(its answer got lost)'}; add --resume to go on with it, or "
                f"--overwrite to give it up and pay anew"
            )
        return fresh
    changed = [name for name in request if old.request.get(name) != request[name]]
    if old.data != data:
        changed.append("training texts")
    if changed:
        raise ConfigError(
            f"{folder} holds a job with other settings or data ({', '.join(changed)}); take them back, choose another "
            f"--output, or add --overwrite instead of --resume"
        )
    return old


def has_job(folder: Path) -> bool:
    """Whether a folder's job is already known, so that going on with it needs nobody's consent any more.

    Raises:
        CheckpointError: what the folder holds cannot be read.
    """
    state = _read(folder)
    return state is not None and state.job is not None


def has_state(folder: Path) -> bool:
    """Whether anything was, or may have been, sent from a folder."""
    return (folder / STATE).exists()


def _read(folder: Path) -> JobState | None:
    path = folder / STATE
    try:
        return TypeAdapter(JobState).validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValidationError, OSError) as error:
        raise CheckpointError(
            f"{path} is damaged, and a job may be running: look at the provider's list of fine-tuning jobs before you "
            f"delete the file and start anew"
        ) from error
