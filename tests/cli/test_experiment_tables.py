"""``sharprecl experiment table`` and ``verify``, as a user calls them."""

import json
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from made_up_runs import made_up_records
from sharprecl.cli.experiment.exchange import verify
from sharprecl.cli.experiment.show import table
from sharprecl.errors import ConfigError, DataError
from sharprecl.experiments.exported import Exported, write_exported
from sharprecl.experiments.plan_file import load_plan
from sharprecl.experiments.store import Store

APP = typer.Typer()
APP.command()(table)
APP.command()(verify)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a plan, runs in a file, and the same runs in a store."""
    monkeypatch.chdir(tmp_path)
    values = {"title": "Three", "columns": ["trec@50"], "rows": {"bcl": None, "sharprecl": None}, "seeds": 2}
    Path("mine.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    records = made_up_records(load_plan("mine.yaml"), {"bcl": 0.7, "sharprecl": 0.9}, scale="small")
    write_exported(Path("runs.jsonl"), Exported(data=records.data, runs=records.runs))
    store = Store(Path("results"))
    for data in records.data.values():
        store.add_data(data)
    for key, run in records.runs.items():
        store.run(key).finish(run)
    return tmp_path


def _run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(APP, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.mark.usefixtures("results")
def test_a_table_is_the_same_from_a_folder_and_from_a_file() -> None:
    code, shown = _run("table", "mine.yaml")
    assert code == 0
    assert "sharprecl has the best macro-F1" in shown
    assert "sharprecl experiment table mine.yaml --scale small --format markdown" in shown
    assert _run("table", "mine.yaml", "--results", "runs.jsonl") == (0, shown)
    _, part = _run("table", "mine.yaml", "--rows", "bcl", "--seeds", "1", "--format", "csv")
    assert "sharprecl,trec@50" not in part
    assert ",bcl,trec@50,1,score," in part


@pytest.mark.usefixtures("results")
def test_verify_passes_what_is_whole_and_fails_what_is_not() -> None:
    for name in ("markdown", "csv"):
        assert _run("table", "mine.yaml", "--format", name, "--to", f"docs/mine.{name}")[0] == 0
    options = ["--table", "docs/mine.markdown", "--table", "docs/mine.csv"]
    code, said = _run("verify", "results", "runs.jsonl", *options)
    assert (code, said) == (0, "4 runs, 1 data set, 2 tables: all is as computed anew\n")
    answers = next(Path("results/runs").glob("*/*/answers.json"))
    values = json.loads(answers.read_text())
    answers.write_text(json.dumps([(values[0] + 1) % 3, *values[1:]]))
    code, said = _run("verify", "results", *options)
    assert code == 1
    assert "accuracy is kept as" in said
    assert "made from other runs" in said
    assert "docs/mine.csv, line" in said
    code, said = _run("verify", "results", "runs.jsonl")
    assert (code, "holds other answers" in said) == (1, True)


@pytest.mark.usefixtures("results")
def test_what_is_refused() -> None:
    with pytest.raises(ConfigError, match="there is no format"):
        _run("table", "mine.yaml", "--format", "pdf")
    with pytest.raises(ConfigError, match="seeds are whole numbers"):
        _run("table", "mine.yaml", "--seeds", "a")
    with pytest.raises(ConfigError, match="there is no 'blc'"):
        _run("table", "mine.yaml", "--rows", "blc")
    with pytest.raises(DataError, match="holds no runs"):
        _run("table", "mine.yaml", "--results", "nowhere")
