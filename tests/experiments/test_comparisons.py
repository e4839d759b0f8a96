"""The compared row against its rival, rows against the best, and the class that decides: who is tested and how."""

from dataclasses import replace

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import macro_f1
from sharprecl.evaluation.significance import holm, paired_bootstrap
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import (
    Comparisons,
    RowComparison,
    compare_rows,
    decisive_class,
    differences_by_class,
)
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.results import Table, make_table
from sharprecl.experiments.summary import summarise
from sharprecl.experiments.tables import make_document
from sharprecl.runs.record import measure


def _table(skills: dict[str, float], **changes: object) -> Table:
    plan = made_up_plan(**changes)
    return make_table(plan, made_up_records(plan, skills), "smoke")


def _said(table: Table, comparisons: Comparisons) -> str:
    return " ".join(summarise(table, comparisons))


def test_a_sure_lead() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95})
    comparisons = compare_rows(table)
    assert len(comparisons.tested) == 4
    for one in comparisons.tested:
        assert (one.rival.row, one.rivals, one.seeds, one.significant) == ("bcl", 2, 3, True)
        assert one.difference > 0.1
    said = _said(table, comparisons)
    assert "which should hold for other texts and other seeds, as far as 3 seeds tell" in said
    assert "significantly better in 2, significantly worse in 0, and neither in 0" in said


def test_a_sure_defeat_is_told_as_plainly() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.95, "sharprecl": 0.7})
    comparisons = compare_rows(table)
    assert all(one.significant for one in comparisons.tested)
    assert all(one.difference < 0 for one in comparisons.tested)
    said = _said(table, comparisons)
    assert "bcl has the best macro-F1" in said
    assert "significantly worse in 2" in said


def test_noise_is_called_noise() -> None:
    table = _table({"cross_entropy": 0.801, "bcl": 0.8, "sharprecl": 0.799})
    comparisons = compare_rows(table)
    assert not any(one.significant for one in comparisons.tested)
    assert _said(table, comparisons).count("within noise") == 2


def test_a_single_seed_says_nothing_of_other_seeds() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95}, seeds=1)
    comparisons = compare_rows(table)
    assert all(one.significant and one.seeds == 1 for one in comparisons.tested)
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
        found = paired_bootstrap(data.gold, first, second, 3, macro_f1, seeds="drawn")
        assert found == one.test
        # The luckiest of two leads: its p counts twice.
        raw.append(min(1.0, 2 * found.p) if found.difference < 0 else found.p)
    assert [one.p for one in tested] == holm(raw).tolist()
    assert {one.difference < 0 for one in tested} == {ours < 0.8}


def test_what_is_not_tested_says_why() -> None:
    plan = made_up_plan()
    skills = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.9}
    lacks = made_up_records(plan, skills, without=lambda job: (job.row, job.column, job.seed) == ("sharprecl", "cr", 0))
    comparisons = compare_rows(make_table(plan, lacks, "smoke"))
    assert comparisons.untested == {"cr": "sharprecl lacks seeds"}
    alone = made_up_records(plan, skills, without=lambda job: job.row != "sharprecl" and job.seed == 0)
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert set(comparisons.untested.values()) == {"no other row is complete"}
    nothing = compare_rows(_table(skills, compared=None))
    assert (nothing.tested, nothing.untested) == ((), {})
    others = _table({"cross_entropy": 0.6, "bcl": 0.7}, rows={"cross_entropy": None, "bcl": None})
    assert compare_rows(others).tested == ()


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
    assert "sharprecl and ours again tie for the best macro-F1" in said
    alone = made_up_records(plan, skills, without=lambda job: job.spec.settings["method"]["name"] != "sharprecl")
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert set(comparisons.untested.values()) == {"no other row is complete"}


def test_a_row_that_lacks_seeds_is_no_rival() -> None:
    plan = made_up_plan()
    records = made_up_records(
        plan,
        {"cross_entropy": 0.6, "bcl": 0.9, "sharprecl": 0.8},
        without=lambda job: (job.row, job.seed) == ("bcl", 2),
    )
    assert {one.rival.row for one in compare_rows(make_table(plan, records, "smoke")).tested} == {"cross_entropy"}


RULED_OUT = {"cross_entropy": 0.94, "bcl": 0.95, "sharprecl": 0.6}


def test_each_row_is_held_against_the_best_of_its_column() -> None:
    plan = made_up_plan()
    table = make_table(plan, made_up_records(plan, RULED_OUT), "smoke")
    comparisons = compare_rows(table)
    assert list(comparisons.p_best) == [
        (metric, column) for metric in ("macro_f1", "accuracy") for column in table.columns
    ]
    for place, p in comparisons.p_best.items():
        assert [line.row for line in p] == list(RULED_OUT)
        assert {line.row for line in comparisons.ruled_out(*place)} == {"sharprecl"}
    data = table.data_of(table.columns[0])
    assert data is not None
    answers = [[run.answers for run in table.cells[line, table.columns[0]].runs.values()] for line in table.lines]
    again = compare_with_best(np.asarray(data.gold), answers, len(data.label_names), macro_f1)
    assert [*comparisons.p_best["macro_f1", table.columns[0]].values()] == again.tolist()


def test_a_few_texts_decide_nothing() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, RULED_OUT)
    (hash_, data), *_ = records.data.items()
    few = replace(data, gold=data.gold[:19])
    runs = {key: replace(run, answers=run.answers[:19]) for key, run in records.runs.items()}
    assert compare_rows(make_table(plan, Records(runs, {hash_: few}), "smoke")).p_best == {}


