"""The demo's way through its four rows, on a small stand-in for R52 and MiniLM."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from sharprecl.cli import demo_run
from sharprecl.data.benchmarks import Benchmark
from sharprecl.data.tables import read_table
from sharprecl.errors import ConfigError
from sharprecl.evaluation.judge import Evaluation
from sharprecl.runs.spec import FLOOR
from tiny import skewed_texts, tiny_encoder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    train = read_table(skewed_texts())
    test = read_table(skewed_texts(seed=1), label_names=train.label_names)
    monkeypatch.setattr(demo_run, "load_benchmark", lambda name: Benchmark(name, train, test))
    encoder = {"name": tiny_encoder(tmp_path / "encoder", mean_pooling=True), "max_length": 32}
    training = {"max_epochs": 2, "batch_size": 16, "patience": None}
    monkeypatch.setattr(demo_run, "SETTINGS", {"encoder": encoder, "training": training, "view": "dropout"})
    return tmp_path / "demo"


@pytest.fixture
def run(small: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs the demo in a folder; gives the rows of its table and what it said."""
    shown: list[dict[str, Evaluation]] = []
    monkeypatch.setattr(demo_run, "show_judged", lambda console, evaluations, on: shown.append(evaluations))

    def run(output: Path, resume: bool = False) -> tuple[dict[str, Evaluation], list[str]]:
        console = Console(file=io.StringIO())
        demo_run.run_demo(console, output, cap=20, seed=0, resume=resume)
        return shown[-1], console.file.getvalue().splitlines()

    return run


def test_four_rows_on_the_same_test_texts(run, small: Path) -> None:
    rows, said = run(small)
    frozen = "frozen encoder + logistic regression"
    assert list(rows) == ["SharpReCL", FLOOR, frozen, "cross-entropy"]
    assert {evaluation.n_texts for evaluation in rows.values()} == {65}
    assert [line[:6] for line in said if line[1:5] == " of "] == [f"{number} of 4" for number in (1, 2, 3, 4)]
    references = {small: [FLOOR, frozen, "cross-entropy"], small / "cross_entropy": [FLOOR, frozen]}
    for folder, names in references.items():
        assert (folder / "model" / "model.safetensors").exists()
        assert list(json.loads((folder / "metrics.json").read_text())["references"]) == sorted(names)
        page = (folder / "report.html").read_text()
        assert all(name in page for name in names)


def test_a_finished_demo_is_judged_again_and_not_trained_again(
    run, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = run(small)
    before = (small / "model" / "model.safetensors").stat().st_mtime_ns
    monkeypatch.setattr(demo_run, "train", lambda *_: pytest.fail("trained again"))
    again, _ = run(small, resume=True)
    assert again["SharpReCL"].to_dict() == first["SharpReCL"].to_dict()
    assert (small / "model" / "model.safetensors").stat().st_mtime_ns == before


def test_a_demo_replaces_a_demo_and_nothing_else(run, small: Path) -> None:
    run(small)
    run(small)
    other = small.parent / "mine"
    other.mkdir()
    (other / "history.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match="was cut off"):
        run(other)
    assert (other / "history.jsonl").read_text() == "{}\n"
