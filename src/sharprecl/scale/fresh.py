"""The best settings and the defaults once more, on folds that chose nothing: what the best of many trials promises is
partly luck, and luck does not come twice.

Folds are dealt several times. Where a class has few texts, a deal decides as much as the settings do: with 43 negative
reviews, gains of +9.5, +4.8 and +5.8 were +6.9, -2.7 and -1.8 in the next deal (benchmarks/tune_folds.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import mean
from typing import Any, Self

from sharprecl.config import RunConfig
from sharprecl.data.messages import signed
from sharprecl.evaluation.differences import Difference, repeated_difference
from sharprecl.evaluation.judge import Evaluation
from sharprecl.scale.trial import Trial

DEFAULT, BEST = "default", "best"
DEALS = 3
SETTINGS = "best.yaml"
"""The best settings in the folder of the search, whether they are taken or not."""

Judge = Callable[[Sequence[Trial]], list[Evaluation]]


@dataclass(frozen=True)
class Confirmed:
    """What fresh folds say, macro-F1 as shares of 1.

    Attributes:
        deals: of each deal, the defaults and the best settings.
        difference: of the best settings to the defaults, mean over the deals; its interval is over other texts and
            other deals.
    """

    deals: tuple[tuple[float, float], ...]
    difference: Difference

    @property
    def default(self) -> float:
        """Of the defaults, mean over the deals."""
        return mean(default for default, _ in self.deals)

    @property
    def best(self) -> float:
        """Of the best settings, mean over the deals."""
        return mean(best for _, best in self.deals)

    @property
    def gains(self) -> list[float]:
        """Of the best settings over the defaults, one a deal."""
        return [best - default for default, best in self.deals]

    @property
    def sure(self) -> bool:
        """Whether the best settings would be better on other texts and in other deals; else the defaults are kept."""
        return self.difference.interval[0] > 0

    def sentence(self, promised: float) -> str:
        """What was promised, what was confirmed, and what follows."""
        low, high = (signed(100 * end) for end in self.difference.interval)
        each = ", ".join(signed(100 * gain) for gain in self.gains)
        gain, told = signed(100 * self.difference.difference), f"promised {signed(100 * promised)} points of macro-F1"
        found = f"{gain} ({each} in {len(self.gains)} deals; 95 % interval {low} to {high})"
        if self.sure:
            return f"{told}, fresh folds confirm {found}. The best settings are taken."
        if self.difference.difference > 0:
            return (
                f"{told}, fresh folds say {found}. These texts cannot tell whether that is luck, and the defaults are "
                f"kept; to train with the best settings all the same, give search/{SETTINGS} with --config."
            )
        return (
            f"{told}, fresh folds do not confirm it: {found}. Nothing better than the defaults was found, and they are "
            f"kept."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What ``to_dict`` gave."""
        found = values["difference"]
        difference = Difference(found["difference"], tuple(found["interval"]))
        return cls(tuple((default, best) for default, best in values["deals"]), difference)


def folder_of(name: str, deal: int) -> str:
    """Where the folds of the defaults or the best settings are, in the folder of the fresh ones."""
    return f"{name}-{deal}"


def confirm(trial: Trial, best: RunConfig, judge: Judge) -> Confirmed:
    """Judge both on the same folds, several times dealt and trained anew.

    Args:
        trial: the defaults, with the seed of the first deal; its folder will hold the folds of both.
        best: the same but for the settings that were found.
        judge: makes the trials.
    """
    assert trial.folder is not None
    trials = [
        replace(
            trial,
            name=f"{name}, deal {deal + 1}",
            config=config.model_copy(update={"seed": _seed(config.seed, deal)}),
            folder=trial.folder / folder_of(name, deal),
        )
        for deal in range(DEALS)
        for name, config in ((DEFAULT, trial.config), (BEST, best))
    ]
    found = judge(trials)
    defaults, bests = found[::2], found[1::2]
    deals = tuple((trial.score(default), trial.score(best)) for default, best in zip(defaults, bests, strict=True))
    return Confirmed(deals, repeated_difference([*zip(bests, defaults, strict=True)], trial.weights_C))


def _seed(first: int, deal: int) -> int:
    """The first deal is the run's, which takes its folds; the seed after it is that of the trials."""
    return (first + deal + (deal > 0)) % 2**31
