"""The overview of a wide table: each figure is the one that a plain loop gives."""

import pytest

from made_up_runs import made_up_plan, made_up_records
from sharprecl.experiments.comparisons import rank_lines
from sharprecl.experiments.document import Sheet
from sharprecl.experiments.formats import FORMATS, write_document
from sharprecl.experiments.overview import overview
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.published import printed
from sharprecl.experiments.recipe import Recipe
from sharprecl.experiments.results import make_table
from sharprecl.experiments.tables import make_document

COLUMNS = ["r52", "trec", "trec@50", "cr", "cr@50"]
SKILLS = {"cross_entropy": 0.5, "bcl": 0.72, "sharprecl": 0.75, "dice": 0.9, "ldam_drw": 0.6}


def sheet_of(plan: Plan, **how: object) -> Sheet | None:
    table = make_table(plan, made_up_records(plan, SKILLS, **how), "smoke")  # type: ignore[arg-type]
    return overview(table, {metric: rank_lines(table, metric) for metric in table.metrics})


def test_means_ranks_and_firsts_are_those_of_plain_loops() -> None:
    plan = made_up_plan(columns=COLUMNS)
    records = made_up_records(plan, SKILLS)
    sheet = sheet_of(plan)
    assert sheet is not None
    assert sheet.headings == (
        "Row",
        "Average rank",
        "Macro-F1",
        "Accuracy",
        "Balanced accuracy",
        "First in",
        "Farthest behind",
    )

    def mean(method: str, column: str, metric: str) -> float:
        found = [
            run.metrics[metric] or 0.0
            for run in records.runs.values()
            if run.data == f"data-{column}" and run.spec.settings["method"]["name"] == method
        ]
        return sum(found) / len(found)

    rows = {row[0].text: [entry.text for entry in row[1:]] for row in sheet.rows}
    for name, (_, *averages, _, _) in rows.items():
        for metric, shown in zip(("macro_f1", "accuracy", "balanced_accuracy"), averages, strict=True):
            assert float(shown) == pytest.approx(
                100 * sum(mean(name, column, metric) for column in COLUMNS) / len(COLUMNS), abs=0.051
            )
    gaps: dict[str, list[float]] = {name: [] for name in rows}
    for column in COLUMNS:
        f1 = {name: round(100 * mean(name, column, "macro_f1"), 1) for name in rows}
        for name in rows:
            gaps[name].append(max(f1.values()) - f1[name])
    assert {name: int(found[-2]) for name, found in rows.items()} == {name: gap.count(0) for name, gap in gaps.items()}
    assert {name: found[-1] for name, found in rows.items()} == {name: f"{max(gap):.1f}" for name, gap in gaps.items()}
    # TREC and CR count once each, though they have two columns.
    places: dict[str, list[float]] = {}
    for data in ("r52", "trec", "cr"):
        own = [column for column in COLUMNS if column.split("@")[0] == data]
        within = {
            name: sum(
                1
                + sum(
                    round(100 * mean(other, column, "macro_f1"), 1) > round(100 * mean(name, column, "macro_f1"), 1)
                    for other in rows
                )
                for column in own
            )
            for name in rows
        }
        for name in rows:
            better = sum(other < within[name] for other in within.values())
            ties = sum(other == within[name] for other in within.values())
            places.setdefault(name, []).append(better + (ties + 1) / 2)
    assert {name: found[0] for name, found in rows.items()} == {
        name: f"{sum(each) / 3:.2f}" for name, each in places.items()
    }
    ranks = [float(found[0]) for found in rows.values()]
    order = [(float(found[0]), -float(found[1])) for found in rows.values()]
    assert order == sorted(order)
    assert [row[1].best for row in sheet.rows] == [rank == min(ranks) for rank in ranks]


def test_a_row_that_lacks_a_column_is_left_out() -> None:
    plan = made_up_plan(columns=COLUMNS, rows=dict.fromkeys(["cross_entropy", "bcl", "sharprecl", "dice"]))
    sheet = sheet_of(plan, without=lambda job: job.row == "dice" and job.column != "cr")
    assert sheet is not None
    assert {row[0].text for row in sheet.rows} == {"cross_entropy", "bcl", "sharprecl"}


def test_a_table_of_few_columns_or_of_curves_has_none() -> None:
    assert sheet_of(made_up_plan(columns=COLUMNS[:3])) is None
    curve = {"vary": "method.mu", "method": "sharprecl", "values": [0.1, 0.5]}
    curves = {"sharprecl": curve, "bcl": {**curve, "vary": "method.temperature"}}
    assert sheet_of(made_up_plan(columns=COLUMNS, kind="curve", rows=curves)) is None
    assert sheet_of(made_up_plan(columns=COLUMNS), without=lambda job: job.row != "bcl") is None


def test_what_the_paper_prints_stands_beside() -> None:
    columns = ["trec", "trec@50", "trec@20", "cr"]
    rows = {"dice": {"paper": "BERT+Dice"}, "ldam_drw": {"beyond": True}}
    sheet = sheet_of(made_up_plan(columns=columns, paper="Table 2", rows=rows))
    assert sheet is not None
    assert sheet.headings[-1] == "Macro-F1 printed"
    cells = [
        float(one.text)
        for one in printed("Table 2")
        if (one.row, one.metric) == ("dice", "macro_f1") and one.column in columns
    ]
    shown = {row[0].text: row[-1].text for row in sheet.rows}
    assert float(shown["dice"]) == pytest.approx(sum(cells) / 4, abs=0.051)
    assert shown["ldam_drw"] == "\N{EN DASH}"


@pytest.mark.parametrize("name", ["markdown", "html", "latex"])
def test_it_stands_before_the_sheets_and_the_columns_sentences_are_folded(name: str) -> None:
    plan = made_up_plan(columns=COLUMNS)
    records = made_up_records(plan, SKILLS)
    text = write_document(make_document(plan, records, Recipe("mine", "smoke"), name))
    assert 0 < text.index("Over all 5 columns") < text.index("Accuracy")
    assert name in FORMATS
    if name != "latex":
        folded = text.index("<summary>Column by column</summary>")
        assert text.index("Balanced accuracy") < folded < text.index("r52: ")
