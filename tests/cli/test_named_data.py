"""A benchmark's name wherever a command takes a file; thinning and leaks by option."""

import json
from pathlib import Path

import pytest
import yaml

from sharprecl.data import benchmarks
from sharprecl.data.imbalance import imbalanced_subset
from sharprecl.data.tables import read_table
from tiny import skewed_texts, tiny_encoder
from typed import Shell

SETTINGS = {
    "encoder": {"max_length": 32},
    "view": "dropout",
    "training": {"max_epochs": 1, "batch_size": 16, "learning_rate": 2e-3},
}


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Runs ``sharprecl ARGUMENTS`` where 'trec' is a small table whose test part holds two training texts."""
    train = read_table(skewed_texts())
    texts, labels = skewed_texts(seed=1)
    test = read_table(
        ([*texts, train.texts[0], train.texts[1].upper()], [*labels, train.label_names[train.label_ids[0]], labels[0]]),
        label_names=train.label_names,
    )

    def load(name: str, ir: float | None = None, **_: object) -> benchmarks.Benchmark:
        if name == "cr":
            other = read_table((["good", "bad"], ["positive", "negative"]))
            return benchmarks.Benchmark(name, other, other)
        assert name == "trec"
        return benchmarks.Benchmark(name, train if ir is None else imbalanced_subset(train, ir), test)

    monkeypatch.setattr(benchmarks, "load_benchmark", load)
    monkeypatch.chdir(tmp_path)
    tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(SETTINGS))

    typed = Shell(monkeypatch, capsys)

    def run(*arguments: str) -> tuple[int, str, str]:
        status, out, err = typed(*arguments)
        return status, " ".join(out.split()), " ".join(err.split())

    return run


TRAIN = ("train", "trec", "--encoder", "encoder", "--config", "run.yaml", "--output", "run")


def notes_of(path: Path) -> list[str]:
    return json.loads((path / "metrics.json").read_text())["notes"]


def test_a_benchmark_is_trained_judged_and_classified_by_name(command, tmp_path: Path) -> None:
    status, out, err = command(*TRAIN, "--ir", "4")
    assert status == 0, err
    assert "trec at ratio 4: " in out
    assert "67 texts" in out, "its own test texts judge it"
    leaks = "2 of 67 test texts also stand in training (1 letter for letter, 1 of these with the same label)"
    assert leaks in out
    assert any(note.startswith(leaks) for note in notes_of(tmp_path / "run"))

    status, out, err = command("evaluate", "run", "trec")
    assert status == 0, err
    assert "2 of 67 texts also stand in the training data (rows 66 and 67)" in out
    status, out, err = command("evaluate", "run", "trec", "--drop-leaks")
    assert status == 0, err
    assert "65 texts" in out
    assert "were left out" in notes_of(tmp_path / "run" / "evaluations" / "trec-without-leaks")[-1]
    assert "were left out" not in notes_of(tmp_path / "run" / "evaluations" / "trec")[-1]
    status, _, err = command("evaluate", "run", "cr")
    assert status == 2
    assert "cr has classes that this classifier does not know ('negative' and 'positive')" in err

    status, _, err = command("predict", "run", "trec", "--output", "answers.jsonl")
    assert status == 0, err
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert len(rows) == 67
    assert {"text", "label", "predicted", "confidence"} == set(rows[0])

    before = (tmp_path / "answers.jsonl").read_bytes()
    for data, sentence in (("trec", "answers.jsonl is there already"), ("answers.jsonl", "is the file that is read")):
        status, _, err = command("predict", "run", data, "--output", "answers.jsonl")
        assert status == 2
        assert sentence in err
    assert (tmp_path / "answers.jsonl").read_bytes() == before
    status, _, err = command("predict", "run", "trec", "--output", "answers.jsonl", "--overwrite")
    assert status == 0, err

    status, out, _ = command(*TRAIN, "--ir", "4", "--resume")
    assert (status, "nothing to resume" in out) == (0, True)
    status, _, err = command(*TRAIN, "--ir", "4", "--resume", "--drop-leaks")
    assert status == 2
    assert "judged on other test texts" in err

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").write_text("mine")
    status, _, err = command("evaluate", "run", "trec", "--output", "mine")
    assert status == 2
    assert "was not written by an evaluation" in err
    assert (tmp_path / "mine" / "report.html").read_text() == "mine"
    for _ in range(2):
        status, _, err = command("evaluate", "run", "trec", "--output", "elsewhere")
        assert status == 0, err

    (tmp_path / "run" / "training.seen").unlink()
    status, _, err = command("evaluate", "run", "trec", "--drop-leaks")
    assert status == 2
    assert "does not know its training texts" in err
    status, out, _ = command("evaluate", "run", "trec")
    assert status == 0
    assert "training texts are not known" in out


def test_leaks_are_left_out_when_asked_for(command, tmp_path: Path) -> None:
    status, out, err = command(*TRAIN, "--drop-leaks")
    assert status == 0, err
    assert "65 texts" in out
    assert "2 test texts that also stand in training left out" in notes_of(tmp_path / "run")


def test_a_file_is_thinned_too(command, tmp_path: Path) -> None:
    texts, labels = skewed_texts()
    rows = [json.dumps({"text": text, "label": label}) for text, label in zip(texts, labels, strict=True)]
    (tmp_path / "own.jsonl").write_text("\n".join(rows) + "\n")
    status, out, err = command(*TRAIN[:1], "own.jsonl", *TRAIN[2:], "--ir", "100")
    assert status == 0, err
    thinned = imbalanced_subset(read_table((texts, labels)), 100)
    assert f"own.jsonl at ratio 100: {len(thinned)} texts" in out
    assert len(thinned) < len(texts)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("train", "trecc", "-o", "run"), "'trecc' is neither a file nor a benchmark (did you mean 'trec'?)"),
        (("train", "TREC", "-o", "run"), "did you mean 'trec'?"),
        (("train", "no/such/thing", "-o", "run"), "no/such/thing does not exist"),
        (("train", "own.csv", "-o", "run", "--drop-leaks"), "own.csv does not exist"),
        ((*TRAIN, "--ir", "0.5"), "the imbalance ratio is 0.5"),
        ((*TRAIN, "--test", "own.csv"), "trec brings its own test texts; leave --test out"),
    ],
)
def test_what_is_no_data_gets_a_sentence(command, arguments: tuple[str, ...], sentence: str) -> None:
    status, _, err = command(*arguments)
    assert status == 2
    assert sentence in err


def test_leaks_without_test_texts_are_no_question(command, tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("text,label\none,a\ntwo,b\n")
    status, _, err = command("train", "own.csv", "-o", "run", "--drop-leaks")
    assert status == 2
    assert "--drop-leaks needs test texts; give them with --test FILE" in err
