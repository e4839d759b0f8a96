"""From decided scores to what somebody downstream acts on: an answer, its probability, "not sure", a set of classes."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sharprecl.decision.scores import best_classes, softmax


@dataclass(frozen=True, eq=False)
class Answers:
    """What is answered about N texts.

    Attributes:
        class_ids_N: int64; -1 where there is no answer, because there is no text or a language model gave no label.
        confidence_N: probability of the answered class, float64; NaN where there is no answer.
        probabilities_NC: of all classes, rows that sum to 1, for the class prior that the classifier answers for.
        abstained_N: bool; the answer is only the best guess, for its confidence is below the bar, or there is none.
        sets_NC: bool; the classes that the true one is among as often as was asked for. None if no sets were.
    """

    class_ids_N: NDArray[np.int64]
    confidence_N: NDArray[np.float64]
    probabilities_NC: NDArray[np.float64]
    abstained_N: NDArray[np.bool_]
    sets_NC: NDArray[np.bool_] | None


@dataclass(frozen=True, eq=False)
class Policy:
    """How decided scores become answers.

    Attributes:
        offset_C: what the scores contain beside log-probabilities, because some classes are to be answered sooner
            (``thresholds``); None for nothing.
        least_confidence: below it the answer is "not sure".
        set_bar_C: the least probability with which a class is in a set (``conformal``); None for no sets.
        set_level: how often the true class is to be in the set.
    """

    offset_C: NDArray[np.float64] | None = None
    least_confidence: float = 0.0
    set_bar_C: NDArray[np.float64] | None = None
    set_level: float | None = None

    @property
    def is_neutral(self) -> bool:
        """Whether answers are the argmax of the scores, always given, without sets."""
        return self.offset_C is None and self.least_confidence == 0 and self.set_bar_C is None

    @property
    def abstains(self) -> bool:
        """Whether it may say "not sure"."""
        return self.least_confidence > 0

    def log_probabilities(self, s_NC: NDArray[np.floating]) -> NDArray[np.float64]:
        """Logits [N, C] whose softmax is the probability of each class."""
        z_NC = s_NC.astype(np.float64)
        return z_NC if self.offset_C is None else z_NC - self.offset_C

    def answers(self, s_NC: NDArray[np.floating]) -> Answers:
        """Answer scores [N, C], decided by the classifier's ``Decision``; a row of NaN is no answer."""
        best_N = best_classes(s_NC)
        silent_N = best_N < 0
        p_NC = softmax(self.log_probabilities(s_NC))
        # Where there is no answer all probabilities are NaN, the last one too.
        confidence_N = np.take_along_axis(p_NC, best_N[:, None], 1)[:, 0]
        sets_NC = None
        if self.set_bar_C is not None:
            sets_NC = p_NC >= self.set_bar_C
            # A set that excludes the answer would contradict it.
            sets_NC[np.arange(len(best_N)), best_N] = True
            sets_NC[silent_N] = False
        unsure_N = silent_N | (confidence_N < self.least_confidence)
        return Answers(best_N, confidence_N, p_NC, unsure_N, sets_NC)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; empty if neutral."""
        if self.is_neutral:
            return {}
        return {
            "offset": None if self.offset_C is None else self.offset_C.tolist(),
            "least_confidence": self.least_confidence,
            "set_bar": None if self.set_bar_C is None else self.set_bar_C.tolist(),
            "set_level": self.set_level,
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """What ``to_dict`` gave."""
        offset, bar = values.get("offset"), values.get("set_bar")
        return cls(
            None if offset is None else np.asarray(offset, dtype=np.float64),
            float(values.get("least_confidence", 0.0)),
            None if bar is None else np.asarray(bar, dtype=np.float64),
            values.get("set_level"),
        )


NEUTRAL = Policy()
