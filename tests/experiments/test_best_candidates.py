"""Which rows may be the best: who is held against whom, how it is marked and said."""

from dataclasses import replace

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.evaluation.metrics import macro_f1
from sharprecl.evaluation.significance.with_the_best import compare_with_best
from sharprecl.experiments.best_candidates import find_best_candidates
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import make_document
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.tables import Table, make_table

SKILLS = {"cross_entropy": 0.94, "bcl": 0.95, "sharprecl": 0.6}
ROWS = {"cross_entropy": None, "bcl": None, "focal": None, "sharprecl": None}


def _table(plan: Plan, records: Records) -> Table:
    return make_table(plan, records, "smoke")


def test_each_row_is_held_against_the_best_of_its_column() -> None:
    plan = made_up_plan()
    table = _table(plan, made_up_records(plan, SKILLS))
    found = find_best_candidates(table)
    assert [(one.metric, one.column) for one in found] == [
        (metric, column) for metric in ("macro_f1", "accuracy") for column in table.columns
    ]
    for one in found:
        assert one.seeds == 3
        assert [line.row for line in one.p] == list(SKILLS)
        assert [line.row for line in one.ruled_out] == ["sharprecl"]
    data = table.data_of(table.columns[0])
    assert data is not None
    answers = [[run.answers for run in table.cells[line, table.columns[0]].runs.values()] for line in table.lines]
    again = compare_with_best(np.asarray(data.gold), answers, len(data.label_names), macro_f1)
    assert tuple(found[0].p.values()) == again.p


def test_it_is_marked_and_said() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)
    document = make_document(plan, records, Recipe("mine", "smoke"))
    for sheet in document.sheets[:4]:
        if sheet.title in ("Accuracy", "Macro-F1"):
            marked = {row[0].text for row in sheet.rows for entry in row if "<" in entry.marks}
            assert marked == {"sharprecl"}
    assert all("Ruled out as the best: sharprecl." in sentence for sentence in document.summary[:2])
    assert sum(note.startswith("<: not the best row") and "other seeds" in note for note in document.notes) == 1
    p = {
        (one.row, one.column): one.value
        for one in document.figures
        if (one.quantity, one.metric) == ("p_best", "macro_f1")
    }
    assert max(p["sharprecl", column] for column in plan.columns) < 0.05


@pytest.mark.parametrize(
    ("skills", "said"),
    [
        ({"cross_entropy": 0.95, "bcl": 0.6, "sharprecl": 0.6}, "All others are ruled out as the best"),
        ({"cross_entropy": 0.8, "bcl": 0.8, "sharprecl": 0.8}, "No row is ruled out as the best"),
        (
            {"cross_entropy": 0.6, "bcl": 0.95, "focal": 0.6, "sharprecl": 0.95, "dice": 0.5},
            "Not ruled out as the best: bcl and sharprecl",
        ),
    ],
)
def test_the_fewer_are_named(skills: dict[str, float], said: str) -> None:
    plan = made_up_plan(rows=dict.fromkeys(skills))
    records = made_up_records(plan, skills)
    assert f"{said}." in make_document(plan, records, Recipe("mine", "smoke")).summary[0]
    plan = made_up_plan(rows=dict.fromkeys(skills), seeds=1)
    records = made_up_records(plan, skills)
    single = make_document(plan, records, Recipe("mine", "smoke"))
    assert ", of these trained models" in single.summary[0]


def test_a_leader_that_lacks_seeds_is_not_overlooked() -> None:
    plan = made_up_plan(columns=["trec@50"])
    skills = {"cross_entropy": 0.6, "bcl": 0.97, "sharprecl": 0.9}
    records = made_up_records(plan, skills, without=lambda job: (job.row, job.seed) == ("bcl", 2))
    (sentence,) = make_document(plan, records, Recipe("mine", "smoke")).summary
    assert sentence.startswith("trec@50: of the 2 rows that are complete there, sharprecl has the best macro-F1")
    assert "All other complete rows are ruled out as the best. Seeds are still missing of bcl (9" in sentence
    assert sentence.endswith(" so far).")


def test_a_few_texts_decide_nothing() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, SKILLS)
    (hash_, data), *_ = records.data.items()
    few = replace(data, gold=data.gold[:19])
    runs = {key: replace(run, answers=run.answers[:19]) for key, run in records.runs.items()}
    assert find_best_candidates(_table(plan, Records(runs, {hash_: few}))) == ()


def test_classes_without_test_texts_are_named() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, SKILLS)
    (hash_, data), *_ = records.data.items()
    lacking = replace(data, gold=tuple(0 if label == 2 else label for label in data.gold))
    caption = make_document(plan, Records(records.runs, {hash_: lacking}), Recipe("mine", "smoke")).caption
    assert "trec@50: 1 class has no test texts and counts 0 in macro-F1, for all rows alike: few." in caption
    assert not any("test texts" in words for words in make_document(plan, records, Recipe("mine", "smoke")).caption[1:])


def test_rows_that_are_the_same_runs_are_one_contender() -> None:
    twice = {"method": "cross_entropy", "settings": {"method": {}}}
    rows = {"cross_entropy": None, "again": twice, "bcl": None, "sharprecl": None}
    plan = made_up_plan(rows=rows, columns=["trec@50"])
    single = made_up_plan(columns=["trec@50"])
    records = made_up_records(single, SKILLS)
    table = _table(plan, records)
    assert [line.row for line in table.lines] == list(rows)
    (found, _), (expected, _) = find_best_candidates(table), find_best_candidates(_table(single, records))
    p = {line.row: value for line, value in found.p.items()}
    assert p == {**{line.row: value for line, value in expected.p.items()}, "again": p["cross_entropy"]}
    # Nothing to compare with but itself.
    alone = made_up_plan(rows={"cross_entropy": None, "again": twice}, columns=["trec@50"])
    assert find_best_candidates(_table(alone, records)) == ()


def test_incomplete_rows_and_changed_data_are_left_out() -> None:
    plan = made_up_plan(rows=ROWS, columns=["trec@50"])
    records = made_up_records(plan, {**SKILLS, "focal": 0.99})
    runs = dict(records.runs)
    del runs[next(key for key, run in runs.items() if run.spec.settings["method"]["name"] == "focal")]
    (one, _) = find_best_candidates(_table(plan, Records(runs, records.data)))
    assert [line.row for line in one.p] == ["cross_entropy", "bcl", "sharprecl"]
    assert find_best_candidates(_table(plan, Records(runs, {}))) == ()
