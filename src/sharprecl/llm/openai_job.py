"""A training job at the provider: upload, start, wait; each step once, whatever breaks in between.

``openai.json`` in the run's folder says how far the job has come. It is written before a request that must happen only
once and after it, so that a restarted command knows whether to ask, to look for what a lost answer has left at the
provider, or to go on.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sharprecl.errors import CheckpointError, ConfigError, SharpReCLError
from sharprecl.files import write_json
from sharprecl.llm.openai_client import ABOUT_THE_TEXT, ProviderError, ask, without_key
from sharprecl.llm.openai_plan import JobPlan

if TYPE_CHECKING:
    from openai import OpenAI

T = TypeVar("T")

STATE, TRAINING_FILE = "openai.json", "openai_train.jsonl"
SUCCEEDED, DEAD = "succeeded", ("failed", "cancelled")
PAUSES = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds between attempts, and between looks at a list that may come to know late what was just made."""
PATIENT_RETRIES = 450
"""Of the client, 8 seconds each: a running job is waited for an hour while the provider cannot be reached."""
WAKING_SECONDS = 600.0
"""How long a new model may take until it answers; the provider's guide speaks of several minutes."""


class JobState(BaseModel):
    """``openai.json``: how far a job has come.

    Attributes:
        run: a random name of this run; the uploaded file bears it.
        request: what is asked of the provider: endpoint, model, hyper-parameters, seed.
        data: SHA-256 of the training file.
        upload_asked, job_asked: the request was about to be sent; whether it arrived is another matter.
        seconds: from the job's start to its end, by the provider's clock.
        answers: whether the trained model has answered.
    """

    model_config = ConfigDict(validate_assignment=True)

    run: str = Field(default_factory=lambda: uuid4().hex)
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


def read_state(folder: Path) -> JobState | None:
    """How far a folder's job has come; None where nothing was, or may have been, sent.

    Raises:
        CheckpointError: it cannot be read.
    """
    try:
        return JobState.model_validate_json((folder / STATE).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValidationError, OSError) as error:
        raise CheckpointError(
            f"{folder / STATE} is damaged, and a job may be running: look at the provider's list of fine-tuning jobs "
            f"before you delete the file and start anew"
        ) from error


def open_state(folder: Path, request: dict[str, Any], data: str, resume: bool) -> JobState:
    """Begin a job, or go on with the one in a folder.

    Raises:
        ConfigError: the folder holds a job that would be lost, or another one than is to be resumed.
        CheckpointError: what the folder holds cannot be read.
    """
    old = read_state(folder)
    if old is not None and resume:
        changed = [name for name in request if old.request.get(name) != request[name]]
        changed += ["training texts"] if old.data != data else []
        if changed:
            raise ConfigError(
                f"{folder} holds a job with other settings or data ({', '.join(changed)}); take them back, choose "
                f"another --output, or add --overwrite instead of --resume"
            )
        return old
    if old is not None and old.job_asked and old.status not in DEAD:
        raise ConfigError(
            f"{folder} holds the paid job {old.job or '(its answer got lost)'}; add --resume to go on with it, or "
            f"--overwrite to give it up and pay anew"
        )
    return JobState(request=request, data=data)


