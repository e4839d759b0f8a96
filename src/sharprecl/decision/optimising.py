"""Offsets that can be believed: shrunk by class size, and taken only if cross-validation says that they gain.

What few texts have chosen is flattered by them. So the search begins at the offsets that are right if probabilities are
(``Objective.usual_offsets``), and how far it moves a class with n held-out texts is multiplied by n / (n + n0).
Cross-validation chooses n0, "no offsets" among the candidates, and nested cross-validation says what the whole
procedure gains.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sharprecl.data.messages import signed
from sharprecl.decision.objectives import Floats, Ids, Objective
from sharprecl.decision.thresholds import best_offsets

SHRINKAGE = (np.inf, 250.0, 50.0, 10.0, 2.0)
"""Candidates for n0, the most cautious first, which wins if others are no better."""

FOLDS, INNER_FOLDS = 5, 3
RESAMPLES = 500


@dataclass(frozen=True, eq=False)
class Optimised:
    """Offsets, and what they are worth.

    Attributes:
        offset_C: added to log-probabilities.
        objective: its name.
        times: what its figures are multiplied by to be shown.
        before, after: the objective on the held-out texts without the offsets and with them, flattered by the choice.
        nested: the objective with offsets that were learnt on the other folds.
        interval: 95 % bootstrap interval of ``nested - before``.
        kept: whether the offsets are taken; if not, ``offset_C`` is 0.
    """

    offset_C: Floats
    objective: str
    times: float
    before: float
    after: float
    nested: float
    interval: tuple[float, float]
    kept: bool

    @property
    def sentence(self) -> str:
        """A summary for the user."""
        digits = 1 if self.times == 100 else 3
        low, high = (signed(self.times * bound, digits) for bound in self.interval[:: 1 if self.times > 0 else -1])
        gain = f"{signed(self.times * (self.nested - self.before), digits)} (95 % interval {low} to {high})"
        told = f"{self.objective} of held-out texts {self.times * self.before:.{digits}f} without offsets"
        if not self.kept:
            why = "so none are taken" if self.nested <= self.before else "and cross-validation prefers none"
            return f"{told}; offsets learnt on other folds change it by {gain}, {why}"
        return (
            f"{told}, {self.times * self.after:.{digits}f} with those that they have chosen themselves; offsets learnt "
            f"on other folds change it by {gain}"
        )


def optimise(z_NC: Floats, y_N: Ids, weight_N: Floats, objective: Objective, seed: int = 0) -> Optimised:
    """Learn offsets for an objective, and judge by cross-validation what that is worth.

    Args:
        z_NC: log-probabilities of held-out texts.
        y_N: their classes.
        weight_N: their weights.
        objective: what they are to maximise.
        seed: of the folds.
    """
    plain_N, nested_N = z_NC.argmax(1), z_NC.argmax(1)
    for fit, held in folds(y_N, FOLDS, seed):
        nested_N[held] = (z_NC[held] + _shrunk_offsets(z_NC[fit], y_N[fit], weight_N[fit], objective, seed)).argmax(1)
    before, nested = (objective.value(y_N, answers_N, weight_N) for answers_N in (plain_N, nested_N))
    offset_C = _shrunk_offsets(z_NC, y_N, weight_N, objective, seed)
    after = objective.value(y_N, (z_NC + offset_C).argmax(1), weight_N)
    kept = bool(offset_C.any()) and nested > before
    interval = _interval_of_gain(y_N, plain_N, nested_N, weight_N, objective, seed)
    return Optimised(offset_C * kept, objective.name, objective.times, before, after, nested, interval, kept)


def _shrunk_offsets(z_NC: Floats, y_N: Ids, weight_N: Floats, objective: Objective, seed: int) -> Floats:
    usual_C = objective.usual_offsets(z_NC.shape[1])
    moved_NC = z_NC + usual_C
    answers = {n0: moved_NC.argmax(1) for n0 in SHRINKAGE}
    for fit, held in folds(y_N, INNER_FOLDS, seed + 1):
        offset_C = best_offsets(moved_NC[fit], y_N[fit], weight_N[fit], objective)
        for n0, answers_N in answers.items():
            answers_N[held] = (moved_NC[held] + _shrunk(offset_C, y_N[fit], n0)).argmax(1)
    values = {n0: objective.value(y_N, answers_N, weight_N) for n0, answers_N in answers.items()}
    n0 = max(SHRINKAGE, key=values.__getitem__)
    if values[n0] <= objective.value(y_N, z_NC.argmax(1), weight_N):
        return np.zeros(len(usual_C))
    if n0 == np.inf:
        return usual_C
    return usual_C + _shrunk(best_offsets(moved_NC, y_N, weight_N, objective), y_N, n0)


def _shrunk(offset_C: Floats, y_N: Ids, n0: float) -> Floats:
    texts_C = np.bincount(y_N, minlength=len(offset_C))
    shrunk_C: Floats = offset_C * texts_C / (texts_C + n0)
    return shrunk_C


def folds(y_N: Ids, number: int, seed: int) -> Iterator[tuple[Ids, Ids]]:
    """Rows to learn from and rows to judge on, every class spread evenly."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(y_N))
    order = order[np.argsort(y_N[order], kind="stable")]
    fold_N = np.empty(len(y_N), dtype=np.int64)
    fold_N[order] = np.arange(len(y_N)) % number
    for fold in range(number):
        yield np.flatnonzero(fold_N != fold), np.flatnonzero(fold_N == fold)


def _interval_of_gain(
    y_N: Ids, before_N: Ids, after_N: Ids, weight_N: Floats, objective: Objective, seed: int
) -> tuple[float, float]:
    generator = np.random.Generator(np.random.PCG64(seed))
    gains = []
    for _ in range(RESAMPLES):
        drawn_N = weight_N * generator.multinomial(len(y_N), np.full(len(y_N), 1 / len(y_N)))
        gains.append(objective.value(y_N, after_N, drawn_N) - objective.value(y_N, before_N, drawn_N))
    low, high = np.quantile(gains, (0.025, 0.975))
    return float(low), float(high)
