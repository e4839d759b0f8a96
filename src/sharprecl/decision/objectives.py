"""What an answer is worth: macro-F1, or a utility for every pair of true and answered class.

``scan`` is the step that coordinate ascent repeats: texts come over to one class in a given order, and the objective is
wanted after each of them. It costs a sort and sums, no matrix of N by C.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sharprecl.config.decision import Costs
from sharprecl.data.messages import names_phrase
from sharprecl.errors import ConfigError
from sharprecl.evaluation.metrics import Counts, f1

Floats = NDArray[np.float64]
Ids = NDArray[np.int64]


class Objective(ABC):
    """A figure of answers to labelled texts; the larger, the better.

    Attributes:
        name: for a person.
        times: what the figure is multiplied by to be shown: 100 makes percent of it, -1 a cost.
    """

    name: str
    times: float

    @abstractmethod
    def value(self, y_N: Ids, answers_N: Ids, weight_N: Floats) -> float:
        """The figure of answers to texts of classes y with weights."""

    @abstractmethod
    def scan(self, y_N: Ids, rival_N: Ids, weight_N: Floats, label: int) -> Floats:
        """The figure, less its value at the beginning, after 0, 1, ..., N texts have come over to a class, [N + 1].

        Args:
            y_N: true classes, in the order in which the texts come over.
            rival_N: their answers before that.
            weight_N: their weights.
            label: the class that they come over to, which is nobody's answer at the beginning.
        """

    def usual_offsets(self, num_classes: int) -> Floats:
        """Offsets [C] to log-probabilities that are best if these can be believed; 0 where no offsets are."""
        return np.zeros(num_classes)


@dataclass(frozen=True)
class Utility(Objective):
    """The mean of a worth that each pair of true and answered class has.

    Attributes:
        worth_CC: of a text of class [row] that is answered [column].
    """

    name: str
    worth_CC: Floats
    times: float = 100.0

    def value(self, y_N: Ids, answers_N: Ids, weight_N: Floats) -> float:
        return float(np.average(self.worth_CC[y_N, answers_N], weights=weight_N))

    def scan(self, y_N: Ids, rival_N: Ids, weight_N: Floats, label: int) -> Floats:
        gain_N = weight_N * (self.worth_CC[y_N, label] - self.worth_CC[y_N, rival_N])
        scanned: Floats = np.concatenate([[0.0], np.cumsum(gain_N)]) / weight_N.sum()
        return scanned

    def usual_offsets(self, num_classes: int) -> Floats:
        """log(worth of being right) where all mistakes with a class cost alike, since answering c is worth p_c times
        that. Classes that are worth nothing, as those without texts, keep 0, and the others' mean is 0.
        """
        wrong = ~np.eye(num_classes, dtype=bool)
        others_CK = self.worth_CC[wrong].reshape(num_classes, num_classes - 1)
        offset_C = np.zeros(num_classes)
        if np.ptp(others_CK, axis=1).max() > 0:
            return offset_C
        gain_C = self.worth_CC.diagonal() - others_CK[:, 0]
        worth = gain_C > 0
        offset_C[worth] = np.log(gain_C[worth])
        offset_C[worth] -= offset_C[worth].mean()
        return offset_C


@dataclass(frozen=True)
class MacroF1(Objective):
    """Mean F1 over all C classes."""

    num_classes: int
    name: str = "macro-F1"
    times: float = 100.0

    def value(self, y_N: Ids, answers_N: Ids, weight_N: Floats) -> float:
        return float(f1(_counts(y_N, answers_N, weight_N, self.num_classes)).mean())

    def scan(self, y_N: Ids, rival_N: Ids, weight_N: Floats, label: int) -> Floats:
        before = _counts(y_N, rival_N, weight_N, self.num_classes)
        right_N = np.where(y_N == label, weight_N, 0.0)
        # The class itself: 2 tp / (given + true).
        tp, given = np.cumsum(right_N), np.cumsum(weight_N)
        own = 2 * tp / (given + (before.tp + before.fn)[label]).clip(1e-300)
        # The others lose texts, each its own; within a class they go in the order in which they come over.
        order = np.argsort(rival_N, kind="stable")
        rival, weight = rival_N[order], weight_N[order]
        lost = _within(rival, weight)
        lost_tp = _within(rival, np.where(y_N[order] == rival, weight, 0.0))
        whole = 2 * before.tp + before.fp + before.fn
        after = 2 * (before.tp[rival] - lost_tp) / (whole[rival] - lost).clip(1e-300)
        previous = np.concatenate([[0.0], after[:-1]])
        first = np.concatenate([[True], rival[1:] != rival[:-1]])
        previous[first] = f1(before)[rival[first]]
        change = np.empty(len(order))
        change[order] = after - previous
        gain_N = own + np.cumsum(change)
        return np.concatenate([[0.0], gain_N]) / self.num_classes


def balanced_accuracy(y_N: Ids, weight_N: Floats, num_classes: int) -> Utility:
    """Mean recall over the classes that have a text among these."""
    texts_C = np.bincount(y_N, weight_N, num_classes)
    worth_C = np.divide(weight_N.sum(), texts_C, out=np.zeros(num_classes), where=texts_C > 0) / (texts_C > 0).sum()
    return Utility("balanced accuracy", np.diag(worth_C))


def cost_of_answers(costs: Costs, label_names: Sequence[str]) -> Utility:
    """Less the mean cost of an answer.

    Args:
        costs: of missing a text of each label, or by true and answered label.

    Raises:
        ConfigError: labels are missing or unknown.
    """
    pairs: dict[str, Mapping[str, float]] = {
        true: cost if isinstance(cost, Mapping) else {name: 0.0 if name == true else cost for name in label_names}
        for true, cost in costs.items()
    }
    named: Mapping[str, object]
    for named in (pairs, *pairs.values()):
        if missing := [name for name in label_names if name not in named]:
            raise ConfigError(f"decision.optimise gives no cost for {names_phrase(missing)}; give one for every label")
        if strange := [name for name in named if name not in label_names]:
            raise ConfigError(
                f"decision.optimise has a cost for {names_phrase(strange)}, which no training text is labelled with; "
                f"the labels are {names_phrase(list(label_names))}"
            )
    cost_CC = np.array([[pairs[true][given] for given in label_names] for true in label_names])
    return Utility("mean cost", -cost_CC, times=-1.0)


def _counts(y_N: Ids, answers_N: Ids, weight_N: Floats, num_classes: int) -> Counts:
    tp, given, owned = (
        np.bincount(ids, weight_N * kept, num_classes).astype(np.float64)
        for ids, kept in ((y_N, y_N == answers_N), (answers_N, True), (y_N, True))
    )
    return Counts(tp, given - tp, owned - tp)


def _within(group_N: Ids, value_N: Floats) -> Floats:
    """Running sums within runs of equal groups."""
    total_N = np.cumsum(value_N)
    first_N = np.concatenate([[True], group_N[1:] != group_N[:-1]])
    start_N = np.maximum.accumulate(np.where(first_N, np.arange(len(group_N)), 0))
    running: Floats = total_N - (total_N - value_N)[start_N]
    return running