@dataclass
class Job:
    """A training at the provider and the means to bring it to its end.

    Args:
        say: told what happens.
        poll_seconds: between two looks at the running job.
    """

    client: "OpenAI"
    folder: Path
    plan: JobPlan
    state: JobState
    say: Callable[[str], None]
    poll_seconds: float

    def train(self) -> str:
        """Do what is left to do; return the trained model's name.

        Raises:
            ProviderError: the provider refused something or stayed away.
            SharpReCLError: the job failed.
            CheckpointError: the state cannot be written.
        """
        try:
            if self.state.file is None:
                self._upload()
            if self.state.job is None:
                self._start()
            self._wait()
            self._wake()
        except ProviderError as error:
            if not (error.transient or self.state.model):
                raise
            raise ProviderError(f"{error}; nothing is lost: go on with --resume later") from None
        return cast(str, self.state.model)

    def _keep(self, **changes: Any) -> None:
        """Change the state, and write it whole or not at all."""
        for name, value in changes.items():
            setattr(self.state, name, value)
        path = self.folder / STATE
        try:
            write_json(path, self.state.model_dump())
        except OSError as error:
            raise CheckpointError(
                f"{path} cannot be written ({error.strerror}), and without it a restart would pay twice; "
                f"free some space or make the folder writable, then go on with --resume"
            ) from error

    def _upload(self) -> None:
        unsure, name, data = self.state.upload_asked, f"sharprecl-{self.state.run}.jsonl", self.plan.data
        self._keep(upload_asked=True)
        self.plan.write(self.folder / TRAINING_FILE)
        file = self._once(
            "upload the training file",
            unsure,
            find=lambda client: (file for file in client.files.list(purpose="fine-tune") if file.filename == name),
            make=lambda client: client.files.create(file=(name, data), purpose="fine-tune"),
        )
        self._keep(file=file.id)
        self.say(f"uploaded {self.plan.texts:,} texts ({len(data) / 1e6:.1f} MB) as {file.id}")

    def _start(self) -> None:
        unsure, file, asked = self.state.job_asked, cast(str, self.state.file), self.state.request
        settings: Any = {name: asked[name] for name in ("n_epochs", "batch_size", "learning_rate_multiplier")}
        self._keep(job_asked=True)
        job = self._once(
            "start the training",
            unsure,
            # The file is this run's own, so a job on it is, too.
            find=lambda client: (job for job in client.fine_tuning.jobs.list(limit=100) if job.training_file == file),
            make=lambda client: client.fine_tuning.jobs.create(
                model=asked["model"],
                training_file=file,
                method={"type": "supervised", "supervised": {"hyperparameters": settings}},
                seed=asked["seed"],
                suffix="sharprecl",
            ),
        )
        self._keep(job=job.id, status=job.status)
        self.say(
            f"job {job.id} is {job.status}; it goes on at the provider whatever happens here, and --resume finds it"
        )

    def _once(
        self, purpose: str, unsure: bool, find: Callable[["OpenAI"], Iterator[T]], make: Callable[["OpenAI"], T]
    ) -> T:
        """Make something at the provider, and never twice, though answers may get lost on their way.

        A request without an answer may have taken effect (``unsure``), so what it has made is looked for before it is
        sent again.
        """
        single = self.client.with_options(max_retries=0)
        for wait in (*PAUSES, None):
            if unsure:
                seconds = f"{sum(PAUSES):.0f} s"
                self.say(f"an earlier request to {purpose} may have arrived; looking for what it made for {seconds}")
                for pause in (*PAUSES, 0.0):
                    found = ask(self.client, purpose, lambda: next(find(self.client), None))
                    if found is not None:
                        return found
                    time.sleep(pause)
            try:
                return ask(single, purpose, lambda: make(single))
            except ProviderError as error:
                if not error.transient or wait is None:
                    raise
                unsure = unsure or error.status != 429  # who limits the rate has made nothing
                self.say(f"{error}; asking again in {wait:.0f} s")
            time.sleep(wait)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _wait(self) -> None:
        client, job_id = self.client.with_options(max_retries=PATIENT_RETRIES), cast(str, self.state.job)
        while self.state.status != SUCCEEDED:
            job = ask(client, f"look at job {job_id}", lambda: client.fine_tuning.jobs.retrieve(job_id))
            if job.status == SUCCEEDED:
                if not job.fine_tuned_model:
                    raise SharpReCLError(f"job {job_id} succeeded but names no model; ask the provider about it")
                batch = job.hyperparameters.batch_size
                self._keep(
                    status=job.status,
                    model=job.fine_tuned_model,
                    trained_tokens=job.trained_tokens,
                    seconds=max(0, (job.finished_at or job.created_at) - job.created_at),
                    steps=-(-self.plan.texts // batch) * self.plan.epochs if isinstance(batch, int) else 0,
                )
                self.say(f"job {job_id} is {job.status}: {job.fine_tuned_model}")
                return
            if job.status != self.state.status:
                self._keep(status=job.status)
                self.say(f"job {job_id} is {job.status}")
            if job.status in DEAD:
                why = f"{job.error.code}: {job.error.message}" if job.error and job.error.message else "no reason given"
                raise SharpReCLError(
                    f"the provider's job {job_id} was {job.status} ({without_key(why)}); mend that if it can be "
                    f"mended, then start anew with --overwrite"
                )
            time.sleep(self.poll_seconds)

    def _wake(self) -> None:
        """Wait until the model is loaded at the provider: a new one may be unknown there for some minutes."""
        end = time.monotonic() + WAKING_SECONDS
        # None of the user's texts, which a filter might refuse.
        hello: Any = {"messages": [{"role": "user", "content": "Hello"}], "max_completion_tokens": 1, "temperature": 0}
        create, model = self.client.chat.completions.create, cast(str, self.state.model)
        while not self.state.answers:
            try:
                ask(self.client, "wake the new model", lambda: create(model=model, **hello))
            except ProviderError as error:
                if (error.transient or error.status == 404) and time.monotonic() < end:
                    time.sleep(self.poll_seconds)
                    continue
                if error.code not in ABOUT_THE_TEXT:
                    raise
            self._keep(answers=True)
