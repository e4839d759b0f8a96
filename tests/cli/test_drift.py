"""``sharprecl drift`` as a user types it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from sharprecl import TextClassifier
from sharprecl.data.tables import read_table
from sharprecl.runs.reference import FILE, Reference
from tiny import skewed_texts, tiny_encoder
from typed import Shell

COUNTS = {"billing": 60, "access": 40, "shipping": 30}


def write(path: Path, texts: list[str]) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("body",), *((text,) for text in texts)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    train = read_table(skewed_texts(COUNTS))
    classifier = TextClassifier(encoder, max_epochs=4, batch_size=8, learning_rate=2e-3, max_length=32, view="dropout")
    test = read_table(skewed_texts(COUNTS, seed=1), label_names=train.label_names)
    classifier.fit(train)
    for name, held_out in (("run", True), ("learnt", False)):
        classifier.save(folder / name, text_column="body")
        Reference.of(classifier, test, held_out=held_out, origin="held_out.csv").save(folder / name / FILE)
    classifier.save(folder / "plain", text_column="body")
    write(folder / "same.csv", skewed_texts(COUNTS, seed=2)[0])
    write(folder / "few.csv", skewed_texts(COUNTS, seed=2)[0][:49])
    strange = [f"zebra {'quark ' * (number % 7)}the lynx" for number in range(60)]
    write(folder / "strange.csv", [*skewed_texts(COUNTS, seed=3)[0][:60], "", *strange])
    return folder


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Shell:
    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


def test_texts_of_the_same_stream_raise_no_alarm(command: Shell) -> None:
    status, out, err = command("drift", "run", "same.csv")
    assert status == 0, err
    assert "no drift found in 130 texts with 130 of held_out.csv" in out
    assert "DRIFT" not in out
    assert "class shares" in out, "the estimated prior"


def test_strange_texts_are_listed_by_their_rows(command: Shell) -> None:
    status, out, err = command("drift", "run", "strange.csv", "--json")
    assert status == 0, err
    found = json.loads(out)
    assert found["drift"]
    assert {"unknown tokens", "unknown-like", "embeddings"} <= {
        fact for fact, row in found["facts"].items() if row["drifts"]
    }
    # Row 61 has no text.
    far = np.array(found["unknown_like_rows"])
    assert (far > 61).mean() > 0.9
    status, out, _ = command("drift", "run", "strange.csv")
    assert "DRIFT in 120 texts" in out
    assert f"row {far[0]}: 'zebra" in out


def test_what_the_classifier_learnt_from_is_compared_in_part(command: Shell) -> None:
    status, out, err = command("drift", "learnt", "same.csv", "--json")
    assert status == 0, err
    found = json.loads(out)
    assert set(found["facts"]) == {"length", "truncated", "unknown tokens", "token length"}
    assert "--reference FILE" in found["left_out"]
    status, out, err = command("drift", "learnt", "same.csv", "--reference", "same.csv", "--json")
    assert status == 0, err
    assert all(row["p"] > 0.5 for row in json.loads(out)["facts"].values()), "the very same texts"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "few.csv"], "few.csv holds 49 texts, and with under 50 nothing can be told"),
        (["run", "same.csv", "--reference", "few.csv"], "few.csv holds 49 texts"),
        (["plain", "same.csv"], "give texts of the stream as it should be with --reference FILE"),
        (["run", "same.csv", "--text", "words"], "has no column 'words'"),
    ],
)
def test_what_cannot_be_told_is_said_in_one_sentence(command: Shell, words: list[str], sentence: str) -> None:
    status, _, err = command("drift", *words)
    assert (status, sentence in " ".join(err.split())) == (2, True), err
