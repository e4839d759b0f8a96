"""The plan of ``sharprecl compare``."""

from pathlib import Path

import pytest

from sharprecl.errors import ConfigError
from sharprecl.experiments.compare import compare_plan
from sharprecl.experiments.layout import Column
from sharprecl.experiments.plan_file import load_plan, make_plan, write_plan
from sharprecl.runs.spec import FLOOR


def test_methods_on_a_file() -> None:
    plan = compare_plan("data/mine.csv", ["cross_entropy", "bcl", "sharprecl"], seeds=5)
    assert (list(plan.rows), list(plan.columns), plan.compared) == (
        [FLOOR, "cross_entropy", "bcl", "sharprecl"],
        ["mine"],
        "sharprecl",
    )
    floor, *jobs = plan.jobs("small")
    assert len(jobs) == 3 * 5
    # It has no chance in it, so one run does for all seeds.
    assert (floor.row, floor.spec.settings, floor.spec.seed) == (FLOOR, {"method": {"name": "tfidf"}}, 0)
    assert {(job.spec.data, job.spec.ir, job.spec.train_cap) for job in jobs} == {("data/mine.csv", None, None)}
    # A user's texts may be in any language, so the second view is left to what can be had.
    assert all("view" not in job.spec.settings for job in jobs)


def test_methods_on_a_benchmark() -> None:
    plan = compare_plan("trec@50", ["dice", "focal"], seeds=1)
    assert plan.compared == "focal"
    assert [(job.column, job.spec.data, job.spec.ir) for job in plan.jobs("small")] == [("trec@50", "trec", 50.0)] * 3
    assert list(compare_plan("mine.csv", ["dice", "focal"], ir=20).columns) == ["mine@20"]


def test_settings_hold_for_all_methods() -> None:
    plan = compare_plan("mine.csv", ["dice", "focal"], seeds=1, settings={"encoder": {"max_length": 32}})
    assert [job.spec.settings.get("encoder") for job in plan.jobs("small")] == [
        None, *[{"max_length": 32, "trainable_layers": 2, "answer_precision": "auto"}] * 2
    ]  # fmt: skip


def test_columns_test_file_and_encoding_reach_the_run() -> None:
    given = {"text": "t", "label": "y", "test": "held.csv", "encoding": "cp1252"}
    column = compare_plan("mine.csv", ["dice", "focal"], **given).columns["mine"]
    assert column == Column(data="mine.csv", **given)
    assert column.of_a_file() == {"text_column": "t", "label_column": "y", "test": "held.csv", "encoding": "cp1252"}
    assert Column(data="mine.csv").of_a_file() == {}


def test_the_run_names_its_file_s_columns() -> None:
    (_, first, _) = compare_plan("mine.csv", ["dice", "focal"], text="t", label="y", test="held.csv", seeds=1).jobs(
        "small"
    )
    values = first.spec.to_json()
    assert (values["text_column"], values["label_column"], values["test"]) == ("t", "y", "held.csv")
    assert first.spec.hash != compare_plan("mine.csv", ["dice", "focal"], seeds=1).jobs("small")[1].spec.hash


def test_the_plan_s_file_asks_for_the_same_runs(tmp_path: Path) -> None:
    plan = compare_plan("mine.csv", ["dice", "tfidf", "focal"], seeds=2)
    write_plan(plan, tmp_path / "mine.yaml")
    again = load_plan(tmp_path / "mine.yaml")
    assert [job.spec for job in again.jobs("small", seeds=[1])] == [job.spec for job in plan.jobs("small", seeds=[1])]
    assert list(again.rows) == [FLOOR, "dice", "focal"]


def test_the_floor_has_nothing_to_set() -> None:
    with pytest.raises(ConfigError, match="tfidf has no settings"):
        make_plan(
            "mine", "mine.yaml", {"title": "", "columns": ["cr"], "rows": {"tfidf": {"settings": {"view": "dropout"}}}}
        )


@pytest.mark.parametrize("methods", [["dice"], ["dice", "dice"], []])
def test_too_little_to_compare(methods: list[str]) -> None:
    with pytest.raises(ConfigError, match="compare needs two methods or more beside tfidf, each once"):
        compare_plan("mine.csv", methods)


def test_no_such_data_or_method() -> None:
    with pytest.raises(ConfigError, match=r"'trex' is neither a file nor a benchmark \(did you mean 'trec'\?\)"):
        compare_plan("trex", ["dice", "focal"])
    with pytest.raises(ConfigError, match=r"rows\.focus\.method: there is no method 'focus'"):
        compare_plan("mine.csv", ["dice", "focus"])