def test_rows_that_are_the_same_runs_are_one_contender() -> None:
    twice = {"method": "cross_entropy", "settings": {"method": {}}}
    rows = {"cross_entropy": None, "again": twice, "bcl": None, "sharprecl": None}
    plan = made_up_plan(rows=rows, columns=["trec@50"])
    single = made_up_plan(columns=["trec@50"])
    records = made_up_records(single, RULED_OUT)

    def p_best(plan: Plan) -> dict[str, float]:
        found = compare_rows(make_table(plan, records, "smoke")).p_best.get(("macro_f1", "trec@50"), {})
        return {line.row: p for line, p in found.items()}

    assert p_best(plan) == {**(expected := p_best(single)), "again": expected["cross_entropy"]}
    assert list(p_best(plan)) == list(rows)
    # Nothing to compare with but itself.
    assert p_best(made_up_plan(rows={"cross_entropy": None, "again": twice}, columns=["trec@50"])) == {}


def test_incomplete_rows_and_changed_data_are_not_held_against_the_best() -> None:
    rows = {"cross_entropy": None, "bcl": None, "focal": None, "sharprecl": None}
    plan = made_up_plan(rows=rows, columns=["trec@50"])
    records = made_up_records(plan, {**RULED_OUT, "focal": 0.99})
    runs = dict(records.runs)
    del runs[next(key for key, run in runs.items() if run.spec.settings["method"]["name"] == "focal")]
    found = compare_rows(make_table(plan, Records(runs, records.data), "smoke")).p_best["macro_f1", "trec@50"]
    assert [line.row for line in found] == ["cross_entropy", "bcl", "sharprecl"]
    assert compare_rows(make_table(plan, Records(runs, {}), "smoke")).p_best == {}


def _with_answers(records: Records, row: str, change: dict[int, dict[int, int]]) -> Records:
    """A row's answers are the true ones, but ``change[class][answer]`` of the class's first texts have that answer."""
    runs = {}
    for key, run in records.runs.items():
        if run.config["method"]["name"] == row:
            data = records.data[run.data]
            answers = np.array(data.gold)
            for label, wrong in change.items():
                texts = iter(np.flatnonzero(np.array(data.gold) == label))
                for answer, count in wrong.items():
                    for _ in range(count):
                        answers[next(texts)] = answer
            metrics, f1 = measure(data.gold, answers, data.train_counts)
            run = replace(run, answers=tuple(answers.tolist()), metrics=metrics, f1=f1)
        runs[key] = run
    return replace(records, runs=runs)


def _duel(plan: Plan, ours: dict[int, dict[int, int]], theirs: dict[int, dict[int, int]]) -> tuple[Table, Records]:
    records = made_up_records(plan, {"cross_entropy": 0.5, "bcl": 0.5, "sharprecl": 0.5})
    records = _with_answers(_with_answers(records, "sharprecl", ours), "bcl", theirs)
    return make_table(plan, records, "smoke"), records


def _first(table: Table) -> RowComparison:
    return next(one for one in compare_rows(table).tested if one.metric == "macro_f1")


@pytest.mark.parametrize("skills", [(0.6, 0.7, 0.9), (0.6, 0.9, 0.7), (0.8, 0.801, 0.799)])
def test_the_classes_add_up_to_the_difference(skills: tuple[float, float, float]) -> None:
    plan = made_up_plan()
    table = make_table(plan, made_up_records(plan, dict(zip(plan.rows, skills, strict=True))), "smoke")
    for one in compare_rows(table).tested:
        if one.metric == "macro_f1":
            by_class_C = differences_by_class(table, one)
            assert by_class_C.shape == (3,)
            assert by_class_C.sum() == pytest.approx(one.difference, abs=1e-12)


def test_one_class_decides() -> None:
    # Five of "many" are taken for "few": it costs the large class little and the small one much.
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {2: 5}}, theirs={0: {1: 1}})
    comparison = _first(table)
    one = decisive_class(table, comparison)
    assert one is not None
    few = int(np.sum(np.array(records.data["data-cr"].gold) == 2))
    assert (one.label, one.train, one.test, one.found, one.false) == ("few", 12, few, (few, few), (5.0, 0.0))
    assert one.difference == pytest.approx((2 * few / (2 * few + 5) - 1) / 3)
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert (
        f"Class few (12 training texts, {few} test texts) makes {100 * abs(one.difference):.1f} points of that" in said
    )
    assert f"sharprecl has {few} true and 5 false positives, bcl {few} and 0, means over the seeds." in said


def test_no_class_decides_where_all_differ_alike() -> None:
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {1: 30}, 1: {2: 15}, 2: {0: 5}}, theirs={})
    by_class_C = differences_by_class(table, _first(table))
    assert (by_class_C < 0).all()
    assert by_class_C.min() / by_class_C.sum() < 2 / 3
    assert decisive_class(table, _first(table)) is None
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert "Class" not in said


def test_a_class_that_makes_more_than_the_difference() -> None:
    # "few" loses more than all, and "some" wins a part of it back.
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {2: 15}}, theirs={0: {1: 10}})
    comparison = _first(table)
    one = decisive_class(table, comparison)
    assert comparison.difference < 0
    assert one is not None
    assert one.difference < comparison.difference
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert f"test texts) alone would make {100 * abs(one.difference):.1f} points: sharprecl has" in said


def test_equal_rows_have_no_class_to_tell_of() -> None:
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {1: 3}}, theirs={0: {1: 3}})
    assert decisive_class(table, _first(table)) is None
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert "Class" not in said
