"""The table of a plan: what is complete, what is left out, averages and groups."""

import math
from dataclasses import replace

import pytest

from made_up_runs import made_up_data, made_up_plan, made_up_records, made_up_run
from sharprecl.experiments.cells import Line
from sharprecl.experiments.collection import Records
from sharprecl.experiments.document import make_document
from sharprecl.experiments.figures.draw import average_ranks
from sharprecl.experiments.formats import write_document
from sharprecl.experiments.ranked import rank_lines
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.tables import Common, make_table

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


def test_a_cell_that_lacks_a_seed_is_shown_and_never_best() -> None:
    plan = made_up_plan()
    records = made_up_records(
        plan, SKILLS, without=lambda job: (job.row, job.column, job.seed) == ("sharprecl", "cr", 1)
    )
    table = make_table(plan, records, "smoke")
    cell = table.cells[OURS, "cr"]
    assert not cell.complete
    assert (cell.mean("macro_f1") or 0) > (table.cells[BCL, "cr"].mean("macro_f1") or 1)
    assert table.best(table.means("macro_f1", "cr")) == ({BCL}, {CE})
    assert table.best(table.means("macro_f1", "trec@50")) == ({OURS}, {BCL})
    assert set(table.averages("macro_f1")) == {BCL, CE}
    assert set(rank_lines(table).ranks) == {"bcl", "cross_entropy"}
    text = write_document(make_document(plan, records, Recipe("mine", "smoke")))
    line = next(line for line in text.split("### Macro-F1")[1].splitlines() if line.startswith("| sharprecl"))
    assert "<sup>2/3</sup>" in line
    assert line.count("**") == 2  # trec@50 alone


def test_lines_and_columns_without_runs_are_left_out_and_named() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS, without=lambda job: job.column == "cr" or job.row == "bcl")
    table = make_table(plan, records, "smoke")
    assert (table.lines, table.columns) == ((CE, OURS), ("trec@50",))
    assert (table.empty_lines, table.empty_columns) == (("bcl",), ("cr",))
    text = write_document(make_document(plan, records, Recipe("mine", "smoke")))
    assert "Rows without any finished run: bcl." in text
    assert "Columns without any finished run: cr." in text
    assert "Average" not in text


def test_no_runs_at_all() -> None:
    plan = made_up_plan()
    document = make_document(plan, Records({}, {}), Recipe("mine", "smoke"))
    assert not document.sheets
    assert "no run is finished yet" in write_document(document)


def test_a_part_of_a_table() -> None:
    plan = made_up_plan()
    table = make_table(
        plan, made_up_records(plan, SKILLS), "smoke", rows=["bcl", "sharprecl"], columns=["cr"], seeds=[2]
    )
    assert (table.lines, table.columns, table.cells[BCL, "cr"].wanted) == ((BCL, OURS), ("cr",), (2,))
    assert table.cells[BCL, "cr"].deviation("macro_f1") is None


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


def test_data_that_changed_between_runs_are_compared_with_nothing() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)
    job = next(job for job in plan.jobs("smoke") if (job.row, job.column) == ("bcl", "cr"))
    other = replace(made_up_data("cr"), hash="other")
    runs = {key: run for key, run in records.runs.items() if run.spec != job.spec}
    run = made_up_run(job, other, 0.8)
    changed = Records({**runs, run.key: run}, {**records.data, "other": other})
    table = make_table(plan, changed, "smoke")
    assert table.data_of("cr") is None
    assert table.means("accuracy", "cr") == {}
    text = write_document(make_document(plan, changed, Recipe("mine", "smoke")))
    assert "cr: the data changed between runs, so nothing is compared there." in text
    assert "Not tested on cr: its runs were judged on different test texts." in text


def test_marks_of_published_protocol_and_mixed_code() -> None:
    plan = made_up_plan(select_on="test")
    data = {column: made_up_data(column) for column in plan.columns}
    runs = [
        made_up_run(job, data[job.column], SKILLS[job.row], code="ab"[job.seed % 2] * 64, select_on="test")
        for job in plan.jobs("smoke")
    ]
    records = Records({run.key: run for run in runs}, {record.hash: record for record in data.values()})
    document = make_document(plan, records, Recipe("mine", "smoke"))
    for sheet in document.sheets[:4]:
        assert all("t" in entry.marks for row in sheet.rows for entry in row[1:3])
    text = write_document(document)
    assert "different versions of the code: aaaaaaaa (12) and bbbbbbbb (6)" in text
    assert "the epoch was chosen on the test texts, so the figure is too high" in text


