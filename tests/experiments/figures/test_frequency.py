"""F1 against class frequency: which classes a point of the line stands for."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.collection import Records
from sharprecl.experiments.figures.frequency import EDGES, by_frequency, frequency
from sharprecl.experiments.results import make_table

SKILLS = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.8}


def test_classes_of_like_frequency_are_one_point() -> None:
    sizes, f1 = by_frequency(np.array([1000, 25, 40, 1, 0]), np.array([90.0, 50.0, 70.0, 10.0, 0.0]))
    assert f1.tolist() == [5.0, 60.0, 90.0]
    assert sizes == pytest.approx([0.7**0.5, 1000**0.5, 1000.0])


@given(st.lists(st.tuples(st.integers(0, 9_000), st.floats(0, 100)), min_size=1, max_size=60))
def test_the_line_stays_within_its_classes(classes: list[tuple[int, float]]) -> None:
    count_C, f1_C = np.array([count for count, _ in classes]), np.array([f1 for _, f1 in classes])
    sizes, means = by_frequency(count_C, f1_C)
    assert (np.diff(sizes) > 0).all()
    assert len(sizes) <= len(EDGES) + 1
    assert f1_C.min() - 1e-9 <= means.min()
    assert means.max() <= f1_C.max() + 1e-9


def test_a_panel_for_every_method_of_every_column() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS, without=lambda job: (job.row, job.column) == ("bcl", "cr"))
    first, second = frequency(make_table(plan, records, "smoke"))
    assert (first.name, second.name) == ("mine-smoke-frequency-trec-50", "mine-smoke-frequency-cr")
    panels = [set(re.findall(r">([a-z_]+)</text>", drawn.svg)) & set(SKILLS) for drawn in (first, second)]
    assert panels == [set(SKILLS), {"cross_entropy", "sharprecl"}]
    assert "Dashed: that of cross_entropy." in first.caption
    # One dot a class and panel, on the page too.
    assert first.inline.svg.count("clip-path") > 0


@pytest.mark.parametrize(
    ("rows", "plain"), [(("bcl", "cross_entropy", "sharprecl"), "cross_entropy"), (("bcl", "sharprecl"), "bcl")]
)
def test_panels_are_held_against_cross_entropy_wherever_it_stands(rows: tuple[str, ...], plain: str) -> None:
    plan = made_up_plan(rows=dict.fromkeys(rows), columns=["cr"])
    (drawn,) = frequency(make_table(plan, made_up_records(plan, SKILLS), "smoke"))
    assert f"Dashed: that of {plain}." in drawn.caption


def test_runs_on_different_data_are_not_drawn_together() -> None:
    plan = made_up_plan(columns=["cr"])
    records = made_up_records(plan, SKILLS)
    (data,) = records.data.values()
    other = replace(data, hash="other", train_counts=(9, 9, 9))
    runs = {key: replace(run, data="other") if run.spec.seed == 1 else run for key, run in records.runs.items()}
    assert list(frequency(make_table(plan, Records(runs, {data.hash: data, "other": other}), "smoke"))) == []
