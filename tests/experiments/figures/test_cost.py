"""Cost against quality: who is beaten, and whose seconds compare."""

import re
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.collection import Records
from sharprecl.experiments.figures.cost import cost, log_ticks, pareto
from sharprecl.experiments.results import Table, make_table

SKILLS = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.8}
POINTS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3), st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1
)


def table(place=lambda run: {}, **changes: object) -> Table:
    plan = made_up_plan(**changes)
    records = made_up_records(plan, SKILLS)
    runs = {key: replace(run, environment={**run.environment, **place(run)}) for key, run in records.runs.items()}
    return make_table(plan, Records(runs, records.data), "smoke")


def test_by_hand() -> None:
    points = {"slow": (9.0, 80.0), "good": (5.0, 80.0), "bad": (5.0, 70.0), "quick": (1.0, 60.0), "twin": (1.0, 60.0)}
    assert pareto(points) == ["quick", "twin", "good"]


@given(POINTS)
def test_the_front_holds_all_that_nothing_beats_and_nothing_else(points: dict[str, tuple[int, int]]) -> None:
    unbeaten = {
        name
        for name, (cost_of, worth) in points.items()
        if not any(other[0] <= cost_of and other[1] >= worth and other != (cost_of, worth) for other in points.values())
    }
    front = pareto(points)
    assert set(front) == unbeaten
    assert len(front) == len(unbeaten)
    assert [points[name][0] for name in front] == sorted(points[name][0] for name in front)


def test_every_method_and_column_is_named() -> None:
    drawn = cost(table())
    assert drawn is not None
    words = re.findall(r">([^<>]+)</text>", drawn.svg)
    assert {"cross_entropy", "bcl", "sharprecl", "trec@50", "cr"} <= set(words)


def test_seconds_of_two_machines_are_not_compared() -> None:
    def place(run):
        return {"hardware": "a big GPU" if run.spec.seed == 2 else "two cores", "workers": 2, "threads": 1}

    drawn = cost(table(place))
    assert drawn is not None
    assert "Timed on: two cores, 2 runs at a time, 1 thread each. 6 runs made elsewhere are left out." in drawn.caption
    assert "missing" not in drawn.caption


def test_a_column_that_was_timed_elsewhere_is_named() -> None:
    def place(run):
        return {"hardware": "a big GPU" if run.spec.data == "cr" else "two cores"}

    drawn = cost(table(place, columns=["trec@50", "r52", "cr"]))
    assert drawn is not None
    assert "Fewer than two rows to compare there: cr." in drawn.caption


def test_one_method_has_nothing_to_be_compared_with() -> None:
    assert cost(table(rows={"bcl": None})) is None
    assert cost(table(rows={"bcl": None, "sharprecl": None})) is not None


def test_one_seed_has_no_bars() -> None:
    drawn = cost(table(seeds=1))
    assert drawn is not None
    assert "standard deviation" not in drawn.caption


@given(st.floats(0.01, 1e5), st.floats(1.69, 1000))
def test_numbers_on_the_axis_of_seconds_do_not_touch(low: float, ratio: float) -> None:
    ticks = log_ticks(low, low * ratio)
    assert len(ticks) >= 3
    places = np.log(ticks) - np.log(low)
    assert np.diff(places).min() / np.log(ratio) > 0.09


def test_a_narrow_axis_of_seconds() -> None:
    # Once every 20 seconds: 16 numbers on top of each other.
    assert log_ticks(309.0, 636.0) == [400, 500, 600]
