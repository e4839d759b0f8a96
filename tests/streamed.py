"""What tests of ``predict`` and ``embed`` share: trained classifiers, texts in files, and blocks of seven rows."""

import csv
import io
import json
import sys
from pathlib import Path

import polars as pl
import pytest

from sharprecl import TextClassifier
from sharprecl.cli import stream_source
from sharprecl.data import row_stream
from tiny import skewed_texts, tiny_encoder
from typed import Shell

TEXTS = skewed_texts(seed=2)[0][:20]
BLANK = 9


@pytest.fixture(scope="module")
def stream_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two trained classifiers, the second of which decides, and texts in files."""
    folder = tmp_path_factory.mktemp("streams")
    training = {"max_epochs": 2, "batch_size": 16, "learning_rate": 2e-3, "precision": "fp32"}
    settings = {"view": "dropout", "training": training, "encoder": {"max_length": 32}}
    encoder = tiny_encoder(folder / "encoder", mean_pooling=True)
    classifier = TextClassifier(encoder, config=settings).fit(*skewed_texts())
    classifier.save(folder / "run", text_column="body", label_column="queue")
    held_out = classifier.held_out_of(*skewed_texts(seed=1))
    classifier.decide(held_out=held_out, coverage=0.6, sets=0.8)
    classifier.save(folder / "decided", text_column="body", label_column="queue")
    rows = [{"nr": str(n), "body": "" if n == BLANK else text} for n, text in enumerate(TEXTS)]
    with (folder / "new.csv").open("w", newline="") as stream:
        table = csv.DictWriter(stream, ["nr", "body"], delimiter=";")
        table.writeheader()
        table.writerows(rows)
    (folder / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pl.DataFrame(rows).write_parquet(folder / "new.parquet")
    return folder


@pytest.fixture
def streamed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stream_folder: Path, tmp_path: Path
) -> Shell:
    """Runs ``sharprecl ARGUMENTS`` in a folder of its own with blocks of 7 rows; standard input may be given."""
    monkeypatch.chdir(tmp_path)
    for path in stream_folder.iterdir():
        (tmp_path / path.name).symlink_to(path)
    small_blocks(monkeypatch, 7)
    return Shell(monkeypatch, capsys)


def small_blocks(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    for module in (row_stream, stream_source):
        monkeypatch.setattr(module, "ROWS", rows)


def piped(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def expected(run: str = "run") -> list[str]:
    found = TextClassifier.load(run).predict(TEXTS).tolist()
    return [*found[:BLANK], "", *found[BLANK + 1 :]]
