"""Which class makes a difference: checked against hand counts and against the difference itself."""

from dataclasses import replace

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.by_class import decisive_class, differences_by_class
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import RowComparison, compare_rows
from sharprecl.experiments.document import make_document
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.tables import Table, make_table
from sharprecl.runs.record import measure


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


def test_one_other_text_is_one() -> None:
    plan = made_up_plan(columns=["cr"])
    _, records = _duel(plan, ours={0: {2: 1}}, theirs={})
    (said, *_) = make_document(plan, records, Recipe("mine", "smoke")).summary
    assert "takes 1 other text for it, bcl finds" in said


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
    assert f"few (12 training texts, {few} test texts): sharprecl finds {few} and takes 5 other texts for it" in said
    assert f"bcl finds {few} and takes 0, means over the seeds." in said
    assert f"{100 * abs(one.difference):.1f} points of that are one class's" in said


def test_no_class_decides_where_all_differ_alike() -> None:
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {1: 30}, 1: {2: 15}, 2: {0: 5}}, theirs={})
    by_class_C = differences_by_class(table, _first(table))
    assert (by_class_C < 0).all()
    assert by_class_C.min() / by_class_C.sum() < 2 / 3
    assert decisive_class(table, _first(table)) is None
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert "one class" not in said.lower()


def test_a_class_that_makes_more_than_the_difference() -> None:
    # "few" loses more than all, and "some" wins a part of it back.
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {2: 15}}, theirs={0: {1: 10}})
    comparison = _first(table)
    one = decisive_class(table, comparison)
    assert comparison.difference < 0
    assert one is not None
    assert one.difference < comparison.difference
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert f"One class alone would make {100 * abs(one.difference):.1f} points, few" in said


def test_equal_rows_have_no_class_to_tell_of() -> None:
    table, records = _duel(made_up_plan(columns=["cr"]), ours={0: {1: 3}}, theirs={0: {1: 3}})
    assert decisive_class(table, _first(table)) is None
    (said, *_) = make_document(made_up_plan(columns=["cr"]), records, Recipe("mine", "smoke")).summary
    assert "one class" not in said.lower()
