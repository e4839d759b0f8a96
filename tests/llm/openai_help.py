"""What the tests of ``openai_finetune`` share."""

from pathlib import Path
from typing import Any

from sharprecl.config import RunConfig
from sharprecl.config.language_models import OpenAIFinetuneConfig
from sharprecl.data.tables import TextTable, read_table
from sharprecl.llm.openai_finetune import OpenAIFinetune
from sharprecl.training.history import Silent
from sharprecl.training.job import TrainingJob
from tiny import skewed_texts

COUNTS = {"billing": 8, "access": 4, "shipping": 2, "hardware": 2}


class Listening(Silent):
    """An observer that remembers."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def said(self, sentence: str) -> None:
        self.sentences.append(sentence)


def small_table(counts: dict[str, int] | None = None) -> TextTable:
    return read_table(skewed_texts(counts or COUNTS))


def settings(seed: int = 3, **method: Any) -> RunConfig:
    return RunConfig(seed=seed, method=OpenAIFinetuneConfig(**method))


def train(folder: Path, url: str, *, resume: bool = False, table: TextTable | None = None, **method: Any) -> Any:
    """Fit with a generous limit and quick polling; returns what was fitted and what was said."""
    heard = Listening()
    method = {"max_cost": 10.0, "poll_seconds": 0.01, "base_url": url, "task": "reason of the message", **method}
    fitted = OpenAIFinetune.fit(
        TrainingJob(table or small_table(), settings(**method), heard, output=folder, resume=resume)
    )
    return fitted, heard.sentences
