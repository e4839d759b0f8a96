"""What ``sharprecl train`` is to do."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from sharprecl.config import RunConfig
from sharprecl.data.leaks import find_leaks
from sharprecl.data.tables import TextTable
from sharprecl.evaluation.judge import Evaluation


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
