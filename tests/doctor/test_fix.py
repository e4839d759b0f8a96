"""A fix does what it says, to whole files or to none, and tells every row of it."""

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from doctor_files import TOPICS, clean_rows, write
from sharprecl.data.dialect import Dialect
from sharprecl.data.tables import read_table
from sharprecl.doctor import fix as module
from sharprecl.doctor.fix import Fixed, fix, paths_of
from sharprecl.doctor.issues import label_errors
from sharprecl.errors import ConfigError, DataError

ROWS = [
    ("1", "my card was charged", "Billing"),
    ("2", "reset my password", "access"),
    ("3", " my card was charged ", "Billing "),
    ("4", "", "access"),
    ("5", "the parcel is late", "shipping"),
    ("6", "The parcel is late!", "access"),
    ("7", "my cafe\u0301 card", "Billing"),
    ("8", "my caf\u00e9 card", "billing"),
    ("id", "body", "queue"),
    ("10", "My card was charged", "Billing"),
    ("11", "no label here", ""),
    ("12", "the Parcel is late", "shipping"),
]


def table(path: Path, rows: list[tuple[str, ...]] = ROWS, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([("id", "body", "queue"), *rows])
    return path


def lines(path: Path | str, delimiter: str = ",") -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def fixed(source: Any, output: Path, **options: Any) -> Fixed:
    return fix(source, output, "body", "queue", **options)


def decide(path: Path | str, decisions: dict[int, str]) -> Path:
    """The review file as a person leaves it."""
    rows = lines(path)
    for row in rows:
        row["decision"] = decisions.get(int(row["row"]), "")
    with Path(path).open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return Path(path)


def test_everything_that_a_rule_can_mend_is_mended_and_told(tmp_path: Path) -> None:
    source = table(tmp_path / "tickets.csv")
    before = source.read_bytes()
    done = fixed(source, tmp_path / "cleaned.csv")
    assert source.read_bytes() == before
    assert [tuple(row.values()) for row in lines(done.output)] == [
        ("1", "my card was charged", "Billing"),
        ("2", "reset my password", "access"),
        ("7", "my cafe\u0301 card", "Billing"),
        ("10", "My card was charged", "Billing"),
    ]
    assert (done.rows, done.cleaned, done.taken_out, done.for_review) == (12, 4, 5, 3)
    assert done.lines == [
        "12 rows = 4 cleaned + 5 taken out + 3 for review",
        "2 labels merged into their most frequent spelling",
        "2 repeats taken out",
        "3 rows that cannot be used taken out",
        "3 rows for review: equal texts, several labels",
        "4 labels were not examined: there is too little to learn from",
    ]
    told = [(row["row"], row["line"], row["what"], row["before"], row["after"]) for row in lines(done.changes)]
    assert told == [
        ("3", "4", "label merged", "Billing ", "Billing"),
        ("3", "4", "taken out: repeat", "my card was charged", ""),
        ("4", "5", "taken out: unusable", "", ""),
        ("5", "6", "for review: contradiction", "shipping", "shipping"),
        ("6", "7", "for review: contradiction", "access", "shipping"),
        ("8", "9", "label merged", "billing", "Billing"),
        ("8", "9", "taken out: repeat", "my caf\u00e9 card", ""),
        ("9", "10", "taken out: unusable", "body", ""),
        ("11", "12", "taken out: unusable", "no label here", ""),
        ("12", "13", "for review: contradiction", "shipping", "shipping"),
    ]
    whys = {row["row"]: row["why"] for row in lines(done.changes)}
    assert whys["3"] == "has the text and the label of row 1"
    assert whys["4"] == "has no text in column 'body'"
    assert whys["9"] == "repeats the header"
    assert whys["12"] == "equal texts have several labels: row 5 'shipping', row 6 'access' and row 12 'shipping'"
    assert [
        (row["row"], row["label"], row["suggested label"], row["text"], row["decision"]) for row in lines(done.review)
    ] == [
        ("5", "shipping", "shipping", "the parcel is late", ""),
        ("6", "access", "shipping", "The parcel is late!", ""),
        ("12", "shipping", "shipping", "the Parcel is late", ""),
    ]
    assert len(read_table(done.output, "body", "queue")) == 4


def test_equal_input_gives_equal_files(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        source = table(tmp_path / name / "tickets.csv")
        done = fixed(source, tmp_path / name / "cleaned.csv")
        found.append([path.read_bytes() for path in paths_of(Path(done.output))])
    assert found[0] == found[1]


def test_decisions_are_carried_out_and_what_nobody_decided_stays_aside(tmp_path: Path) -> None:
    source = table(tmp_path / "tickets.csv")
    first = fixed(source, tmp_path / "cleaned.csv")
    review = decide(first.review, {5: "Keep ", 6: "SHIPPING", 12: ""})
    given = review.read_bytes()
    done = fixed(source, tmp_path / "cleaned.csv", review=review, overwrite=True)
    assert review.read_bytes() == given, "a person's work is not written over"
    assert (done.rows, done.cleaned, done.taken_out, done.for_review) == (12, 6, 5, 1)
    assert done.review == str(review)
    assert [tuple(row.values()) for row in lines(done.output)][2:4] == [
        ("5", "the parcel is late", "shipping"),
        ("6", "The parcel is late!", "shipping"),
    ]
    (told,) = [row for row in lines(done.changes) if row["what"] == "label decided"]
    assert (told["row"], told["before"], told["after"]) == ("6", "access", "shipping")
    decide(review, {5: "access", 6: "class: access", 12: "drop"})
    done = fixed(source, tmp_path / "all.csv", review=review)
    assert (done.cleaned, done.for_review, done.review) == (6, 0, "")
    assert not paths_of(tmp_path / "all.csv")[2].exists()
    assert done.counts["taken out: decided"] == 1


def test_rows_that_become_repeats_by_a_decision_are_taken_out(tmp_path: Path) -> None:
    rows = [("1", "the parcel is late", "shipping"), ("2", "the parcel is late", "access"), ("3", "card", "billing")]
    source = table(tmp_path / "tickets.csv", rows)
    first = fixed(source, tmp_path / "cleaned.csv")
    assert (first.cleaned, first.for_review) == (1, 2)
    review = decide(first.review, {1: "access", 2: "keep"})
    done = fixed(source, tmp_path / "cleaned.csv", review=review, overwrite=True)
    assert [row["id"] for row in lines(done.output)] == ["1", "3"]
    assert lines(done.changes)[-1]["why"] == "has the text and the label of row 1"


@pytest.mark.parametrize(("delimiter", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16"), (";", "cp1252")])
def test_a_review_file_is_known_again_whatever_excel_made_of_it(tmp_path: Path, delimiter: str, encoding: str) -> None:
    rows = [*ROWS, ("13", "das P\u00e4ckchen fehlt", "\u00dcbersee"), ("14", "das P\u00e4ckchen fehlt", "access")]
    source = table(tmp_path / "tickets.csv", rows)
    first = fixed(source, tmp_path / "cleaned.csv")
    found = [{**row, "row": f"{row['row']}.0", "decision": "\u00dcbersee"} for row in reversed(lines(first.review))]
    saved = tmp_path / "review.csv"
    with saved.open("w", encoding=encoding, newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow([name.upper() for name in found[0]])
        writer.writerows([row.values() for row in found])
        writer.writerow([""] * len(found[0]))
    done = fixed(source, tmp_path / "done.csv", review=saved)
    assert done.for_review == 0
    assert {row["queue"] for row in lines(done.output)} == {"Billing", "access", "\u00dcbersee"}


def test_a_workbook_comes_with_workbooks(tmp_path: Path) -> None:
    frame = pl.DataFrame([dict(zip(("id", "body", "queue"), row, strict=True)) for row in ROWS])
    frame.write_excel(tmp_path / "tickets.xlsx")
    done = fixed(tmp_path / "tickets.xlsx", tmp_path / "cleaned.xlsx")
    assert [path.name for path in map(Path, (done.changes, done.review))] == [
        "cleaned.changes.xlsx",
        "cleaned.review.xlsx",
    ]
    assert done.rows == done.cleaned + done.taken_out + done.for_review == 12
    assert len(read_table(done.output, "body", "queue")) == 4


def test_the_separator_of_the_file_is_kept(tmp_path: Path) -> None:
    rows = [tuple(cell.replace("\u0301", "") for cell in row) for row in ROWS]
    source = table(tmp_path / "tickets.csv", rows, delimiter=";", encoding="cp1252")
    done = fixed(source, tmp_path / "cleaned.csv")
    assert len(lines(done.output, ";")) == 5
    assert len(lines(done.review, ";")) == 3
    done = fixed(source, tmp_path / "tabs.tsv")
    assert len(lines(done.output, "\t")) == 5
    assert len(lines(fixed(done.output, tmp_path / "commas.csv").output)) == 5
    given = fixed(done.output, tmp_path / "given.csv", dialect=Dialect(separator="tab"))
    assert len(lines(given.output, "\t")) == 5, "so that one --separator is true of the cleaned and the test file"


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        ({5: "shiping"}, r"row 5 is 'shiping', which is no class of the file \(did you mean 'shipping'\?\)"),
        ({}, "holds no decision yet; write keep, drop"),
    ],
)
def test_decisions_that_are_none(tmp_path: Path, decisions: dict[int, str], words: str) -> None:
    source = table(tmp_path / "tickets.csv")
    review = decide(fixed(source, tmp_path / "cleaned.csv").review, decisions)
    with pytest.raises(DataError, match=words):
        fixed(source, tmp_path / "done.csv", review=review)


def test_a_review_of_another_file_or_none_at_all(tmp_path: Path) -> None:
    source = table(tmp_path / "tickets.csv")
    first = fixed(source, tmp_path / "cleaned.csv")
    review = decide(first.review, {6: "drop"})
    other = table(tmp_path / "other.csv", ROWS[1:])
    with pytest.raises(DataError, match=r"decides on row 6, which is not as it was in .*other.csv"):
        fixed(other, tmp_path / "done.csv", review=review)
    with pytest.raises(DataError, match="no column 'row', so it is no review file"):
        fixed(source, tmp_path / "done.csv", review=source)
    text = review.read_text()
    review.write_text("\n".join(line for line in text.splitlines() if not line.startswith("12,")))
    with pytest.raises(DataError, match="lacks row 12 of the rows for review; put back"):
        fixed(source, tmp_path / "cleaned.csv", review=review, overwrite=True)
    review.write_text(text.replace("6,", "six,", 1))
    with pytest.raises(DataError, match="is 'six', not a number"):
        fixed(source, tmp_path / "done.csv", review=review)
    review.write_text(f"{text}{text.splitlines()[2].replace('drop', 'keep')}\n")
    with pytest.raises(DataError, match="decides on row 6 in two ways"):
        fixed(source, tmp_path / "done.csv", review=review)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    source = table(tmp_path / "tickets.csv")
    with pytest.raises(ConfigError, match="is the data itself"):
        fixed(source, source, overwrite=True)
    first = fixed(source, tmp_path / "cleaned.csv")
    with pytest.raises(ConfigError, match="is there already"):
        fixed(source, tmp_path / "cleaned.csv")
    assert fixed(source, tmp_path / "cleaned.csv", overwrite=True) == first
    decide(first.review, {6: "drop"})
    with pytest.raises(ConfigError, match="holds decisions, which would be lost"):
        fixed(source, tmp_path / "cleaned.csv", overwrite=True)
    Path(first.review).write_text("my own notes")
    with pytest.raises(ConfigError, match="holds decisions"):
        fixed(source, tmp_path / "cleaned.csv", overwrite=True)
    assert Path(first.review).read_text() == "my own notes"


def test_all_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = table(tmp_path / "tickets.csv")
    write_rows, calls = module.write_rows, []

    def fail(*arguments: Any, **options: Any) -> None:
        calls.append(arguments)
        if len(calls) == 3:
            raise DataError("the disk is full")
        write_rows(*arguments, **options)

    monkeypatch.setattr(module, "write_rows", fail)
    with pytest.raises(DataError, match="full"):
        fixed(source, tmp_path / "cleaned.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["tickets.csv"]


def test_a_review_file_that_is_not_needed_any_more_goes(tmp_path: Path) -> None:
    source = table(tmp_path / "tickets.csv")
    first = fixed(source, tmp_path / "cleaned.csv")
    table(tmp_path / "tickets.csv", ROWS[:3])
    done = fixed(source, tmp_path / "cleaned.csv", overwrite=True)
    assert (done.review, Path(first.review).exists()) == ("", False)


def test_every_suspected_label_is_for_review(tmp_path: Path) -> None:
    rows = clean_rows(400)
    names = list(TOPICS)
    wrong = set(range(0, 1600, 10))
    for place in wrong:
        rows[place] = (rows[place][0], names[(names.index(rows[place][1]) + 1) % 4])
    done = fixed(write(tmp_path / "noise.csv", rows), tmp_path / "cleaned.csv")
    found = {int(row["row"]) - 1: row for row in lines(done.review)}
    assert set(found) <= wrong
    assert done.for_review == len(found) > 100, "not only those that the page shows"
    for place, row in found.items():
        assert row["label"] == rows[place][1]
        assert row["suggested label"] == names[(names.index(rows[place][1]) - 1) % 4]
        assert row["why"].startswith(f"looks like '{row['suggested label']}' (")
    assert done.doubtful == 0


def test_doubtful_texts_of_rare_classes_stay_and_are_listed(tmp_path: Path) -> None:
    rows = clean_rows(60)
    rows[:3] = [(text, "rare") for text, _ in rows[:3]]
    source = write(tmp_path / "rare.csv", rows)
    done = fixed(source, tmp_path / "cleaned.csv")
    assert done.cleaned == done.rows == 240
    listed = lines(done.review)
    assert done.doubtful == len(listed) > 0
    assert all(row["label"] == "rare" and "stays in the cleaned file" in row["why"] for row in listed)
    assert done.lines[-1].endswith("listed for review")
    assert (done.examined, done.unexamined) == (240, 0)
    decide(done.review, {int(row["row"]): row["suggested label"] for row in listed})
    again = fixed(source, tmp_path / "cleaned.csv", review=done.review, overwrite=True)
    assert again.counts == {"label decided": len(listed)}
    assert (again.cleaned, again.doubtful) == (240, 0)


def test_values_keep_their_types(tmp_path: Path) -> None:
    frame = pl.DataFrame({"body": ["a b", "c d", "a b", "e f"], "queue": [1, 2, 1, 2], "day": [1.5, None, 2.5, 3.5]})
    done = fixed(frame, tmp_path / "cleaned.parquet")
    assert pl.read_parquet(done.output).equals(frame[[0, 1, 3]])
    objects = [
        {"body": "a b", "queue": 1, "more": {"x": [None, "\u00e9"]}},
        {"body": "c d", "queue": "1"},
        {"body": "e f", "queue": 2},
    ]
    source = tmp_path / "mixed.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in objects))
    done = fixed(source, tmp_path / "mixed.cleaned.jsonl")
    found = [json.loads(line) for line in Path(done.output).read_text().splitlines()]
    assert found == [{**line, "queue": str(line["queue"])} for line in objects], "1 and '1' are one class from now on"
    assert done.counts == {"label written as text": 2}
    assert len(read_table(done.output, "body", "queue")) == 3
    source.write_text("".join(json.dumps(line) + "\n" for line in (objects[0], objects[2])))
    done = fixed(source, tmp_path / "numbers.jsonl")
    assert Path(done.output).read_text() == source.read_text().replace("\\u00e9", "\u00e9")


def test_copies_must_go_with_their_originals(tmp_path: Path) -> None:
    source = tmp_path / "augmented.csv"
    source.write_text("body,queue,augmented_from\na b,x,\nc d,y,\na c,x,1\n")
    with pytest.raises(DataError, match=r"holds copies that sharprecl augment made .* fix the file that was augmented"):
        fixed(source, tmp_path / "cleaned.csv")
    source.write_text("body,queue,augmented_from\na b,x,\nc d,y,\n")
    assert fixed(source, tmp_path / "cleaned.csv").cleaned == 2


def test_what_a_format_cannot_hold_is_refused_before_the_work(tmp_path: Path) -> None:
    source = tmp_path / "half.jsonl"
    source.write_text('{"body": "a", "queue": "x", "more": "\\ud83d"}\n{"body": "b", "queue": "y"}\n')
    with pytest.raises(DataError, match=r"row 1 has half a character .* in column 'more'"):
        fixed(source, tmp_path / "cleaned.csv")
    assert fixed(source, tmp_path / "half.cleaned.jsonl").cleaned == 2
    source = table(tmp_path / "unnamed.csv")
    source.write_text(source.read_text().replace("id,", ",", 1))
    for ending in (".xlsx", ".parquet"):
        with pytest.raises(DataError, match=f"a column without a name, which {ending} cannot hold"):
            fixed(source, tmp_path / f"other{ending}")
    assert fixed(source, tmp_path / "cleaned.csv").cleaned == 4


def test_labels_outside_the_sample_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_errors, "MOST_ROWS", 100)
    done = fixed(write(tmp_path / "many.csv", clean_rows(60)), tmp_path / "cleaned.csv")
    assert (done.examined, done.unexamined) == (100, 140)
    assert done.lines[-1] == "140 labels were not examined: of so many, a sample of 100 is, by --seed another"
