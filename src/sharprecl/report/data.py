"""Everything that the report page shows, gathered by whoever trained or judged the model."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.evaluation.differences import Difference, macro_f1_difference
from sharprecl.evaluation.judge import Evaluation
from sharprecl.evaluation.reliability import Certainty


@dataclass(frozen=True, eq=False)
class ReportData:
    """The report's content. The first evaluation is the model's, the others are references on the same test texts.

    Attributes:
        title: heading of the page.
        label_names: C names in the order of the ids.
        train_counts: training texts of each class, [C].
        evaluations: one a method, by the name that the reader sees.
        history: the records of ``history.jsonl``, in order.
        embeddings: the model's vectors of the test texts, [N, D], or None.
        texts: N test texts.
        confidence: the model's probability of its answer, [N].
        certainty: what confidence, abstention and sets were worth, for the sentence about sets.
        least_confidence: below it, answers are "not sure"; 0 for never.
        set_level: how often sets were to hold the true class; None without sets.
        settings: nested and JSON-ready: versions, seeds, hashes, the command line.
        notes: sentences that the reader must know.
        evaluated_on: which texts these are, for example ``test file held_out.csv, 500 texts``.
    """

    title: str
    label_names: list[str]
    train_counts: NDArray[np.int64]
    evaluations: dict[str, Evaluation]
    history: list[dict[str, Any]]
    embeddings: NDArray[np.floating[Any]] | None
    texts: list[str]
    confidence: NDArray[np.floating[Any]]
    certainty: Certainty | None = None
    least_confidence: float = 0.0
    set_level: float | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    evaluated_on: str = ""

    def __post_init__(self) -> None:
        if not self.evaluations:
            raise ValueError("a report needs at least the model's evaluation")
        sizes = {len(self.texts), self.model.n_texts, len(self.confidence)}
        if self.embeddings is not None:
            sizes.add(len(self.embeddings))
        if len(sizes) != 1:
            raise ValueError(f"texts, answers, confidence and embeddings have different lengths: {sorted(sizes)}")

    @property
    def method(self) -> str:
        """Name of the model among the evaluations."""
        return next(iter(self.evaluations))

    @property
    def model(self) -> Evaluation:
        """The model's evaluation."""
        return self.evaluations[self.method]

    @property
    def references(self) -> dict[str, Evaluation]:
        """All other evaluations."""
        return {name: row for name, row in self.evaluations.items() if name != self.method}

    @cached_property
    def leads(self) -> dict[str, Difference]:
        """How far the model's macro-F1 is above that of each reference."""
        return {name: macro_f1_difference(self.model, row) for name, row in self.references.items()}
