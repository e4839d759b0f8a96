"""Sets of classes that hold the true one as often as asked for, for rare classes too.

Split conformal prediction with a bar for each class (Mondrian: Vovk et al., 2005; class-conditional in MAPIE and
crepes): class c is in the set of a text if its probability is at least b_c, where b_c is the k-th smallest probability
that held-out texts of c give to c, k = floor((n_c + 1) alpha). Of new texts of the class at most alpha then fall below.
With n_c < 1 / alpha - 1, that is under 9 texts at 90 % and under 19 at 95 %, k is 0, and the class would be in every
set. Such classes share one bar, learnt from all their texts together: the promise then holds for the texts of rare
classes taken together. It is lowered towards the class's own least probability, the more texts it has, which can only
make sets safer (interpolation between class-conditional and pooled bars: Ding, Fermanian and Salmon, 2025).
"""

import math
from dataclasses import dataclass

import numpy as np

from sharprecl.decision.objectives import Floats, Ids


@dataclass(frozen=True, eq=False)
class Bars:
    """The least probability of each class in a set.

    Attributes:
        bar_C: above it, a class is in the set.
        level: 1 - alpha.
        own_C: which classes have a promise of their own; the others have it together.
    """

    bar_C: Floats
    level: float
    own_C: np.ndarray

    @property
    def sentence(self) -> str:
        """A summary for the user."""
        own, rare = int(self.own_C.sum()), int((~self.own_C).sum())
        fewest = fewest_texts(self.level)
        together = f", together for the {rare} that have under {fewest} held-out texts" if rare else ""
        return (
            f"sets hold the true class {self.level:.0%} of the time or more: for each of {own} classes on its own"
            f"{together}"
        )


def set_bars(p_NC: Floats, y_N: Ids, level: float) -> Bars:
    """Learn the bars from held-out texts.

    Args:
        p_NC: their probabilities.
        y_N: their classes; a class without a text gets the bar of the rare ones.
        level: how often the true class is to be in the set, in (0, 1).
    """
    C, alpha = p_NC.shape[1], 1 - level
    own_N = p_NC[np.arange(len(y_N)), y_N]
    texts_C = np.bincount(y_N, minlength=C)
    least = fewest_texts(level)
    enough_C = texts_C >= least
    # Rare classes that have too few texts even together take the next larger ones into their group.
    by_size = np.argsort(texts_C, kind="stable")
    reached = int(np.searchsorted(np.cumsum(texts_C[by_size]), least)) + 1
    together = by_size[: max(reached, int((~enough_C).sum()))]
    shared = _bar(own_N[np.isin(y_N, together)], alpha)
    bar_C = np.full(C, shared)
    for label in np.flatnonzero(texts_C):
        own = own_N[y_N == label]
        if enough_C[label]:
            # Members of the group may be in more sets than on their own, never in fewer.
            bar_C[label] = min(_bar(own, alpha), shared) if label in together else _bar(own, alpha)
        else:
            bar_C[label] -= max(0.0, shared - own.min()) * len(own) / least
    return Bars(bar_C, level, enough_C)


def fewest_texts(level: float) -> int:
    """Held-out texts from which on a class can have a promise of its own."""
    return math.ceil(1 / (1 - level) - 1 - 1e-9)


def _bar(own_n: Floats, alpha: float) -> float:
    rank = math.floor((len(own_n) + 1) * alpha + 1e-9)
    return float(np.sort(own_n)[rank - 1]) if rank else 0.0
