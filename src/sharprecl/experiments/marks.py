"""Who is best in a column, and who comes next."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

from sharprecl.experiments.cells import in_percent

Who = TypeVar("Who", bound=Hashable)


def best_and_next(scores: Mapping[Who, float]) -> tuple[frozenset[Who], frozenset[Who]]:
    """The best and the runners-up, as shown: scores that look equal tie.

    All that tie for the best are best, and then there is no second place to take. All that tie for the second place are
    runners-up. A single score is compared with nothing, so it is neither.

    Args:
        scores: shares of 0 to 1, larger is better.
    """
    places: dict[float, list[Who]] = {}
    for who, score in scores.items():
        places.setdefault(in_percent(score), []).append(who)
    if len(scores) < 2:
        return frozenset(), frozenset()
    first, *rest = sorted(places, reverse=True)
    best = frozenset(places[first])
    return best, frozenset(places[rest[0]]) if rest and len(best) == 1 else frozenset()
