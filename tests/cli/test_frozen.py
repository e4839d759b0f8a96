"""``sharprecl train --method frozen``, and the same figures as the reference beside another method."""

import csv
import json
from pathlib import Path

import pytest

from tiny import skewed_texts, tiny_encoder
from typed import Shell

FIGURES = ("metrics.json", "environment.json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    for name, seed in (("tickets.csv", 0), ("held_out.csv", 1)):
        with (tmp_path / name).open("w", newline="") as stream:
            csv.writer(stream).writerows([("body", "queue"), *zip(*skewed_texts(seed=seed), strict=True)])
    return tmp_path


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Shell:
    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


def test_a_frozen_encoder_trains_in_one_pass(command: Shell, folder: Path) -> None:
    """Its figures on all texts are those of the reference beside other methods."""
    words = ("train", "tickets.csv", "--text", "body", "--label", "queue", "--encoder", "encoder", "--max-length", "32")
    frozen = (*words, "--method", "frozen", "--test", "held_out.csv")
    status, out, err = command(*frozen, "--output", "runs/frozen", "--set", "training.select_on=last")
    assert status == 0, err
    assert "the frozen encoder reads 65 texts once" in out
    assert "step" not in out
    assert "reference:" not in out
    metrics, environment = (json.loads((folder / "runs/frozen" / name).read_text()) for name in FIGURES)
    assert list(metrics["references"]) == ["TF-IDF + logistic regression"]
    assert (metrics["training"]["steps"], environment["precision"]) == (0, "fp32")
    assert (folder / "runs/frozen/model/model.safetensors").exists()
    plain = ("--method", "cross_entropy", "--max-epochs", "1", "--test", "held_out.csv", "--output", "runs/plain")
    status, _, err = command(*words, *plain)
    assert status == 0, err
    trained = json.loads((folder / "runs/plain/metrics.json").read_text())["references"]
    assert trained["frozen encoder + logistic regression"] == metrics["evaluation"]
    status, out, err = command(*frozen[:-2], "--output", "runs/held", "--set", "training.select_on=validation")
    assert status == 0, err
    assert "epoch 1: validation macro-F1" in out
    assert "(nothing was chosen on them)" in out
    status, _, err = command(*frozen, "--output", "runs/epochs", "--max-epochs", "2")
    assert (status, "training.max_epochs says nothing to frozen, which takes no training steps" in err) == (2, True)
