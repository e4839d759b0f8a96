"""What the tests of ``openai_finetune`` share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llm.fake_openai import FakeOpenAI
from sharprecl.config import RunConfig
from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.data.tables import TextTable, read_table
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.llm.openai_plan import JobPlan, make_plan
from sharprecl.training.history import Callback
from sharprecl.training.job import TrainingJob
from tiny import skewed_texts

COUNTS = {"billing": 8, "access": 4, "shipping": 2, "hardware": 2}


class Listening(Callback):
    """An callback that remembers."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def on_message(self, sentence: str) -> None:
        self.sentences.append(sentence)


def small_table(counts: dict[str, int] | None = None) -> TextTable:
    return read_table(skewed_texts(counts or COUNTS))


def settings(seed: int = 3, **method: Any) -> RunConfig:
    return RunConfig(seed=seed, method=OpenAIFinetuneConfig(**method))


def plan_of(table: TextTable, config: RunConfig, judged: Sequence[str] = ()) -> JobPlan:
    """What training is to cost."""
    assert isinstance(config.method, OpenAIFinetuneConfig)
    return make_plan(table, config.method, judged)


def train(folder: Path, url: str, *, resume: bool = False, table: TextTable | None = None, **method: Any) -> Any:
    """Fit with a generous limit and quick polling; returns what was fitted and what was said."""
    heard = Listening()
    method = {"max_cost": 10.0, "poll_seconds": 0.01, "base_url": url, "task": "reason of the message", **method}
    fitted = OpenAIFinetune.fit(
        TrainingJob(table or small_table(), settings(**method), heard, output=folder, resume=resume)
    )
    return fitted, heard.sentences


def made(server: FakeOpenAI) -> tuple[int, int]:
    """Files and jobs that exist at the provider."""
    return len(server.provider.files), len(server.provider.jobs)
