"""The best settings and the defaults once more, on folds that chose nothing: what the best of many trials promises is
partly luck, and luck does not come twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from sharprecl.config import RunConfig
from sharprecl.data.messages import signed
from sharprecl.evaluation.differences import Difference, macro_f1_difference
from sharprecl.evaluation.judge import Evaluation
from sharprecl.scale.trial import Trial

DEFAULT, BEST = "default", "best"

Judge = Callable[[Sequence[Trial]], list[Evaluation]]


@dataclass(frozen=True)
class Confirmed:
    """What fresh folds say, macro-F1 as shares of 1.

    Attributes:
        difference: of the best settings to the defaults, paired by text.
    """

    default: float
    best: float
    difference: Difference

    @property
    def holds(self) -> bool:
        """Whether the best settings were better once more."""
        return self.difference.difference > 0

    @property
    def sure(self) -> bool:
        """Whether other texts of this kind would say so too."""
        return self.difference.interval[0] > 0

    def sentence(self, promised: float) -> str:
        """What was promised, what was confirmed, and what follows."""
        low, high = (signed(100 * end) for end in self.difference.interval)
        interval = f"(95 % interval {low} to {high})"
        gain, told = signed(100 * self.difference.difference), f"promised {signed(100 * promised)} points of macro-F1"
        if not self.holds:
            return (
                f"{told}, fresh folds do not confirm it: {gain} {interval}. Nothing better than the defaults was "
                f"found, and they are kept."
            )
        doubt = "" if self.sure else ", as the better guess: these texts cannot tell for sure"
        return f"{told}, fresh folds confirm {gain} {interval}. The best settings are taken{doubt}."

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_dict`` gave."""
        found = values["difference"]
        return cls(values["default"], values["best"], Difference(found["difference"], tuple(found["interval"])))


def confirm(trial: Trial, best: RunConfig, judge: Judge) -> Confirmed:
    """Judge both on the same folds.

    Args:
        trial: the defaults, with the seed of the folds; its folder will hold the folds of both.
        best: the same but for the settings that were found.
        judge: makes the trials.
    """
    assert trial.folder is not None
    default, found = judge(
        [
            replace(trial, name=name, config=config, folder=trial.folder / name)
            for name, config in ((DEFAULT, trial.config), (BEST, best))
        ]
    )
    difference = macro_f1_difference(found, default, trial.weights_C)
    return Confirmed(trial.score(default), trial.score(found), difference)
