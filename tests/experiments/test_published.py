"""Printed figures: they stand where the shipped plans have cells, and the faults told of them are faults."""

from typing import Any

import pytest

from made_up_runs import made_up_records
from sharprecl.experiments.beside import beside, beside_sheet
from sharprecl.experiments.cells import METRICS, Line
from sharprecl.experiments.plan import SHIPPED, Plan, load_plan
from sharprecl.experiments.published import AVERAGE, LLM, MAIN, ODD, PRINTED, Printed
from sharprecl.experiments.tables import make_table

BY_PAPER = {plan.paper: plan for plan in map(load_plan, SHIPPED)}
EVERY = [(paper, printed) for paper, figures in PRINTED.items() for printed in figures]


def _reachable(text: str, n_texts: int, runs: int = 10) -> bool:
    """Whether a mean accuracy of so many runs can be printed so."""
    nearest = round(float(text) / 100 * n_texts * runs)
    return any(f"{100 * right / (n_texts * runs):.2f}" == text for right in (nearest - 1, nearest, nearest + 1))


@pytest.mark.parametrize(("paper", "printed"), EVERY, ids=lambda value: getattr(value, "text", value))
def test_figures_stand_in_the_shipped_plans(paper: str, printed: Printed) -> None:
    plan = BY_PAPER[paper]
    assert printed.row in plan.rows
    assert plan.rows[printed.row].paper
    assert printed.column in (AVERAGE, *plan.columns)
    assert printed.metric in METRICS
    assert 0 < printed.value < 1
    assert printed.remark or not printed.impossible


def test_each_stands_once_and_oddities_are_of_shipped_plans() -> None:
    places = [(paper, one.row, one.column, one.metric) for paper, one in EVERY]
    assert len(set(places)) == len(places)
    assert set(ODD) <= set(BY_PAPER)


def test_accuracies_that_no_ten_runs_give() -> None:
    told = " ".join(sentence for sentences in ODD.values() for sentence in sentences)
    for text in ("97.61", "94.21", "95.79", "94.29", "93.89"):
        assert not _reachable(text, 500)
        assert text in told
    for one in MAIN:
        if one.row == "sharprecl" and one.metric == "accuracy" and one.column in ("trec@10", "cr@10"):
            assert _reachable(one.text, {"trec@10": 500, "cr@10": 376}[one.column], runs=1)
            assert "one run" in one.remark


def test_table_3_is_table_2_at_ratio_10() -> None:
    main = {(one.column, one.metric): one.text for one in MAIN if one.row == "sharprecl"}
    ours = [one for one in LLM if one.row == "sharprecl"]
    assert len(ours) == 10
    for one in ours:
        assert one.impossible
        assert one.text == main[one.column.replace("@50", "@10"), one.metric]


def _table(plan: Plan, columns: tuple[str, ...] = (), **changes: Any) -> Any:
    return make_table(plan, made_up_records(plan, lambda job: 0.8, scale="small", **changes), "small", columns=columns)


def test_beside_what_was_measured() -> None:
    table = _table(load_plan("main"))
    found = {(pair.printed.row, pair.printed.column, pair.printed.metric): pair for pair in beside(table)}
    assert len(found) == len(MAIN)
    pair = found["dualcl", "ohsumed", "accuracy"]
    measured = table.means("accuracy", "ohsumed")[Line("dualcl")]
    assert pair.difference == pytest.approx(100 * measured - 26.44)
    average = found["cross_entropy", AVERAGE, "accuracy"]
    assert average.measured == pytest.approx(table.averages("accuracy")[Line("cross_entropy")])


def test_averages_stand_beside_averages_over_the_same_columns_only() -> None:
    part = _table(load_plan("main"), columns=("ohsumed",), without=lambda job: job.column != "ohsumed")
    assert {pair.printed.column for pair in beside(part)} == {"ohsumed"}


def test_cells_that_cannot_be_right_are_marked() -> None:
    sheet = beside_sheet(_table(load_plan("llm")))
    assert sheet is not None
    marked = {(row[0].text, row[1].text) for row in sheet.rows if "‡" in row[3].marks}
    assert marked == {("sharprecl", "trec@50"), ("bloom", "trec@50")}
    assert any("cannot be right" in note for note in sheet.notes)
    assert any("at the scale small encoder, epochs and texts are others" in note for note in sheet.notes)


def test_a_plan_of_one_s_own_has_no_printed_figures() -> None:
    plan = load_plan("main").model_copy(update={"paper": ""})
    assert beside_sheet(_table(plan, without=lambda job: job.column != "cr")) is None
