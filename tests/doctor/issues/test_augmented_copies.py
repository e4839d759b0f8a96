"""Copies in a file that may be damaged: marked as training marks them, or taken for originals and told of."""

import json
from pathlib import Path

import pytest

from sharprecl.data.augmented import text_mark
from sharprecl.data.tables import read_table
from sharprecl.doctor.issues.augmented_copies import AugmentedCopies
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.loading import load


def findings(found):
    return [*found.findings, *AugmentedCopies(Data(found)).findings()]


def sentences(found) -> list[str]:
    return [finding.sentence for finding in findings(found)]


def originals(found):
    return Data(found).originals


def augmented(path: Path, numbers: list[str]) -> Path:
    rows = zip(["one", "two", "three", "uno", "due"], "abaab", numbers, strict=True)
    path.write_text("text,label,augmented_from\n" + "".join(f"{','.join(row)}\n" for row in rows))
    return path


def test_copies_are_marked_as_training_marks_them_and_told_of(tmp_path: Path) -> None:
    path = augmented(tmp_path / "x.csv", ["", "", "", "1", "2"])
    found = load(path)
    assert found.table.content_hash == read_table(path).content_hash
    assert [(one.severity, one.sentence.partition(" that ")[0]) for one in findings(found)] == [
        ("note", "2 of 5 rows are copies")
    ]
    own = originals(found)
    assert (own.table.texts, own.rows.tolist()) == (("one", "two", "three"), [1, 2, 3])
    assert load(read_table(path)).table.content_hash == read_table(path).content_hash
    assert sentences(load(read_table(path))) == sentences(found)
    assert load(path, known=("a", "b")).table.copies is None, "as training reads test files"
    clean = load((["one", "two"], ["a", "b"]))
    assert originals(clean) is clean


def test_copies_keep_their_originals_where_rows_are_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label,augmented_from\n,a,\none,a,\ntwo,b,\nuno,a,2\nnil,a,1\n")
    found = load(path)
    assert found.table.copies.is_copy.tolist() == [False, False, True, True]
    groups = found.table.copies.groups.tolist()
    assert groups[2] == groups[0] != groups[3]
    path.write_text("text,label,augmented_from\none,a,\ntwo,b,\n,a,1\n")
    assert load(path).table.copies is None, "the only copy cannot be used"


def test_copies_alone_stand_for_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    marks = [text_mark("one"), text_mark("one"), text_mark("two")]
    path.write_text("text,label,augmented_from_text\nuno,a,{}\nun,a,{}\ndue,b,{}\n".format(*marks))
    found = load(path)
    assert originals(found).rows.tolist() == [1, 3]
    assert "left out but for one of each text" in sentences(found)[0]


def test_half_a_character_in_an_augmented_file(tmp_path: Path) -> None:
    rows = [("one", "a", ""), ("two \ud83d", "b", ""), ("uno", "a", "1"), ("due", "b", "2"), ("three", "b", "")]
    keys = ("text", "label", "augmented_from")
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    found = load(path)
    assert [one.severity for one in findings(found)] == ["problem", "note"]
    assert found.table.copies.is_copy.tolist() == [False, True, True, False]


def test_a_mark_that_is_none_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label,augmented_from_text\none,a,\ntwo,b,\nuno,a,1.2E+15\n")
    (problem,) = findings(load(path))
    assert problem.severity == "problem"
    assert "'augmented_from_text' of row 3 (line 4) does not hold the 16 hexadecimal digits" in problem.sentence
    assert "augment the original file again" in problem.cure


@pytest.mark.parametrize("number", ["9", "4", "0", "-1", "x", "1.5", "9" * 5000, "\u00b2"])
def test_a_number_that_names_no_original_is_a_problem_and_no_crash(tmp_path: Path, number: str) -> None:
    path = augmented(tmp_path / "x.csv", ["", "", "", "1", number])
    found = load(path)
    (problem,) = findings(found)
    assert problem.severity == "problem"
    assert "'augmented_from'" in problem.sentence
    assert problem.sentence.endswith("; every row was taken for an original")
    assert (len(found.table), found.table.copies) == (5, None)
    assert originals(found) is found
