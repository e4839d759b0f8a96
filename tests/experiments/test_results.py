"""Records as a table: what the seeds of a cell came to, groups, best and runner-up as shown, with ties."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.comparisons import rank_lines
from sharprecl.experiments.results import Line, best_and_next, in_percent, make_table, mean

SKILLS = {"cross_entropy": 0.70, "bcl": 0.80, "sharprecl": 0.90}
BCL, CE, OURS = Line("bcl"), Line("cross_entropy"), Line("sharprecl")


def test_means_and_deviations_are_those_of_the_seeds() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)
    table = make_table(plan, records, "smoke")
    cell = table.cells[BCL, "cr"]
    values = [
        run.metrics["macro_f1"] or 0.0
        for job in plan.jobs("smoke")
        if (job.row, job.column) == ("bcl", "cr") and (run := records.find(job.spec))
    ]
    middle = sum(values) / 3
    assert cell.mean("macro_f1") == pytest.approx(middle)
    spread = math.sqrt(sum((value - middle) ** 2 for value in values) / 2)
    assert cell.deviation("macro_f1") == pytest.approx(spread)
    assert (cell.complete, cell.spent("tokens"), cell.spent("seconds")) == (True, 1_000_000, 11.0)


def test_a_part_of_a_table() -> None:
    plan = made_up_plan()
    table = make_table(
        plan, made_up_records(plan, SKILLS), "smoke", rows=["bcl", "sharprecl"], columns=["cr"], seeds=[2]
    )
    assert (table.lines, table.columns, table.cells[BCL, "cr"].wanted) == ((BCL, OURS), ("cr",), (2,))
    assert table.cells[BCL, "cr"].deviation("macro_f1") is None


def test_a_run_that_lines_share_is_left_out_once() -> None:
    rows = {"mu": {"method": "sharprecl", "vary": "method.mu", "values": [0.3, 1]}, "twin": {"method": "sharprecl"}}
    rows["twin"] |= {"vary": "method.mu", "values": [0.3]}
    plan = made_up_plan(kind="curve", rows=rows)
    records = made_up_records(plan, lambda job: 0.9)
    assert make_table(plan, records, "smoke", columns=["cr"], seeds=[2]).other_seeds == {0: 2, 1: 2}
    assert make_table(plan, records, "smoke").other_seeds == {}


def test_values_of_a_curve_are_compared_within_it() -> None:
    rows = {
        "mu": {"method": "sharprecl", "vary": "method.mu", "values": [0, 1]},
        "tau": {"method": "sharprecl", "vary": "method.temperature", "values": [0.1, 0.3]},
    }
    plan = made_up_plan(kind="curve", rows=rows)
    table = make_table(
        plan, made_up_records(plan, lambda job: 0.9 if job.row == "mu" else 0.7 + (job.x or 0) / 10), "smoke"
    )
    assert [line.title for line in table.lines] == ["mu = 0", "mu = 1", "tau = 0.1", "tau = 0.3"]
    best, _ = table.best(table.means("accuracy", "cr"))
    assert Line("tau", 0.3) in best
    assert len(rank_lines(table).rankings) == 2


def test_a_metric_that_no_class_has_is_left_out() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)
    runs = {key: replace(run, metrics={**run.metrics, "tail": None}) for key, run in records.runs.items()}
    table = make_table(plan, replace(records, runs=runs), "smoke")
    assert table.metrics == ("accuracy", "macro_f1", "balanced_accuracy")
    some = {key: run if run.spec.data == "cr" else runs[key] for key, run in records.runs.items()}
    table = make_table(plan, replace(records, runs=some), "smoke")
    assert table.cells[BCL, "cr"].mean("tail") is not None
    # One column is no average, and ranks nothing.
    assert table.averages("tail") == {}
    assert rank_lines(table, "tail").rankings == ()


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
