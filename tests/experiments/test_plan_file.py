"""A plan goes through a file unchanged."""

from pathlib import Path

import pytest

from made_up_runs import made_up_plan
from sharprecl.experiments.compare import compare_plan
from sharprecl.experiments.plan_file import SHIPPED, load_plan, write_plan


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_plans(name: str, tmp_path: Path) -> None:
    plan, path = load_plan(name), tmp_path / f"{name}.yaml"
    write_plan(plan, path)
    read = load_plan(path)
    assert read.model_copy(update={"origin": plan.origin}) == plan
    assert list(read.rows) == list(plan.rows)
    assert list(read.columns) == list(plan.columns)


def test_a_comparison_asks_for_the_same_runs(tmp_path: Path) -> None:
    plan = compare_plan(
        "ä b/mine.csv", ["dice", "focal"], text="t", label="y", test="held.csv", encoding="cp1252", ir=20, seeds=2,
        settings={"encoder": {"max_length": 32}},
    )  # fmt: skip
    write_plan(plan, tmp_path / "compare.yaml")
    read = load_plan(tmp_path / "compare.yaml")
    assert read.jobs("small") == plan.jobs("small")
    assert (read.name, read.title, read.compared) == (plan.name, plan.title, plan.compared)


def test_a_plan_that_compares_no_row_does_not_begin_to(tmp_path: Path) -> None:
    plan = made_up_plan(compared=None)
    write_plan(plan, tmp_path / "mine.yaml")
    assert load_plan(tmp_path / "mine.yaml").compared is None
