"""Best and runner-up, as shown, with ties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.experiments.cells import in_percent, mean
from sharprecl.experiments.marks import best_and_next

CASES = [
    ({"a": 0.80, "b": 0.90, "c": 0.85}, {"b"}, {"c"}),
    ({"a": 0.9004, "b": 0.9001, "c": 0.85}, {"a", "b"}, set()),  # both are shown as 90.0, so no second place is left
    ({"a": 0.90, "b": 0.85, "c": 0.8502, "d": 0.1}, {"a"}, {"b", "c"}),
    ({"a": 0.90, "b": 0.90}, {"a", "b"}, set()),
    ({"a": 0.90}, set(), set()),
    ({}, set(), set()),
]


@pytest.mark.parametrize(("scores", "best", "after"), CASES)
def test_best_and_runners_up(scores: dict[str, float], best: set[str], after: set[str]) -> None:
    assert best_and_next(scores) == (best, after)


@given(st.dictionaries(st.integers(), st.floats(0, 1), min_size=2))
def test_nobody_outside_looks_as_good(scores: dict[int, float]) -> None:
    best, after = best_and_next(scores)
    shown = {who: in_percent(score) for who, score in scores.items()}
    top = max(shown.values())
    assert best == {who for who, score in shown.items() if score == top}
    rest = [score for score in shown.values() if score < top]
    assert after == ({who for who, score in shown.items() if score == max(rest)} if rest and len(best) == 1 else set())


def test_cells_that_arithmetic_parted_tie() -> None:
    # The neighbours of a border of rounding are meant to be the border itself.
    for share in (number / 2000 for number in range(1, 2000)):
        assert in_percent(math.nextafter(share, 0)) == in_percent(share) == in_percent(math.nextafter(share, 1))
    assert mean([]) is None
    assert mean([0.1, 0.7, 0.3]) == mean([0.7, 0.3, 0.1])