def test_runs_of_two_machines_are_told_by_their_precision() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)

    def with_precision(name: str, first: str) -> str:
        runs = {
            key: replace(run, environment={**run.environment, "precision": name if run.spec.seed else first})
            for key, run in records.runs.items()
        }
        return write_document(make_document(plan, Records(runs, records.data), Recipe("mine", "smoke")))

    said = "computed in different precisions, as their machines and methods have them: bf16 (12) and fp32 (6)."
    assert said in with_precision("bf16", "fp32")
    assert "precisions" not in with_precision("bf16", "bf16")


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


COLUMNS = ["trec@50", "r52", "cr"]


def test_columns_that_all_rows_have_are_averaged_and_ranked_for_all_rows() -> None:
    plan = made_up_plan(columns=COLUMNS)
    records = made_up_records(plan, SKILLS, without=lambda job: (job.row, job.column) == ("bcl", "cr"))
    table = make_table(plan, records, "smoke")
    assert table.common("macro_f1") == Common((CE, BCL, OURS), ("trec@50", "r52"))
    scores = [table.cells[BCL, column].mean("accuracy") or 0 for column in ("trec@50", "r52")]
    assert table.averages("accuracy")[BCL] == pytest.approx(sum(scores) / 2)
    text = write_document(make_document(plan, records, Recipe("mine", "smoke")))
    assert "Not run on cr: 1 of 3 rows." in text
    over = "over 2 columns of 2 data sets (trec@50 and r52, which all rows have)"
    assert f"Average and rank: {over}; the columns of one data set rank once." in text
    assert f"O{over[1:]}, sharprecl has the best average rank, 1.00" in text
    assert "cr: of the 2 rows that are complete there, sharprecl has the best macro-F1" in text
    assert "2/3" not in text
    # Two data sets tell no three rows apart.
    assert average_ranks(table) is None
    assert "ranks over so few data sets cannot tell 3 rows apart" in text
    # Tokens are a mean over the same columns, so that they compare.
    row = next(line for line in text.split("### Macro-F1")[1].splitlines() if line.startswith("| bcl |"))
    assert row.endswith(" 1.00 |")


def test_where_no_two_columns_are_common_the_rows_that_have_all_are_averaged() -> None:
    plan = made_up_plan(columns=COLUMNS)
    records = made_up_records(
        plan, SKILLS, without=lambda job: job.row == "bcl" and (job.column == "cr" or job.seed == 1)
    )
    table = make_table(plan, records, "smoke")
    assert table.common("macro_f1") == Common((CE, OURS), tuple(COLUMNS))
    text = write_document(make_document(plan, records, Recipe("mine", "smoke")))
    assert "over 3 columns of 3 data sets, without the 1 row that is not complete in all of them" in text
    assert "2/3: two of three seeds are finished" in text
    assert set(rank_lines(table).ranks) == {"cross_entropy", "sharprecl"}


def test_a_single_seed_says_nothing_of_methods() -> None:
    plan = made_up_plan()
    records = made_up_records(plan, SKILLS)
    for seeds, shown in (((0,), False), ((0, 1), True)):
        document = make_document(plan, records, Recipe("mine", "smoke", seeds=seeds))
        (sheet,) = (sheet for sheet in document.sheets if sheet.title == "Certainty")
        assert {entry.text != "\N{EN DASH}" for *_, entry in sheet.rows} == {shown}
        assert any(one.quantity == "p_methods" for one in document.figures) == shown


def test_signs_of_certainty_are_explained_only_where_they_stand() -> None:
    plan = made_up_plan()
    for skills, sign in ((SKILLS, True), (dict.fromkeys(SKILLS, 0.7), False)):
        document = make_document(plan, made_up_records(plan, skills), Recipe("mine", "smoke"))
        stands = any({"*", "†"} & set(entry.marks) for sheet in document.sheets for row in sheet.rows for entry in row)
        notes = " ".join(document.notes)
        assert stands == sign
        assert ("is more than noise" in notes) == sign
        assert "Only macro-F1 and accuracy are tested; see Certainty." in notes
