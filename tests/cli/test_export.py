"""``sharprecl export`` as a user types it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from sharprecl import TextClassifier
from sharprecl.data.fingerprints import SEEN, write_fingerprints
from sharprecl.data.tables import read_table
from tiny import skewed_texts, tiny_encoder
from typed import Shell


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    settings = {"max_epochs": 12, "batch_size": 8, "learning_rate": 2e-3, "max_length": 32, "view": "dropout"}
    texts, labels = skewed_texts()
    TextClassifier(encoder, **settings).fit(texts, labels).save(folder / "run")
    write_fingerprints(folder / "run" / SEEN, read_table((texts, labels)))
    for name, rows in (
        ("train.csv", zip(texts, labels, strict=True)),
        ("test.csv", zip(*skewed_texts(seed=1), strict=True)),
    ):
        with (folder / name).open("w", newline="") as stream:
            csv.writer(stream).writerows([("text", "label"), *rows])
    return folder


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Shell:
    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "nothing to export; give --onnx"),
        (("--int8",), "name labelled texts that the classifier was not trained on with --on FILE"),
        (("--onnx", "--on", "test.csv"), "add --int8 or leave --on out"),
        (("--int8", "--on", "train.csv"), "the classifier was trained on every text"),
        (("--onnx", "--to", "encoder"), "holds something else than an export"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    command: Shell, folder: Path, words: tuple[str, ...], sentence: str
) -> None:
    before = sorted(folder.rglob("*"))
    status, _, err = command("export", "run", *words)
    assert status == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_export_and_predict_from_the_export(command: Shell, folder: Path) -> None:
    assert command("export", "run", "--onnx")[1].splitlines() == ["exported  run/onnx"]
    status, out, err = command("export", "run", "--onnx", "--int8", "--on", "test.csv")
    assert status == 0, err
    assert "int8 on test.csv, 65 texts: " in out
    certificate = json.loads((folder / "run" / "int8" / "certificate.json").read_text())
    assert certificate["passed"]
    assert certificate["evaluated_on"] == "test.csv, 65 texts"
    for model in ("run", "run/onnx", "run/int8"):
        status, _, err = command("predict", model, "test.csv", "-o", f"{Path(model).name}.csv", "--probabilities")
        assert status == 0, err
    answers, chances = {}, {}
    for name in ("run", "onnx", "int8"):
        with (folder / f"{name}.csv").open() as stream:
            rows = list(csv.DictReader(stream))
        answers[name] = [row["predicted"] for row in rows]
        chances[name] = np.array([[float(row[key]) for key in row if key.startswith("probability")] for row in rows])
    assert answers["onnx"] == answers["run"]
    assert abs(chances["onnx"] - chances["run"]).max() < 1e-5 + 1e-6  # written with six digits
    assert np.mean(np.array(answers["int8"]) == np.array(answers["run"])) == certificate["agreement"]
    assert abs(chances["int8"] - chances["run"]).max() == pytest.approx(certificate["largest_difference"], abs=2e-6)
