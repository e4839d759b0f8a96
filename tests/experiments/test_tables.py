"""A plan's table as a document: what is complete, what is left out, averages, marks and what they mean."""

import csv
import io
from dataclasses import replace

import pytest

from made_up_runs import made_up_data, made_up_plan, made_up_records, made_up_run
from mirror import EXPECTED, needs_mirror
from sharprecl.errors import ConfigError
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import rank_lines
from sharprecl.experiments.figures.ranks import average_ranks
from sharprecl.experiments.formats import write_document
from sharprecl.experiments.plan_file import load_plan, make_plan
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.results import Common, Line, make_table
from sharprecl.experiments.tables import make_document

SKILLS = {"cross_entropy": 0.70, "bcl": 0.80, "sharprecl": 0.90}
BCL, CE, OURS = Line("bcl"), Line("cross_entropy"), Line("sharprecl")


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
    assert f"Average and rank: {over}. The columns of one data set count as one in the rank." in text
    assert "cr: of the 2 rows that are complete there, sharprecl has the best macro-F1" in text
    assert "2/3" not in text
    # Two data sets tell no three rows apart.
    assert average_ranks(table) is None
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


@pytest.mark.parametrize("seeds", [(0,), (0, 1)])
def test_rows_that_are_behind_are_marked_and_the_notes_say_what_p_is(seeds: tuple[int, ...]) -> None:
    plan = made_up_plan()
    records = made_up_records(plan, {"cross_entropy": 0.94, "bcl": 0.95, "sharprecl": 0.6})
    document = make_document(plan, records, Recipe("mine", "smoke", seeds=seeds))
    for sheet in document.sheets[:4]:
        if sheet.title in ("Accuracy", "Macro-F1"):
            marked = {row[0].text for row in sheet.rows for entry in row if "<" in entry.marks}
            assert marked == {"sharprecl"}
    (sheet,) = (sheet for sheet in document.sheets if sheet.title == "Significance")
    assert sheet.headings[-1] == "p"
    notes = " ".join(document.notes)
    assert "<: significantly behind the best row of its column (p at most 0.05)." in notes
    assert "corrected for the number of rows, not of columns" in notes
    assert ("allowing for other test texts and other seeds" in notes) == (len(seeds) > 1)
    assert ("A single seed says nothing about other trainings." in notes) == (len(seeds) == 1)
    p = {(one.row, one.column): one.value for one in document.figures if (one.part, one.quantity) == ("cell", "p")}
    assert max(p["sharprecl", column] for column in plan.columns) < 0.05


def test_a_mark_that_does_not_stand_is_not_explained() -> None:
    plan = made_up_plan()
    document = make_document(plan, made_up_records(plan, dict.fromkeys(SKILLS, 0.7)), Recipe("mine", "smoke"))
    assert not any("<" in entry.marks for sheet in document.sheets for row in sheet.rows for entry in row)
    assert not any(note.startswith("<") for note in document.notes)


def test_a_leader_that_lacks_seeds_is_not_overlooked() -> None:
    plan = made_up_plan(columns=["trec@50"])
    skills = {"cross_entropy": 0.6, "bcl": 0.97, "sharprecl": 0.9}
    records = made_up_records(plan, skills, without=lambda job: (job.row, job.seed) == ("bcl", 2))
    (sentence,) = make_document(plan, records, Recipe("mine", "smoke")).summary
    assert sentence.startswith("trec@50: of the 2 rows that are complete there, sharprecl has the best macro-F1")
    assert "Seeds are still missing of bcl (9" in sentence
    assert sentence.endswith(" so far).")


def test_classes_without_test_texts_are_named() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, SKILLS)
    (hash_, data), *_ = records.data.items()
    lacking = replace(data, gold=tuple(0 if label == 2 else label for label in data.gold))
    caption = make_document(plan, Records(records.runs, {hash_: lacking}), Recipe("mine", "smoke")).caption
    assert "trec@50: 1 class has no test texts and counts 0 in macro-F1, for all rows alike: few." in caption
    assert not any("test texts" in words for words in make_document(plan, records, Recipe("mine", "smoke")).caption[1:])


@needs_mirror
def test_counts_stand_beside_table_1() -> None:
    recipe = Recipe("datasets", "smoke", columns=("cr",))
    document = make_document(load_plan("datasets"), Records({}, {}), recipe)
    text = write_document(document)
    assert "| CR | paper | 3394 | 376 | 5542 |" in text
    assert "| 3394 | 376 | **5331**<sup>1</sup> |" in text
    assert "- 1: CR: " in text
    rows = list(csv.DictReader(io.StringIO(write_document(document.as_format("csv")))))
    found = {row["quantity"]: row["value"] for row in rows if row["part"] == "files"}
    assert found["train"] == str(EXPECTED["cr"]["train"])
    assert found["vocabulary"] == str(EXPECTED["cr"]["vocab_all"])


def test_what_cannot_be_counted() -> None:
    with pytest.raises(ConfigError, match="there are r52, ohsumed"):
        make_document(load_plan("datasets"), Records({}, {}), Recipe("datasets", "smoke", columns=("sst",)))
    thinned = make_plan("mine", "mine.yaml", {"title": "Mine", "kind": "datasets", "columns": ["trec@50"]})
    with pytest.raises(ConfigError, match="sharprecl doctor"):
        make_document(thinned, Records({}, {}), Recipe("mine", "smoke"))
