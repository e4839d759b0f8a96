"""What int8 costs a classifier: its answers beside those in float32 on labelled texts, against a budget."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sharprecl.decision.scores import softmax
from sharprecl.evaluation import metrics

FILE = "certificate.json"

_FEW = 10


@dataclass(frozen=True)
class Budget:
    """What may be lost, in points of a hundred.

    Attributes:
        macro_f1: of macro-F1 over the classes that have texts.
        recall: of a class's recall. One text is always within it, for in a class of five that is 20 points already;
            the last text that was found is not.
    """

    macro_f1: float = 0.3
    recall: float = 2.0


@dataclass(frozen=True)
class ClassCost:
    """What a class loses. ``found`` counts its texts that got it; shares are in [0, 1], 0/0 is 0.

    Attributes:
        agreement: of its texts, the share that got the same answer.
    """

    name: str
    texts: int
    found_float32: int
    found_int8: int
    recall_float32: float
    recall_int8: float
    precision_float32: float
    precision_int8: float
    agreement: float

    def breaks(self, budget: Budget) -> bool:
        """Whether it loses more than it may."""
        lost = self.found_float32 - self.found_int8
        return lost > max(1.0, budget.recall / 100 * self.texts) or (lost > 0 and self.found_int8 == 0)


@dataclass(frozen=True)
class Certificate:
    """The judgement about an int8 file.

    Attributes:
        evaluated_on: which texts.
        n_texts: how many.
        agreement: share of them with the same answer.
        largest_difference: of a probability.
        macro_f1_float32, macro_f1_int8: over the classes that have texts.
        classes: one row for each of those.
        without_texts: the other classes, of which nothing is known.
        budget: what was allowed.
        float32_layers: what was left in float32.
        attempts: how many sets of such layers were tried on these texts; the more, the more they flatter.
    """

    evaluated_on: str
    n_texts: int
    agreement: float
    largest_difference: float
    macro_f1_float32: float
    macro_f1_int8: float
    classes: tuple[ClassCost, ...]
    without_texts: tuple[str, ...]
    budget: Budget
    float32_layers: tuple[str, ...] = ()
    attempts: int = 1
    machine: dict[str, Any] = field(default_factory=dict)

    @property
    def broken(self) -> tuple[str, ...]:
        """What exceeds the budget, in words."""
        lost = 100 * (self.macro_f1_float32 - self.macro_f1_int8)
        # A budget of 0.3 allows a loss of 0.3 whatever the last digit of a float.
        over = [f"macro-F1 loses {lost:.2f} points"] if lost > self.budget.macro_f1 + 1e-9 else []
        return (
            *over,
            *(
                f"{row.name!r} goes from {row.found_float32} to {row.found_int8} of its {row.texts} texts"
                for row in self.classes
                if row.breaks(self.budget)
            ),
        )

    @property
    def passed(self) -> bool:
        """Whether all is within the budget."""
        return not self.broken

    @property
    def sentence(self) -> str:
        """The judgement for a person."""
        few = sum(row.texts < _FEW for row in self.classes)
        unknown = [
            *([f"{few} of the classes have fewer than {_FEW} texts there"] if few else []),
            *([f"{len(self.without_texts)} have none"] if self.without_texts else []),
        ]
        kept = f"; left in float32: {', '.join(self.float32_layers)}" if self.float32_layers else ""
        return (
            f"int8 on {self.evaluated_on}: {100 * self.agreement:.2f} % of the answers are those of float32, macro-F1 "
            f"{100 * self.macro_f1_float32:.2f} becomes {100 * self.macro_f1_int8:.2f}{kept}"
            f"{'; it says little of rare classes: ' + ', '.join(unknown) if unknown else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"passed": self.passed, "broken": list(self.broken), **asdict(self)}


def certify(
    gold_N: NDArray[np.int64],
    float32_NC: NDArray[np.floating],
    int8_NC: NDArray[np.floating],
    names: list[str],
    budget: Budget,
    **more: Any,
) -> Certificate:
    """Judge int8 scores [N, C] against float32's and the true classes [N].

    Args:
        more: further fields of the certificate.
    """
    answers = {"float32": float32_NC.argmax(1), "int8": int8_NC.argmax(1)}
    counts = {
        kind: metrics.counts_of(metrics.confusion_matrix(gold_N, given, len(names))) for kind, given in answers.items()
    }
    same_N = answers["float32"] == answers["int8"]
    texts_C = np.bincount(gold_N, minlength=len(names))
    there = np.flatnonzero(texts_C)
    recalls, precisions = (
        {kind: figure(count) for kind, count in counts.items()} for figure in (metrics.recall, metrics.precision)
    )
    rows = tuple(
        ClassCost(
            name=names[c],
            texts=int(texts_C[c]),
            found_float32=int(counts["float32"].tp[c]),
            found_int8=int(counts["int8"].tp[c]),
            recall_float32=float(recalls["float32"][c]),
            recall_int8=float(recalls["int8"][c]),
            precision_float32=float(precisions["float32"][c]),
            precision_int8=float(precisions["int8"][c]),
            agreement=float(same_N[gold_N == c].mean()),
        )
        for c in there
    )
    return Certificate(
        n_texts=len(gold_N),
        agreement=float(same_N.mean()),
        largest_difference=float(np.abs(softmax(float32_NC) - softmax(int8_NC)).max()),
        macro_f1_float32=float(metrics.f1(counts["float32"])[there].mean()),
        macro_f1_int8=float(metrics.f1(counts["int8"])[there].mean()),
        classes=rows,
        without_texts=tuple(names[c] for c in np.flatnonzero(texts_C == 0)),
        budget=budget,
        **more,
    )
