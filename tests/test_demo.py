"""The demo's way through its four rows, on a small stand-in for R52 and MiniLM."""

import json
from pathlib import Path

import pytest

from sharprecl import demo
from sharprecl.data.benchmarks import Benchmark
from sharprecl.data.tables import read_table
from sharprecl.errors import ConfigError
from sharprecl.runs.judge import FLOOR
from sharprecl.training.history import Callback
from tiny import skewed_texts, tiny_encoder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    train = read_table(skewed_texts())
    test = read_table(skewed_texts(seed=1), label_names=train.label_names)
    monkeypatch.setattr(demo, "load_benchmark", lambda name: Benchmark(name, train, test))
    encoder = {"name": tiny_encoder(tmp_path / "encoder", mean_pooling=True), "max_length": 32}
    training = {"max_epochs": 2, "batch_size": 16, "patience": None}
    monkeypatch.setattr(demo, "SETTINGS", {"encoder": encoder, "training": training, "view": "dropout"})
    return tmp_path / "demo"


def run(output: Path, resume: bool = False) -> tuple[demo.DemoResult, list[str]]:
    said: list[str] = []
    found = demo.run_demo(
        output, cap=20, seed=0, resume=resume, make_callback=Callback, show=lambda table: None, say=said.append
    )
    return found, said


def test_four_rows_on_the_same_test_texts(small: Path) -> None:
    found, said = run(small)
    frozen = "frozen encoder + logistic regression"
    assert list(found.evaluations) == ["SharpReCL", FLOOR, frozen, "cross-entropy"]
    assert {evaluation.n_texts for evaluation in found.evaluations.values()} == {65}
    assert [sentence.partition(":")[0] for sentence in said] == [f"{number} of 4" for number in (1, 2, 3, 4)]
    references = {small: [FLOOR, frozen, "cross-entropy"], small / "cross_entropy": [FLOOR, frozen]}
    for folder, names in references.items():
        assert (folder / "model" / "model.safetensors").exists()
        assert list(json.loads((folder / "metrics.json").read_text())["references"]) == sorted(names)
        page = (folder / "report.html").read_text()
        assert all(name in page for name in names)


def test_a_finished_demo_is_judged_again_and_not_trained_again(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = run(small)
    before = (small / "model" / "model.safetensors").stat().st_mtime_ns
    monkeypatch.setattr(demo, "train", lambda *_: pytest.fail("trained again"))
    again, _ = run(small, resume=True)
    assert again.evaluations["SharpReCL"].to_dict() == first.evaluations["SharpReCL"].to_dict()
    assert (small / "model" / "model.safetensors").stat().st_mtime_ns == before


def test_a_demo_replaces_a_demo_and_nothing_else(small: Path) -> None:
    run(small)
    run(small)
    other = small.parent / "mine"
    other.mkdir()
    (other / "history.jsonl").write_text("{}\n")
    with pytest.raises(ConfigError, match="was cut off"):
        run(other)
    assert (other / "history.jsonl").read_text() == "{}\n"
