"""``sharprecl doctor --fix``: from the spreadsheet as people keep it to a trained model."""

import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from doctor_files import clean_rows, write
from tiny import skewed_texts, tiny_encoder
from typed import Shell

COLUMNS = ("--text", "body", "--label", "queue")
ENCODER = ("--encoder", "encoder")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    """Runs ``sharprecl ARGUMENTS`` in a folder with a tiny encoder and a messy spreadsheet."""
    tiny_encoder(tmp_path / "encoder", mean_pooling=True)
    texts, labels = skewed_texts()
    rows = [(f"{number:03}", text, label) for number, (text, label) in enumerate(zip(texts, labels, strict=True))]
    rows[3] = (*rows[3][:2], f"{rows[3][2].upper()} ")
    rows += [("900", rows[0][1] + " ", rows[0][2]), ("901", rows[1][1], "hardware"), ("902", "", "billing")]
    rows += [("903", "refund my order", ""), ("", "", ""), ("id", "body", "queue")]
    names = ("id", "body", "queue")
    frame = pl.DataFrame([dict(zip(names, row, strict=True)) for row in rows])
    frame.write_excel(tmp_path / "tickets.xlsx")
    texts, labels = skewed_texts(seed=1)
    write(tmp_path / "held_out.csv", list(zip(texts, labels, strict=True)))
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)


def printed(out: str, start: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if line.startswith(start)]
    return shlex.split(line)[1:]


def test_from_a_messy_spreadsheet_to_answers_by_the_printed_commands(command: Shell, tmp_path: Path) -> None:
    status, out, err = command("doctor", "tickets.xlsx", *COLUMNS, *ENCODER, "--test", "held_out.csv")
    assert status == 0, err
    assert "'billing' and 'BILLING␠'" in out.replace("\n         ", " ") or "'BILLING␠' and 'billing'" in out
    status, out, err = command(*printed(out, "sharprecl doctor"))
    assert status == 0, err
    rows = sum(len(part) for part in skewed_texts()[1:]) + 6
    assert f"{rows} rows = " in out
    assert "rows for review: equal texts, several labels" in out
    assert "left in tickets.cleaned.xlsx" in out
    again = printed(out, "sharprecl doctor")
    review = pl.read_excel("tickets.cleaned.review.xlsx")
    decided = review.with_columns(
        decision=pl.when(pl.col("label") == "hardware").then(pl.lit("drop")).otherwise(pl.lit("keep"))
    )
    decided.write_excel("tickets.cleaned.review.xlsx")
    status, out, err = command(*again)
    assert status == 0, err
    assert "for review" not in out.partition("cleaned + ")[2].partition("\n")[2].partition("left in")[0]
    assert "--review" not in out
    train = printed(out, "sharprecl train")
    assert train[1] == "tickets.cleaned.xlsx"
    status, out, err = command(*train, "--max-epochs", "1")
    assert status == 0, err
    assert "set aside" not in out
    assert command("evaluate", "runs/tickets.cleaned", "held_out.csv")[0] == 0
    assert command("predict", "runs/tickets.cleaned", "tickets.cleaned.xlsx", "-o", "answers.csv")[0] == 0
    answers = pl.read_csv("answers.csv", infer_schema=False)
    assert answers.columns[:3] == ["id", "body", "queue"]
    assert answers["id"][0] == "000"


def test_json_and_page_tell_of_the_fix(command: Shell, tmp_path: Path) -> None:
    files = ("--fix", "cleaned.csv", "--json", "found.json", "--html", "page.html")
    status, out, err = command("doctor", "tickets.xlsx", *COLUMNS, *ENCODER, *files)
    assert status == 0, err
    assert out.endswith("output   cleaned.csv\nchanges  cleaned.changes.csv\nreview   cleaned.review.csv\n")
    found = json.loads((tmp_path / "found.json").read_text())
    sums = found["fixed"]
    assert sums["rows"] == found["rows"] == sums["cleaned"] + sums["taken_out"] + sums["for_review"]
    assert found["left"]["rows"] == sums["cleaned"]
    assert {finding["severity"] for finding in found["left"]["findings"]} >= {"note"}
    assert " --review cleaned.review.csv --overwrite" in found["recommendation"]["first"]
    assert "train cleaned.csv" in found["recommendation"]["command"]
    page = (tmp_path / "page.html").read_text()
    for words in ("<h2>Fixed</h2>", "rows = ", "BILLING␠", "cleaned.review.csv"):
        assert words in page


def test_too_little_left_to_train_on_is_said(command: Shell, tmp_path: Path) -> None:
    write(tmp_path / "torn.csv", [("one text", "a"), ("one text", "b")])
    status, out, err = command("doctor", "torn.csv", *COLUMNS, *ENCODER, "--fix", "cleaned.csv")
    assert status == 0, err
    assert "2 rows = 0 cleaned + 0 taken out + 2 for review" in out
    assert "left: cleaned.csv" in out
    assert "sharprecl train" not in out
    assert "--review cleaned.review.csv" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("held_out.csv", "--fix", "held_out.csv", "--overwrite"), "is the data itself, which is never changed"),
        (("tickets.xlsx", "--test", "held_out.csv", "--fix", "held_out.csv", "--overwrite"), "is the data itself"),
        (("held_out.csv", "--fix", "cleaned.csv", "--json", "cleaned.changes.csv"), "would be written twice"),
        (("held_out.csv", "--fix", "cleaned.txt"), "unknown ending '.txt'"),
        (("held_out.csv", "--review", "review.csv"), "add --fix FILE"),
        (("held_out.csv", "--fix", "cleaned.csv", "--review", "none.csv"), "none.csv does not exist"),
        (("r52", "--fix", "cleaned.csv"), "r52 is a benchmark"),
    ],
)
def test_what_cannot_be_is_one_sentence(command: Shell, tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    status, out, err = command("doctor", *arguments, *COLUMNS, *ENCODER)
    assert (status, out) == (2, "")
    assert words in err.splitlines()[-1]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def test_a_clean_file_needs_no_fix(command: Shell, tmp_path: Path) -> None:
    write(tmp_path / "good.csv", clean_rows(20))
    status, out, err = command("doctor", "good.csv", *COLUMNS, *ENCODER)
    assert status == 0, err
    assert "--fix" not in out
    assert "sharprecl train good.csv" in out


def test_leaks_are_said_and_stay(command: Shell, tmp_path: Path) -> None:
    rows = clean_rows(20)
    write(tmp_path / "train.csv", rows)
    held_out = write(tmp_path / "test.csv", [*rows[:2], *clean_rows(5, seed=1)])
    before = held_out.read_bytes()
    status, out, err = command("doctor", "train.csv", *COLUMNS, *ENCODER, "--test", "test.csv", "--fix", "cleaned.csv")
    assert status == 0, err
    assert "80 rows = 80 cleaned + 0 taken out + 0 for review" in out
    assert "problem: 2 of 22 test texts stand in training" in out
    assert "train cleaned.csv --text body --label queue --test test.csv --output runs/cleaned --drop-leaks" in out
    assert held_out.read_bytes() == before
