"""The compared row against its rival, rows against the best, and the class that decides: who is tested and how."""

from dataclasses import replace

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.evaluation.best import compare_with_best
from sharprecl.evaluation.metrics import macro_f1
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import (
    Comparisons,
    RowComparison,
    compare_rows,
    decisive_class,
    differences_by_class,
)
from sharprecl.experiments.document import equals
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.results import Line, Table, make_table
from sharprecl.experiments.summary import _Certainty, summarise
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
    assert len(comparisons.compared) == 4
    for one in comparisons.compared:
        assert (one.rival.row, one.significant) == ("bcl", True)
        assert one.difference > 0.1
        assert one.interval[0] > 0
    said = _said(table, comparisons)
    assert "points ahead of bcl, which is significant (p < 0.001). All other rows are significantly behind." in said
    assert "significantly better in 2, significantly worse in 0, and neither in 0" in said


def test_a_sure_defeat_is_told_as_plainly() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.95, "sharprecl": 0.7})
    comparisons = compare_rows(table)
    assert all(one.significant and one.interval[1] < 0 for one in comparisons.compared)
    assert all(one.difference < 0 for one in comparisons.compared)
    said = _said(table, comparisons)
    assert "bcl has the best macro-F1" in said
    assert "significantly worse in 2" in said


def test_noise_is_called_noise() -> None:
    table = _table({"cross_entropy": 0.801, "bcl": 0.8, "sharprecl": 0.799})
    comparisons = compare_rows(table)
    assert not any(one.significant for one in comparisons.compared)
    said = _said(table, comparisons)
    assert said.count("within noise") >= 2
    assert said.count("No row is significantly behind.") == 2


def test_a_single_seed_says_nothing_of_other_seeds() -> None:
    table = _table({"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.95}, seeds=1)
    comparisons = compare_rows(table)
    assert comparisons.seeds == 1
    assert all(one.significant for one in comparisons.compared)
    assert "which is significant for these models (p" in _said(table, comparisons)


def test_what_is_not_tested_says_why() -> None:
    plan = made_up_plan()
    skills = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.9}
    lacks = made_up_records(plan, skills, without=lambda job: (job.row, job.column, job.seed) == ("sharprecl", "cr", 0))
    comparisons = compare_rows(make_table(plan, lacks, "smoke"))
    assert comparisons.untested == {"cr": "sharprecl lacks seeds"}
    alone = made_up_records(plan, skills, without=lambda job: job.row != "sharprecl" and job.seed == 0)
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert set(comparisons.untested.values()) == {"fewer than two rows are complete"}
    nothing = compare_rows(_table(skills, compared=None))
    assert (nothing.compared, nothing.untested) == ((), {})
    others = _table({"cross_entropy": 0.6, "bcl": 0.7}, rows={"cross_entropy": None, "bcl": None})
    assert compare_rows(others).compared == ()


def test_a_row_of_the_same_runs_is_no_rival() -> None:
    # As in the ablation, where one row is the full method's own run, and two others are one.
    same = {"ours again": {"method": "sharprecl"}, "bcl again": {"method": "bcl"}}
    rows = {"cross_entropy": None, "bcl": None, "sharprecl": None, **same}
    plan = made_up_plan(rows=rows)
    skills = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.9, "ours again": 0.9, "bcl again": 0.7}
    table = make_table(plan, made_up_records(plan, skills), "smoke")
    for one in compare_rows(table).compared:
        assert one.rival.row == "bcl"
        assert one.difference > 0
    said = _said(table, compare_rows(table))
    assert "sharprecl and ours again tie for the best macro-F1" in said
    alone = made_up_records(plan, skills, without=lambda job: job.spec.settings["method"]["name"] != "sharprecl")
    comparisons = compare_rows(make_table(plan, alone, "smoke"))
    assert set(comparisons.untested.values()) == {"fewer than two rows are complete"}


