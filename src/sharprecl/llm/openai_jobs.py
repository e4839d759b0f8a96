"""A training job at the provider: upload, start, wait; each step once, whatever breaks in between.

``openai.json`` in the run's folder says how far the job has come. It is written before a request that must happen only
once and after it, so that a restarted command knows whether to ask, to look for what a lost answer has left at the
provider, or to go on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sharprecl.errors import SharpReCLError
from sharprecl.llm.openai_client import ABOUT_THE_TEXT, ProviderError, ask, exactly_once, without_key
from sharprecl.llm.openai_plan import JobPlan
from sharprecl.llm.openai_state import DEAD, JobState

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import FileObject
    from openai.types.fine_tuning import FineTuningJob

TRAINING_FILE = "openai_train.jsonl"
SUCCEEDED = "succeeded"
OUT_OF_REACH_SECONDS = 3600.0
"""How long a running job is waited for while the provider cannot be reached."""
WAKING_SECONDS = 600.0
"""How long a new model may take until it answers; the provider's guide speaks of several minutes."""


@dataclass
class Training:
    """A job and the means to bring it to its end.

    Args:
        state: kept on disk after every change.
        say: told what happens.
        poll_seconds: between two looks at the job.
    """

    client: "OpenAI"
    folder: Path
    plan: JobPlan
    state: JobState
    say: Callable[[str], None]
    poll_seconds: float

    def run(self) -> str:
        """Do what is left to do.

        Returns:
            The trained model's name.

        Raises:
            ProviderError: the provider refused something or stayed away.
            SharpReCLError: the job failed.
        """
        self._upload()
        self._start()
        self._wait()
        assert self.state.model is not None
        return self.state.model

    def wait_for_answers(self) -> None:
        """Wait until the model is loaded at the provider: a new one may be unknown there for some minutes."""
        if self.state.answers:
            return
        since = time.monotonic()
        while True:
            try:
                ask(self.client, "wake the new model", self._hello)
            except ProviderError as error:
                awake = error.code in ABOUT_THE_TEXT
                if not (awake or error.transient or error.status == 404):
                    raise
                if not awake and time.monotonic() - since > WAKING_SECONDS:
                    raise ProviderError(f"{error}; the model is trained, so go on with --resume later") from None
            else:
                awake = True
            if awake:
                self.state.answers = True
                self.state.keep(self.folder)
                return
            time.sleep(self.poll_seconds)

    def _hello(self) -> Any:
        # None of the user's texts, which a filter might refuse.
        return self.client.chat.completions.create(
            model=cast(str, self.state.model),
            messages=[{"role": "user", "content": "Hello"}],
            max_completion_tokens=1,
            temperature=0,
        )

    def _upload(self) -> None:
        state, plan = self.state, self.plan
        if state.file is not None:
            return
        name = f"sharprecl-{state.run}.jsonl"
        before, state.upload_asked = state.upload_asked, True
        self.state.keep(self.folder)
        plan.write(self.folder / TRAINING_FILE)

        def find(client: "OpenAI") -> "FileObject | None":
            return next((file for file in client.files.list(purpose="fine-tune") if file.filename == name), None)

        def make(client: "OpenAI") -> "FileObject":
            return client.files.create(file=(name, plan.data), purpose="fine-tune")

        file = exactly_once(
            self.client, "upload the training file", find=find, make=make, asked_before=before, say=self.say
        )
        state.file = file.id
        self.state.keep(self.folder)
        self.say(f"uploaded {len(plan.rows):,} texts ({len(plan.data) / 1e6:.1f} MB) as {file.id}")

    def _start(self) -> None:
        state = self.state
        if state.job is not None:
            return
        file, asked = cast(str, state.file), state.request
        before, state.job_asked = state.job_asked, True
        self.state.keep(self.folder)

        def find(client: "OpenAI") -> "FineTuningJob | None":
            # The file is this run's own, so a job on it is, too.
            return next((job for job in client.fine_tuning.jobs.list(limit=100) if job.training_file == file), None)

        def make(client: "OpenAI") -> "FineTuningJob":
            settings: Any = {name: asked[name] for name in ("n_epochs", "batch_size", "learning_rate_multiplier")}
            return client.fine_tuning.jobs.create(
                model=asked["model"],
                training_file=file,
                method={"type": "supervised", "supervised": {"hyperparameters": settings}},
                seed=asked["seed"],
                suffix="sharprecl",
            )

        job = exactly_once(self.client, "start the training", find=find, make=make, asked_before=before, say=self.say)
        state.job, state.status = job.id, job.status
        self.state.keep(self.folder)
        self.say(
            f"job {job.id} is {job.status}; it goes on at the provider whatever happens here, and --resume finds it"
        )

    def _wait(self) -> None:
        state = self.state
        job_id = cast(str, state.job)
        lost_since: float | None = None
        while state.status != SUCCEEDED:
            try:
                job = ask(self.client, f"look at job {job_id}", lambda: self.client.fine_tuning.jobs.retrieve(job_id))
            except ProviderError as error:
                if not error.transient:
                    raise
                if lost_since is None:
                    lost_since = time.monotonic()
                    self.say(f"{error}; the job goes on there, waiting")
                elif time.monotonic() - lost_since > OUT_OF_REACH_SECONDS:
                    raise ProviderError(f"{error}; job {job_id} goes on there, so go on with --resume later") from None
            else:
                lost_since = None
                self._note(job)
                if state.status == SUCCEEDED:
                    return
            time.sleep(self.poll_seconds)

    def _note(self, job: "FineTuningJob") -> None:
        state = self.state
        changed, state.status = job.status != state.status, job.status
        if job.status in DEAD:
            self.state.keep(self.folder)
            reason = f"{job.error.code}: {job.error.message}" if job.error and job.error.message else "no reason given"
            raise SharpReCLError(
                f"the provider's job {job.id} was {job.status} ({without_key(reason)}); mend that if it can be mended, "
                f"then start anew with --overwrite"
            )
        if job.status == SUCCEEDED:
            if not job.fine_tuned_model:
                raise SharpReCLError(f"job {job.id} succeeded but names no model; ask the provider about it")
            state.model, state.trained_tokens = job.fine_tuned_model, job.trained_tokens
            state.seconds = float(max(0, (job.finished_at or job.created_at) - job.created_at))
            batch = job.hyperparameters.batch_size
            state.steps = -(-len(self.plan.rows) // batch) * self.plan.epochs if isinstance(batch, int) else 0
        if changed:
            self.state.keep(self.folder)
            made = f": {job.fine_tuned_model}" if job.status == SUCCEEDED else ""
            self.say(f"job {job.id} is {job.status}{made}")
