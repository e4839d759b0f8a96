"""Which figures a plan makes."""

import re
from dataclasses import replace

import numpy as np
import pytest

from made_up_runs import made_up_plan, made_up_records
from mirror import needs_mirror
from sharprecl.evaluation.ranks import rank_methods
from sharprecl.experiments.collection import Records
from sharprecl.experiments.figures import figures_of
from sharprecl.experiments.figures.distribution import data_sets, distribution, trained_on
from sharprecl.experiments.figures.ranks import average_ranks, rank_diagram
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.results import Table, make_table
from sharprecl.report.embedding import FEWEST_POINTS

SKILLS = {"cross_entropy": 0.6, "bcl": 0.7, "sharprecl": 0.8}


def table(**changes: object) -> Table:
    plan = made_up_plan(**changes)
    return make_table(plan, made_up_records(plan, SKILLS), "smoke")


def test_nothing_is_drawn_of_nothing() -> None:
    plan = made_up_plan()
    assert list(figures_of(make_table(plan, Records({}, {}), "smoke"), {})) == []


def test_ranks_need_data_sets_enough_to_tell_rows_apart() -> None:
    drawn = average_ranks(table(columns=["trec@50", "cr", "r52"]))
    assert drawn is not None
    assert re.findall(r">([^<>]*sharprecl[^<>]*)</text>", drawn.svg) == ["sharprecl  1.00 "]
    assert "over 3 columns of 3 data sets" in drawn.caption
    # Three rows over two data sets: the critical difference is 2.34, and ranks differ by 2 at most.
    assert average_ranks(table()) is None
    # Two ratios of one data set are one.
    assert average_ranks(table(columns=["trec@50", "trec@20", "cr"])) is None
    assert average_ranks(table(columns=["trec@50"])) is None


def test_the_diagram_shows_how_far_apart_ranks_must_be() -> None:
    ranking = rank_methods(["a", "b", "c"], [[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    drawn = rank_diagram("x", "Ranks", "smoke", ranking, "5 columns of 5 data sets", "c", "Scale smoke.")
    assert f"critical difference {ranking.critical_difference:.2f}" in drawn.svg
    assert drawn.caption.endswith("p = 0.050. Scale smoke.")


@pytest.mark.parametrize("methods", [2, 3, 18])
def test_every_method_stands_in_the_diagram_once(methods: int) -> None:
    names = [f"method {place}" for place in range(methods)]
    scores = np.arange(methods)[:, None] + np.zeros((1, 6))
    drawn = rank_diagram("x", "Ranks", "smoke", rank_methods(names, scores), "", names[0], "")
    for name in names:
        assert len(re.findall(rf">[^<>]*\b{name}(?!\d)[^<>]*</text>", drawn.svg)) == 1


def test_what_runs_were_trained_on() -> None:
    drawn = trained_on(table())
    assert drawn is not None
    assert "trec@50: 3 classes, ratio 12.5" in drawn.svg
    assert drawn.name == "mine-smoke-distribution"


def test_a_long_name_and_many_classes_leave_the_figures_whole() -> None:
    """A title that leaves its panel lost the end of the ratio."""
    name, count_C = "customer support tickets of both years", np.r_[1000, np.full(2000, 1)]
    drawn = distribution("x", "Sizes", "", {name: count_C}, "")
    words = re.findall(r">([^<>]+)</text>", drawn.svg)
    assert "customer support tickets of bot…" in words
    assert "2,001 classes, ratio 1,000.0" in words
    assert drawn.svg.count('id="patch_') < 100, "one object, not a bar a class"


def test_long_names_of_rows_are_folded() -> None:
    """Names of rows are anybody's: beyond the sheet's edge or over another panel's nobody can read them."""
    name = "sharprecl with larger hard sets and a second view of noise warmed up"
    columns = ["trec@50", "cr", "r52", "ohsumed"]
    plan = made_up_plan(rows={"cross_entropy": None, name: {"method": "bcl"}}, columns=columns)
    drawn = list(figures_of(make_table(plan, made_up_records(plan, {"cross_entropy": 0.5, name: 0.8}), "smoke"), {}))
    assert [one.name for one in drawn] == [
        f"mine-smoke-{kind}"
        for kind in ("ranks", "cost", *(f"frequency-{column.replace('@', '-')}" for column in columns))
    ]
    for one in drawn:
        words = re.findall(r">([^<>]*)</text>", one.svg)
        assert "sharprecl with larger" in " ".join(words)
        assert max(len(word) for word in words if "sharprecl" in word or "noise" in word) <= 38


def test_a_map_is_drawn_of_the_features_that_were_kept() -> None:
    plan = made_up_plan(kind="embedding", columns=["cr"], seeds=1)
    records = made_up_records(plan, SKILLS)
    data = records.data["data-cr"]
    # A third of the texts, so that the layout is quick.
    few = replace(data, gold=data.gold[:40])
    runs = {key: replace(run, answers=run.answers[:40]) for key, run in records.runs.items()}
    made = make_table(plan, Records(runs, {data.hash: few}), "smoke")
    generator = np.random.default_rng(0)
    mine = [key for key, run in runs.items() if run.config["method"]["name"] != "bcl"]
    features = {key: generator.normal(size=(40, 5)).astype(np.float16) for key in mine}
    (drawn,) = figures_of(made, features)
    words = re.findall(r">([^<>]+)</text>", drawn.svg)
    assert {"cross_entropy", "sharprecl", "many (150)", "some (60)", "few (12)"} <= set(words)
    assert "bcl" not in words
    assert "t-SNE of the encoders' vectors of the test texts of cr" in drawn.caption
    assert list(figures_of(made, {})) == []
    assert list(figures_of(made, {key: np.ones_like(x) for key, x in features.items()})) == []
    assert list(figures_of(made, {key: x * np.float16("nan") for key, x in features.items()})) == []
    assert list(figures_of(made, {key: x[: FEWEST_POINTS - 1] for key, x in features.items()})) == []


@needs_mirror
def test_the_data_sets_as_published() -> None:
    drawn = data_sets(load_plan("datasets"), ["trec"])
    assert drawn is not None
    assert "trec: 6 classes, ratio 14.5" in drawn.svg
    assert drawn.svg.count(" classes, ratio") == 1
    assert "scale" not in drawn.title
    assert drawn.name == "datasets-distribution"