def test_a_row_that_lacks_seeds_is_no_rival() -> None:
    plan = made_up_plan()
    records = made_up_records(
        plan,
        {"cross_entropy": 0.6, "bcl": 0.9, "sharprecl": 0.8},
        without=lambda job: (job.row, job.seed) == ("bcl", 2),
    )
    assert {one.rival.row for one in compare_rows(make_table(plan, records, "smoke")).compared} == {"cross_entropy"}


BEHIND = {"cross_entropy": 0.94, "bcl": 0.95, "sharprecl": 0.6}


def test_each_row_is_held_against_the_best_of_its_column() -> None:
    plan = made_up_plan()
    table = make_table(plan, made_up_records(plan, BEHIND), "smoke")
    comparisons = compare_rows(table)
    assert list(comparisons.p) == [(metric, column) for metric in ("macro_f1", "accuracy") for column in table.columns]
    for place, p in comparisons.p.items():
        assert [line.row for line in p] == list(BEHIND)
        assert {line.row for line in comparisons.behind(*place)} == {"sharprecl"}
    data = table.data_of(table.columns[0])
    assert data is not None
    answers = [[run.answers for run in table.cells[line, table.columns[0]].runs.values()] for line in table.lines]
    again = compare_with_best(np.asarray(data.gold), answers, len(data.label_names), macro_f1)
    assert [*comparisons.p["macro_f1", table.columns[0]].values()] == again.p.tolist()


def test_a_few_texts_decide_nothing() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, BEHIND)
    (hash_, data), *_ = records.data.items()
    few = replace(data, gold=data.gold[:19])
    runs = {key: replace(run, answers=run.answers[:19]) for key, run in records.runs.items()}
    assert compare_rows(make_table(plan, Records(runs, {hash_: few}), "smoke")).p == {}


def test_rows_that_are_the_same_runs_are_one_contender() -> None:
    twice = {"method": "cross_entropy", "settings": {"method": {}}}
    rows = {"cross_entropy": None, "again": twice, "bcl": None, "sharprecl": None}
    plan = made_up_plan(rows=rows, columns=["trec@50"])
    single = made_up_plan(columns=["trec@50"])
    records = made_up_records(single, BEHIND)

    def p_of(plan: Plan) -> dict[str, float]:
        found = compare_rows(make_table(plan, records, "smoke")).p.get(("macro_f1", "trec@50"), {})
        return {line.row: p for line, p in found.items()}

    assert p_of(plan) == {**(expected := p_of(single)), "again": expected["cross_entropy"]}
    assert list(p_of(plan)) == list(rows)
    # Nothing to compare with but itself.
    assert p_of(made_up_plan(rows={"cross_entropy": None, "again": twice}, columns=["trec@50"])) == {}


def test_incomplete_rows_and_changed_data_are_not_held_against_the_best() -> None:
    rows = {"cross_entropy": None, "bcl": None, "focal": None, "sharprecl": None}
    plan = made_up_plan(rows=rows, columns=["trec@50"])
    records = made_up_records(plan, {**BEHIND, "focal": 0.99})
    runs = dict(records.runs)
    del runs[next(key for key, run in runs.items() if run.spec.settings["method"]["name"] == "focal")]
    found = compare_rows(make_table(plan, Records(runs, records.data), "smoke")).p["macro_f1", "trec@50"]
    assert [line.row for line in found] == ["cross_entropy", "bcl", "sharprecl"]
    assert compare_rows(make_table(plan, Records(runs, {}), "smoke")).p == {}


