"""Files from Excel, through every command: what lacks something is set aside and told, and nothing else is lost."""

import csv
import json
from pathlib import Path

import pytest
import yaml

from sharprecl.data.tables import read_rows
from tiny import skewed_texts, tiny_encoder
from typed import Shell

TRAIN = ("train", "tickets.csv", "--text", "Text", "--label", "Queue", "--encoder", "encoder", "--method", "frozen",
         "--config", "run.yaml", "--folds", "0", "--output", "run")  # fmt: skip
CLASSES = ("billing", "access", "shipping", "hardware")
ASIDE = [["row", "line", "lacks"], ["3", "4", "text"], ["5", "6", "label"], ["66", "67", "text and label"]]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    """Runs ``sharprecl ARGUMENTS`` beside a messy file in cp1252 and its twin in UTF-8 with commas."""
    tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"encoder": {"max_length": 32}}))
    texts, labels = skewed_texts()
    rows = [[f"{text} Größe", f"{label} ü", "3,50"] for text, label in zip(texts, labels, strict=True)]
    rows[2][0], rows[4][1] = " ", ""
    rows.append(["", "", ""])
    for name, delimiter, encoding in (("tickets", ";", "cp1252"), ("held_out", ",", "utf-8-sig")):
        with (tmp_path / f"{name}.csv").open("w", newline="", encoding=encoding) as stream:
            csv.writer(stream, delimiter=delimiter).writerows([["Text", "Queue", "Price"], *rows])
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)


def listed(path: str) -> list[list[str]]:
    with Path(path).open(newline="", encoding="utf-8") as stream:
        return [row[1:] for row in csv.reader(stream)]


def test_rows_that_lack_something_are_set_aside_by_every_command(command: Shell) -> None:
    status, out, err = command(*TRAIN, "--test", "held_out.csv")
    assert status == 0, err
    assert "tickets.csv: its fields are separated by a semicolon" in out
    assert "tickets.csv is not UTF-8 and was read as cp1252 (Western Europe); are its accents right?" in out
    assert "tickets.csv: 1 row has no text: row 3 (line 4); 1 row has no label: row 5 (line 6); 1 row has nei" in out
    assert listed("run/set_aside.csv") == [*ASIDE, *ASIDE[1:]]
    judged = json.loads(Path("run/metrics.json").read_text())
    assert judged["evaluation"]["n_texts"] == 64
    assert "1 of 64 texts got no answer; they count as wrong" in judged["notes"]
    assert "64 texts, 4 classes" in out.replace("63 texts", "64 texts")

    status, out, err = command("evaluate", "run", "held_out.csv")
    assert status == 0, err
    assert listed("run/evaluations/held_out.csv/set_aside.csv") == ASIDE
    assert json.loads(Path("run/evaluations/held_out.csv/metrics.json").read_text())["evaluation"]["unanswered"] == 1

    status, out, err = command("predict", "run", "tickets.csv", "--output", "answers.csv", "--for-excel")
    assert status == 0, err
    assert "66 rows classified, 2 of them without an answer (left empty): answers.csv" in out
    assert listed("answers.csv.set_aside.csv") == [ASIDE[0], ASIDE[1], ["66", "67", "text"]]
    assert Path("answers.csv").read_bytes().startswith("\ufeffText;Queue;Price;predicted;confidence\n".encode())
    given, answered = read_rows("tickets.csv", "Text"), read_rows("answers.csv", "Text")
    added = [(row.pop("predicted"), row.pop("confidence")) for row in answered.records]
    assert answered.records == given.records
    assert [row for row, (label, chance) in enumerate(added, start=1) if not label and not chance] == [3, 66]
    assert {label for label, _ in added} <= {
        "",
        *(f"{name} ü" for name in ("billing", "access", "shipping", "hardware")),
    }


def test_a_workbook_goes_in_and_out(command: Shell) -> None:
    assert command(*TRAIN)[0] == 0
    assert command("predict", "run", "tickets.csv", "--output", "answers.xlsx")[0] == 0
    status, _, err = command("predict", "run", "answers.xlsx", "--output", "again.xlsx")
    assert (status, "already has the column(s) 'predicted' and 'confidence'" in err) == (2, True)
    assert read_rows("answers.xlsx", "Text").records[0]["Price"] == "3,50"


@pytest.mark.parametrize("arguments", [TRAIN, (*TRAIN[:-2], "--output", "new", "--test", "held_out.csv")])
def test_strict_refuses_them_before_anything_is_written(command: Shell, arguments: tuple[str, ...]) -> None:
    status, _, err = command(*arguments, "--strict")
    assert status == 2
    assert "1 row has no text: row 3 (line 4)" in err
    assert "--strict" in err
    assert not Path("run").exists()


def test_a_column_of_ids_is_refused_as_labels(command: Shell) -> None:
    status, _, err = command("train", "ids.csv", "--text", "Text", "--label", "Id", "--output", "run")
    assert status == 2
    with Path("ids.csv").open("w") as stream:
        csv.writer(stream).writerows([["Text", "Id"], *([f"text {n}", f"T-{n}"] for n in range(30))])
    status, _, err = command("train", "ids.csv", "--text", "Text", "--label", "Id", "--output", "run")
    assert (status, "30 different labels in 30 rows: column 'Id' hardly holds classes" in err) == (2, True)


def test_for_excel_needs_a_file_that_excel_opens(command: Shell) -> None:
    status, _, err = command("predict", "run", "tickets.csv", "--output", "answers.jsonl", "--for-excel")
    assert (status, "Excel opens .xlsx, .csv and .tsv, not answers.jsonl" in err) == (2, True)
