"""``sharprecl add-class`` as a user types it."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import transformers as tf

from sharprecl import TextClassifier
from sharprecl.data.fingerprints import SEEN, write_fingerprints
from sharprecl.data.tables import read_table
from sharprecl.runs.reference import FILE, Reference
from tiny import skewed_texts, tiny_encoder
from typed import Shell

NEW = "hardware"


def write(path: Path, rows: list[tuple[str, str]]) -> None:
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([("body", "queue"), *rows])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    for name, seed in (("tickets", 0), ("held_out", 1)):
        rows = list(zip(*skewed_texts({"billing": 40, "access": 24, "shipping": 20, NEW: 12}, seed), strict=True))
        write(folder / f"{name}.csv", [row for row in rows if row[1] != NEW])
        write(folder / f"{name}_new.csv", [row for row in rows if row[1] == NEW][:8])
        write(folder / f"{name}_all.csv", rows)
    return folder


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path) -> Shell:
    monkeypatch.chdir(folder)
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def run(folder: Path) -> Path:
    """What ``sharprecl train --test`` leaves, as far as this command reads it."""
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    train = read_table(folder / "tickets.csv", "body", "queue")
    classifier = TextClassifier(encoder, max_epochs=4, batch_size=8, learning_rate=2e-3, max_length=32, view="dropout")
    classifier.fit(train).save(folder / "run", text_column="body", label_column="queue")
    write_fingerprints(folder / "run" / SEEN, train)
    test = read_table(folder / "held_out.csv", "body", "queue", label_names=train.label_names)
    Reference.of(classifier, test, held_out=True, origin="held_out.csv").save(folder / "run" / FILE)
    return folder / "run"


def add(command: Shell, *words: str) -> tuple[str, str]:
    status, out, err = command("add-class", "run", *words)
    assert status == 0, err
    return " ".join(out.split()), err


def test_a_class_is_added_and_the_source_stays(command: Shell, run: Path, folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    out, _ = add(command, "tickets_new.csv", "--on", "held_out_all.csv", "--output", "added")
    assert {path.name: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    old, new = TextClassifier.load(run, "cpu"), TextClassifier.load("added", "cpu")
    assert new.classes_.tolist() == ["access", "billing", NEW, "shipping"]
    assert new.class_counts_.tolist() == [24, 40, 8, 20]
    texts, labels = skewed_texts({"billing": 40, "access": 24, "shipping": 20, NEW: 12}, seed=1)
    np.testing.assert_allclose(new.scores(texts)[:, [0, 1, 3]], old.scores(texts), rtol=1e-5, atol=1e-5)
    found = new.predict(texts)
    assert new.prior_.sum() == pytest.approx(1)
    assert new.known_prior_.sum() == pytest.approx(1)

    told = json.loads((folder / "added" / "added.json").read_text())
    (row,) = told["new"]
    # 12 of the file, and those that the run remembers of its test texts are of known classes.
    assert (row["texts"], row["judged_texts"]) == (8, 12)
    assert row["judged_found"] == (found[np.asarray(labels) == NEW] == NEW).sum()
    assert f"'{NEW}': 8 texts, {row['found_left_out']} of them are found by a row that is made of the others" in out
    assert {row["name"] for row in told["old"]} == {"access", "billing", "shipping"}
    assert sum(row["texts"] for row in told["old"]) == 2 * 84
    assert "mean recall of 3 known classes:" in out

    stock = tf.AutoModelForSequenceClassification.from_pretrained("added/model")
    assert stock.config.id2label == dict(enumerate(new.classes_))
    for sub in ("metrics.json", "report.html", "scores.npz"):
        assert not (folder / "added" / sub).exists(), "they are figures of another model"


def test_a_second_class_comes_on_top(command: Shell, run: Path, folder: Path) -> None:
    rows = [("the screen is not broken", "praise"), ("please help the bank", "praise"), ("never a price", "other")]
    write(folder / "two.csv", rows)
    out, _ = add(command, "tickets_new.csv", "--output", "one")
    status, out, err = command("add-class", "one", "two.csv", "--output", "both")
    assert status == 0, err
    assert "'other': 1 text, a single text, so nothing tells whether others would be found" in " ".join(out.split())
    both = TextClassifier.load("both", "cpu")
    assert both.classes_.tolist() == ["access", "billing", NEW, "other", "praise", "shipping"]
    one = TextClassifier.load("one", "cpu")
    texts, _ = skewed_texts(seed=3)
    np.testing.assert_allclose(both.scores(texts)[:, [0, 1, 2, 5]], one.scores(texts), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("rows", "words", "sentence"),
    [
        ([("a card", "billing")], [], "has no label that the classifier does not know"),
        ([("a card", "Billing")], [], "which the classifier knows as 'billing'; write it so"),
        ([("a card", "new"), ("A card!", "billing")], [], "have the same text with the labels 'new' and 'billing'"),
        ([("", "new"), ("a card", "billing")], [], "has no text of 'new'"),
        ([("", "new")], [], "are the right columns named"),
        ([("a card", "new")], ["--output", "run"], "is there already and is not replaced"),
        ([("a card", "new")], ["--label", "kind"], "has no column 'kind'"),
        ([("a card", "new")], ["--on", "strange.csv"], "that the model does not know: 'strange'"),
    ],
)
def test_what_cannot_be_added_is_said_in_one_sentence(
    command: Shell, run: Path, folder: Path, rows: list[tuple[str, str]], words: list[str], sentence: str
) -> None:
    write(folder / "more.csv", rows)
    write(folder / "strange.csv", [("a box", "strange")])
    status, _, err = command("add-class", "run", "more.csv", *words)
    assert (status, sentence in " ".join(err.split())) == (2, True), err
    assert not (folder / "run-grown").exists()


def test_without_what_the_run_remembers_old_texts_must_be_given(command: Shell, run: Path, folder: Path) -> None:
    TextClassifier.load(run, "cpu").save(folder / "plain", text_column="body", label_column="queue")
    status, _, err = command("add-class", "plain", "tickets_new.csv")
    assert (status, "give some with --replay, such as the training file" in err) == (2, True)
    status, out, err = command("add-class", "plain", "tickets_new.csv", "--replay", "tickets.csv")
    assert status == 0, err
    assert "what these lose is not known; give some with --on FILE" in " ".join(out.split())
    assert NEW in TextClassifier.load("plain-grown", "cpu").classes_


def test_a_bar_learnt_without_the_class_is_dropped(command: Shell, run: Path, folder: Path) -> None:
    classifier = TextClassifier.load(run, "cpu")
    texts, labels = skewed_texts({"billing": 40, "access": 24, "shipping": 20}, seed=5)
    held_out = classifier.held_out_of(texts, labels)
    classifier.decide(held_out=held_out, coverage=0.9).save(folder / "sure", text_column="body", label_column="queue")
    status, out, err = command("add-class", "sure", "tickets_new.csv", "--replay", "tickets.csv")
    assert status == 0, err
    assert "are dropped; learn them anew with 'sharprecl decide --on FILE'" in " ".join(out.split())
    grown = TextClassifier.load("sure-grown", "cpu")
    assert not grown.policy_.abstains
    old = classifier.scores(texts)
    np.testing.assert_allclose(grown.scores(texts)[:, [0, 1, 3]], old, rtol=1e-5, atol=1e-5)
