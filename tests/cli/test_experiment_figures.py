"""``sharprecl experiment figure`` and ``page``, as a user calls them."""

from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from made_up_runs import made_up_records
from sharprecl.cli.experiment.show import figure, page
from sharprecl.errors import ConfigError, DataError
from sharprecl.experiments.exported import Exported, write_exported
from sharprecl.experiments.plan_file import load_plan

APP = typer.Typer()
APP.command()(figure)
APP.command()(page)


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = {"title": "Two", "columns": ["trec@50"], "rows": {"bcl": None, "sharprecl": None}, "seeds": 2}
    Path("mine.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    records = made_up_records(load_plan("mine.yaml"), {"bcl": 0.7, "sharprecl": 0.9}, scale="small")
    write_exported(Path("runs.jsonl"), Exported(data=records.data, runs=records.runs))


def _run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(APP, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_figures_with_their_captions() -> None:
    code, said = _run("figure", "mine.yaml", "--results", "runs.jsonl", "--to", "drawn")
    assert code == 0
    assert sorted(path.name for path in Path("drawn").iterdir()) == [
        f"mine-small-{name}.{ending}" for name in ("cost", "frequency-trec-50") for ending in ("png", "svg")
    ]
    assert "drawn/mine-small-cost.svg drawn/mine-small-cost.png\n  Macro-F1 over the seconds" in said
    code, said = _run("figure", "mine.yaml", "--results", "runs.jsonl", "--to", "part", "--rows", "bcl", "--seeds", "1")
    assert [path.stem for path in sorted(Path("part").iterdir())] == ["mine-small-frequency-trec-50"] * 2
    assert "Scale small: minilm, 1 seed." in said


def test_a_page_of_what_there_is() -> None:
    code, said = _run("page", "mine.yaml", "llm", "--results", "runs.jsonl", "--to", "web", "--title", "Ours")
    assert code == 0
    assert "llm: no finished runs at the scale small, left out" in said
    assert "web/index.html: 1 plan, 2 figures" in said
    assert "<h1>Ours</h1>" in Path("web/index.html").read_text("utf-8")
    assert "--results runs.jsonl" in Path("web/index.md").read_text("utf-8")


def test_a_page_of_some_columns() -> None:
    code, _ = _run("page", "mine.yaml", "--results", "runs.jsonl", "--columns", "trec@50", "--to", "web")
    assert code == 0
    assert "table mine.yaml --scale small --columns trec@50 --results" in Path("web/index.md").read_text("utf-8")
    # A misspelt name must not read like a column without runs.
    with pytest.raises(ConfigError, match=r"none of these plans has a column 'trec@5' \(did you mean 'trec@50'"):
        _run("page", "mine.yaml", "--results", "runs.jsonl", "--columns", "trec@5", "--to", "web")


def test_plans_that_others_ran_a_part_of_are_shown_only_where_they_are_named() -> None:
    runs = load_plan("main").jobs("small", columns=["trec@50"], seeds=[0])
    records = made_up_records(load_plan("main"), lambda _: 0.8, scale="small", without=lambda job: job not in runs)
    write_exported(Path("runs.jsonl"), Exported(data=records.data, runs=records.runs))
    code, said = _run("page", "--results", "runs.jsonl", "--to", "web")
    assert code == 0
    assert "ablation: only runs that other plans made, left out; name it to see them" in said
    assert "Table 2" in Path("web/index.md").read_text("utf-8")
    assert "Table 4" not in Path("web/index.md").read_text("utf-8")
    _run("page", "main", "ablation", "--results", "runs.jsonl", "--to", "named")
    assert "Table 4" in Path("named/index.md").read_text("utf-8")


def test_nothing_to_show() -> None:
    code, said = _run("figure", "mine.yaml", "--results", "runs.jsonl", "--scale", "smoke")
    assert code == 1
    assert "mine: no finished runs to draw at the scale smoke" in said
    assert not Path("figures").exists()
    with pytest.raises(DataError, match="nothing to show at the scale smoke"):
        _run("page", "mine.yaml", "--results", "runs.jsonl", "--scale", "smoke", "--to", "web")
    with pytest.raises(ConfigError, match="there is no plan 'mein'"):
        _run("figure", "mein", "--results", "runs.jsonl")
    with pytest.raises(DataError, match="holds no runs"):
        _run("figure", "mine.yaml")


@pytest.mark.parametrize("words", [("--rows", "bcl"), ("--seeds", "0")])
def test_data_sets_have_no_rows_and_seeds(words: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match="the plan datasets counts data and has no runs; leave --rows and --seeds"):
        _run("figure", "datasets", *words)


def test_a_data_set_that_the_plan_has_not() -> None:
    with pytest.raises(ConfigError, match="'trex' is no column of datasets; there are r52, "):
        _run("figure", "datasets", "--columns", "trex")
