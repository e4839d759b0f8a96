"""What a table comes to, in words for strangers: each figure is the one that a plain loop gives."""

import re

from made_up_runs import N_TEXTS, made_up_plan, made_up_records
from sharprecl.experiments.collection import Records
from sharprecl.experiments.comparisons import compare_rows
from sharprecl.experiments.headline import headline
from sharprecl.experiments.plan import Plan
from sharprecl.experiments.results import make_table

SKILLS = {"cross_entropy": 0.5, "bcl": 0.84, "sharprecl": 0.85}
SIZES = f"(222 training and {N_TEXTS} test texts of 3 classes)"


def said(plan: Plan, records: Records) -> tuple[str, ...]:
    table = make_table(plan, records, "smoke")
    return headline(table, compare_rows(table))


def means(records: Records, column: str) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for run in records.runs.values():
        if run.data == f"data-{column}":
            found.setdefault(run.spec.settings["method"]["name"], []).append(100 * run.metrics["macro_f1"])
    return {name: sum(values) / len(values) for name, values in found.items()}


def test_what_who_how_much_and_how_sure() -> None:
    plan = made_up_plan(columns=["trec@50"])
    records = made_up_records(plan, SKILLS)
    by_method = means(records, "trec@50")
    (first, best), (_, second), _ = sorted(by_method.items(), key=lambda pair: -pair[1])
    behind = f"sharprecl is behind by {best - by_method['sharprecl']:.1f} points." if first != "sharprecl" else None
    assert said(plan, records) == tuple(
        filter(
            None,
            (
                f"3 methods, trained 3 times each, on trec@50 {SIZES}.",
                f"Best: {first} ({best:.1f}, {best - second:.1f} points ahead of the next).",
                behind,
                "With 95 % confidence the best is better than 1 of the other 2; the rest may be as good.",
            ),
        )
    )


def test_winners_that_change_with_the_data_are_named_by_column() -> None:
    plan = made_up_plan()
    records = made_up_records(
        plan, lambda job: 0.9 if (job.row, job.column) in {("bcl", "trec@50"), ("sharprecl", "cr")} else 0.5
    )
    _, winners, behind, sure = said(plan, records)
    assert winners.startswith("None is best everywhere: bcl on trec@50 (")
    assert " and sharprecl on cr (" in winners
    gap = means(records, "trec@50")["bcl"] - means(records, "trec@50")["sharprecl"]
    assert behind == f"sharprecl is behind by {gap:.1f} points on trec@50."
    assert "better than 2 of the other 2 on trec@50 and 2 of the other 2 on cr" in sure