@pytest.mark.parametrize("seeds", [1, 2, 3])
@pytest.mark.parametrize("columns", [["cr"], ["trec@50", "cr"]])
@pytest.mark.parametrize("gap", [0.0, 0.01, 0.03, 0.06, 0.2])
def test_no_sentence_contradicts_another_nor_a_mark(seeds: int, columns: list[str], gap: float) -> None:
    """Once a lead could hold for other seeds in one sentence while no row was ruled out in the next."""
    rows = {"cross_entropy": None, "bcl": None, "focal": None, "sharprecl": None}
    for ours, theirs in ((0.8, 0.8 - gap), (0.8 - gap, 0.8)):
        plan = made_up_plan(rows=rows, columns=columns, seeds=seeds)
        skills = {"cross_entropy": 0.7, "bcl": theirs, "focal": theirs - 0.02, "sharprecl": ours}
        table = make_table(plan, made_up_records(plan, skills), "smoke")
        comparisons = compare_rows(table)
        for column, sentence in zip(columns, summarise(table, comparisons), strict=False):
            means, p = table.means("macro_f1", column), comparisons.p["macro_f1", column]
            best, after = table.best(means)
            behind = comparisons.behind("macro_f1", column)
            assert not behind & best
            assert behind == {line for line in means if p[line] <= 0.05}
            # The lead is called what the mark of the runner-up says.
            if len(best) == 1:
                assert f"(p {equals(max(p[line] for line in after))})" in sentence
                assert (f"{_names(after)}, which is significant" in sentence) == (after <= behind)
                assert (f"{_names(after)}, which is within noise" in sentence) == (not after & behind)
            assert ("No row is significantly behind" in sentence) == (not behind and bool(set(means) - best - after))
            # The compared row and its rival have the p of whoever is behind.
            one = comparisons.of("macro_f1", column)
            assert one is not None
            assert one.p == p[one.rival if one.difference >= 0 else one.compared]
            assert (one.interval[0] > 0 or one.interval[1] < 0) == (one.p < 0.05)


def _names(lines: frozenset[Line]) -> str:
    return " and ".join(
        sorted((line.title for line in lines), key=["cross_entropy", "bcl", "focal", "sharprecl"].index)
    )


def test_rows_that_look_equal_tie_however_sure_a_hair_is() -> None:
    """On a million texts, 0.02 points may be no chance; a table of tenths must not say so of what it shows as equal."""
    plan = made_up_plan(columns=["cr"], seeds=1, rows={"bcl": None, "sharprecl": None})
    records = made_up_records(plan, {"bcl": 1.0, "sharprecl": 1.0})
    ((hash_, data),) = records.data.items()
    many = replace(data, gold=data.gold * 100)
    runs = {
        key: replace(run, answers=run.answers * 100) if run.config["method"]["name"] == "bcl" else run
        for key, run in records.runs.items()
    }
    records = _with_answers(Records(runs, {hash_: many}), "sharprecl", {0: {1: 6}})
    table = make_table(plan, records, "smoke")
    answers = [run.answers for line in table.lines for run in table.cells[line, "cr"].runs.values()]
    assert compare_with_best(many.gold, answers, 3).p[1] < 0.05
    comparisons = compare_rows(table)
    assert set(comparisons.p["macro_f1", "cr"].values()) == {1.0}
    assert "bcl and sharprecl tie for the best macro-F1" in _said(table, comparisons)


def test_runners_up_of_whom_only_one_is_surely_behind() -> None:
    first, *others = (Line(name) for name in ("a", "b", "c"))
    certainty = _Certainty({first: 1.0, others[0]: 0.02, others[1]: 0.3}, 3)
    assert certainty.of(others) == ", which is significant (p = 0.020) over b and within noise (p = 0.300) over c"


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
    return next(one for one in compare_rows(table).compared if one.metric == "macro_f1")


@pytest.mark.parametrize("skills", [(0.6, 0.7, 0.9), (0.6, 0.9, 0.7), (0.8, 0.801, 0.799)])
def test_the_classes_add_up_to_the_difference(skills: tuple[float, float, float]) -> None:
    plan = made_up_plan()
    table = make_table(plan, made_up_records(plan, dict(zip(plan.rows, skills, strict=True))), "smoke")
    for one in compare_rows(table).compared:
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
