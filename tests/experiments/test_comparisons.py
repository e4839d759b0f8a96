"""The compared row against the best other row: who it meets, what is corrected, what is not tested."""

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.evaluation.metrics import macro_f1
from sharprecl.evaluation.significance.holm import holm
from sharprecl.evaluation.significance.paired_bootstrap import paired_bootstrap
from sharprecl.experiments.best_candidates import find_best_candidates
from sharprecl.experiments.comparisons import Comparisons, compare_rows
from sharprecl.experiments.ranked import rank_lines
from sharprecl.experiments.summary import summarise
from sharprecl.experiments.tables import Table, make_table


def _table(skills: dict[str, float], **changes: object) -> Table:
    plan = made_up_plan(**changes)
    return make_table(plan, made_up_records(plan, skills), "smoke")


def _said(table: Table, comparisons: Comparisons) -> str:
    return " ".join(summarise(table, comparisons, find_best_candidates(table), rank_lines(table)))


def test_a_sure_lead() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95})
    comparisons = compare_rows(table)
    assert len(comparisons.tested) == 4
    for one in comparisons.tested:
        assert (one.rival.row, one.rivals, one.seeds, one.certainty) == ("bcl", 2, 3, "methods")
        assert one.difference > 0.1
    said = _said(table, comparisons)
    assert "which should hold for other texts and other seeds, as far as 3 seeds tell" in said
    assert "better beyond noise in 2, worse beyond noise in 0, not to be told apart in 0" in said


def test_a_sure_defeat_is_told_as_plainly() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.95, "sharprecl": 0.7})
    comparisons = compare_rows(table)
    assert {one.certainty for one in comparisons.tested} == {"methods"}
    assert all(one.difference < 0 for one in comparisons.tested)
    said = _said(table, comparisons)
    assert "bcl has the best macro-F1" in said
    assert "worse beyond noise in 2" in said


def test_noise_is_called_noise() -> None:
    table = _table({"cross_entropy": 0.801, "bcl": 0.8, "sharprecl": 0.799})
    comparisons = compare_rows(table)
    assert {one.certainty for one in comparisons.tested} == {"none"}
    assert _said(table, comparisons).count("within noise") == 2


def test_a_single_seed_says_nothing_of_other_seeds() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95}, seeds=1)
    comparisons = compare_rows(table)
    assert all(one.methods is None and one.p_methods is None for one in comparisons.tested)
    assert {one.certainty for one in comparisons.tested} == {"models"}
    assert "but nothing is known of other seeds" in _said(table, comparisons)


@pytest.mark.parametrize("ours", [0.76, 0.87])
def test_p_values_are_the_test_s_after_both_corrections(ours: float) -> None:
    table = _table({"cross_entropy": 0.7, "bcl": 0.81, "sharprecl": ours})
    tested = [one for one in compare_rows(table).tested if one.metric == "macro_f1"]
    raw = []
    for one in tested:
        data = table.data_of(one.column)
        assert data is not None
        first, second = (
            np.array([table.cells[line, one.column].runs[seed].answers for seed in range(3)])
            for line in (one.compared, one.rival)
        )
        found = paired_bootstrap(data.gold, first, second, 3, macro_f1)
        assert found == one.models
        # The luckiest of two leads: its p counts twice.
        raw.append(min(1.0, 2 * found.p) if found.difference < 0 else found.p)
    assert [one.p_models for one in tested] == holm(raw).adjusted.tolist()
    assert {one.difference < 0 for one in tested} == {ours < 0.8}


def test_what_is_not_tested_says_why() -> None:
    plan = made_up_plan()
    skills = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.9}
    lacks = made_up_records(plan, skills, without=lambda job: (job.row, job.column, job.seed) == ("sharprecl", "cr", 0))
    comparisons = compare_rows(make_table(plan, lacks, "smoke"))
    assert [(one.column, one.why) for one in comparisons.untested] == [("cr", "sharprecl lacks seeds")]
    alone = made_up_records(plan, skills, without=lambda job: job.row != "sharprecl" and job.seed == 0)
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert {one.why for one in comparisons.untested} == {"no other row is complete"}
    assert compare_rows(_table(skills, compared=None)) == Comparisons()
    others = _table({"cross_entropy": 0.6, "bcl": 0.7}, rows={"cross_entropy": None, "bcl": None})
    assert compare_rows(others) == Comparisons()


def test_a_row_of_the_same_runs_is_no_rival() -> None:
    # As in the ablation, where one row is the full method's own run, and two others are one.
    same = {"ours again": {"method": "sharprecl"}, "bcl again": {"method": "bcl"}}
    rows = {"cross_entropy": None, "bcl": None, "sharprecl": None, **same}
    plan = made_up_plan(rows=rows)
    skills = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.9, "ours again": 0.9, "bcl again": 0.7}
    table = make_table(plan, made_up_records(plan, skills), "smoke")
    for one in compare_rows(table).tested:
        assert (one.rival.row, one.rivals) == ("bcl", 2)
        assert one.difference > 0
    said = _said(table, compare_rows(table))
    assert "sharprecl and ours again are level with the best macro-F1" in said
    alone = made_up_records(plan, skills, without=lambda job: job.spec.settings["method"]["name"] != "sharprecl")
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert {one.why for one in comparisons.untested} == {"no other row is complete"}


def test_a_row_that_lacks_seeds_is_no_rival() -> None:
    plan = made_up_plan()
    records = made_up_records(
        plan,
        {"cross_entropy": 0.6, "bcl": 0.9, "sharprecl": 0.8},
        without=lambda job: (job.row, job.seed) == ("bcl", 2),
    )
    assert {one.rival.row for one in compare_rows(make_table(plan, records, "smoke")).tested} == {"cross_entropy"}