def test_many_columns_are_counted_and_ranked() -> None:
    columns = ["r52", "ohsumed", "trec", "dblp", "biomedical", "cr", "cr@50"]
    plan = made_up_plan(columns=columns)
    # On six of the seven, one method is always right.
    better = {column: "bcl" if column == "trec" else "sharprecl" for column in columns}
    records = made_up_records(plan, lambda job: 1.0 if better[job.column] == job.row else 0.3)
    by_column = {column: means(records, column) for column in columns}
    table = make_table(plan, records, "smoke")
    sentences = headline(table, compare_rows(table))
    assert sentences[0] == "3 methods, trained 3 times each, on 7 settings of 6 data sets."
    assert sentences[1] == (
        "Best average rank over 7 columns of 6 data sets, each data set counted once: sharprecl 1.17, then bcl 1.83."
    )
    assert sentences[2].startswith("That all are alike has p = 0.0")
    assert sentences[3] == "First most often, alone or tied: sharprecl (in 6 of 7 columns)."
    shown = {name: {column: round(of[name], 1) for column, of in by_column.items()} for name in plan.rows}
    gaps = {name: max(max(f1[c] for f1 in shown.values()) - shown[name][c] for c in columns) for name in plan.rows}
    ours = gaps.pop("sharprecl")
    (least, low), *_, (most, high) = sorted(gaps.items(), key=lambda pair: pair[1])
    assert sentences[4] == (
        f"sharprecl is first in 6, significantly behind the best in 1, and nowhere more than {ours:.1f} points behind "
        f"it; the others are by up to {low:.1f} ({least}) to {high:.1f} ({most})."
    )
    assert len(sentences) == 5
    # Where the compared row is neither first nor second, its place is told.
    last = made_up_records(plan, {"cross_entropy": 0.7, "bcl": 0.9, "sharprecl": 0.3})
    table = make_table(plan, last, "smoke")
    found = headline(table, compare_rows(table))
    assert found[1].endswith("cross_entropy 2.00; sharprecl 3.00 is number 3 of 3.")
    assert found[3] == "First most often, alone or tied: bcl (in 7 of 7 columns)."
    assert found[4].startswith("sharprecl is first in 0, significantly behind the best in 7, and nowhere more than ")
    pair = make_table(plan, last, "smoke", rows=["bcl", "sharprecl"])
    assert re.search(
        r"more than \d\d\.\d points behind it; bcl is by up to 0\.0\.$", headline(pair, compare_rows(pair))[4]
    )
    best = made_up_plan(columns=columns, compared="bcl")
    table = make_table(best, last, "smoke")
    assert (
        "bcl is first in 7, significantly behind the best in 0, and nowhere behind it; the others are by up to "
        in (headline(table, compare_rows(table))[4])
    )
    # A row of a single column is first there, and in no count.
    wider = made_up_plan(columns=columns, rows=dict.fromkeys(["cross_entropy", "bcl", "sharprecl", "dice"]))
    records = made_up_records(
        wider,
        lambda job: 1.0 if better[job.column] == job.row or job.row == "dice" else 0.3,
        without=lambda job: job.row == "dice" and job.column != "cr",
    )
    table = make_table(wider, records, "smoke")
    found = headline(table, compare_rows(table))
    assert (found[0], *found[3:]) == (sentences[0], *sentences[3:])
    assert "without the 1 row that is not complete in all of them" in found[1]
    # Where no row has all columns nothing is ranked, and the columns are told one by one.
    rows = list(plan.rows)
    apart = made_up_records(plan, SKILLS, without=lambda job: job.row == rows[columns.index(job.column) % 3])
    table = make_table(plan, apart, "smoke")
    assert headline(table, compare_rows(table))[0].startswith("3 methods, trained 3 times each, on r52 (")


def test_of_several_curves_it_is_told_how_far_each_moves_the_mean() -> None:
    rows = {
        "mu": {"method": "sharprecl", "vary": "method.mu", "values": [0, 0.5, 1]},
        "tau": {"method": "sharprecl", "vary": "method.temperature", "values": [0.1, 0.3]},
    }
    columns = ["r52", "trec", "cr"]
    plan = made_up_plan(kind="curve", rows=rows, columns=columns)
    records = made_up_records(plan, lambda job: 0.5 + (job.x or 0) / 3)
    table = make_table(plan, records, "smoke")
    found = headline(table, compare_rows(table))
    assert found[0] == "5 values, trained 3 times each, on 3 settings of 3 data sets."

    def mean(row: str, x: float) -> float:
        (line,) = (line for line in table.lines if (line.row, line.x) == (row, x))
        f1 = [run.metrics["macro_f1"] for column in columns for run in table.cells[line, column].runs.values()]
        return 100 * sum(f1) / len(f1)

    assert found[1].startswith(f"Mean macro-F1 lies between {mean('mu', 0):.1f} (mu = 0) and {mean('mu', 1):.1f} (mu")
    assert " p = " in found[1]
    # Two values are too few for the test.
    ends = f"between {mean('tau', 0.1):.1f} (tau = 0.1) and {mean('tau', 0.3):.1f} (tau = 0.3)"
    assert found[2:] == (f"Mean macro-F1 lies {ends}.",)
    alone = make_table(plan, records, "smoke", seeds=[0])
    assert headline(alone, compare_rows(alone))[-1] == "Of other trainings nothing is known."
    # Over a single column there is no mean.
    single = make_table(plan, records, "smoke", columns=["cr"])
    assert headline(single, compare_rows(single)) == ()


def test_a_single_training_tells_nothing_of_others() -> None:
    plan = made_up_plan(columns=["cr"], seeds=1)
    found = said(plan, made_up_records(plan, SKILLS))
    assert "trained once each" in found[0]
    assert found[-1].endswith("of other trainings nothing is known.")


def test_nothing_is_said_where_nothing_is_compared() -> None:
    plan = made_up_plan(columns=["cr"])
    assert said(plan, made_up_records(plan, SKILLS, without=lambda job: job.row != "bcl")) == ()
    half = made_up_records(plan, SKILLS, without=lambda job: job.row != "bcl" and job.seed == 2)
    assert said(plan, half) == ()
