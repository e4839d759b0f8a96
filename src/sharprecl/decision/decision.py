"""A decision: an affine change of a classifier's scores before prediction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Decision:
    """The affine map s'_NC = s_NC / T + shift_C: probabilities are softmax(s'), the prediction is its argmax.

    Attributes:
        temperature: T, above 0; above 1 makes predictions less sure and changes none.
        shift_C: what is added to the score of each class, float64; only differences between classes count.
    """

    temperature: float
    shift_C: NDArray[np.float64]

    @classmethod
    def neutral(cls, num_classes: int) -> Self:
        """The one that changes nothing."""
        return cls(1.0, np.zeros(num_classes))

    @property
    def shifts(self) -> bool:
        """Whether it prefers some classes."""
        return bool(np.ptp(self.shift_C) > 0)

    @property
    def is_neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.temperature == 1.0 and not self.shifts

    def apply(self, s_NC: NDArray[np.floating]) -> NDArray[np.floating]:
        """Changed scores [N, C] in the scores' precision; the same array if the decision is neutral."""
        if self.is_neutral:
            return s_NC
        return self.exactly(s_NC).astype(s_NC.dtype)

    def exactly(self, s_NC: NDArray[np.floating]) -> NDArray[np.float64]:
        """Changed scores in float64."""
        changed_NC: NDArray[np.float64] = s_NC.astype(np.float64) / self.temperature + self.shift_C
        return changed_NC

    def inverse(self) -> "Decision":
        """The one that undoes it."""
        return Decision(1 / self.temperature, -self.shift_C * self.temperature)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; empty if neutral."""
        return {} if self.is_neutral else {"temperature": self.temperature, "shift": self.shift_C.tolist()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], num_classes: int) -> Self:
        """What ``to_dict`` gave."""
        return cls(values["temperature"], np.asarray(values["shift"])) if values else cls.neutral(num_classes)

    def then(self, later: "Decision") -> "Decision":
        """This decision followed by another one."""
        return Decision(self.temperature * later.temperature, self.shift_C / later.temperature + later.shift_C)
