"""Every row that cannot be used is told of, every other one is kept, under the number that it has in the file."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.tables import read_table
from sharprecl.doctor.loading import load
from sharprecl.doctor.texts import LONGEST
from sharprecl.errors import DataError


def sentences(found) -> list[str]:
    return [finding.sentence for finding in found.findings]


def test_a_clean_file_is_admitted_whole_and_equals_what_training_reads(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("body,queue\none,b\ntwo,a\nthree,b\n")
    found = load(path, "body", "queue")
    assert (found.findings, found.size, found.rows.tolist()) == ((), 3, [1, 2, 3])
    assert found.table.content_hash == read_table(path, "body", "queue").content_hash


def test_all_faults_are_told_at_once_with_rows_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('text,label\n"one\nmore",a\n,a\ntwo,b\nthree,\ntext,label\n ,\nfour,b\n')
    found = load(path)
    assert sentences(found) == [
        "1 row repeats the header: row 5 (line 7)",
        "2 rows have no text in column 'text': rows 2 (line 4) and 6 (line 8)",
        "2 rows have no label in column 'label': rows 4 (line 6) and 6 (line 8)",
    ]
    assert [finding.severity for finding in found.findings] == ["problem", "warning", "warning"]
    assert [finding.rows for finding in found.findings] == [(5,), (2, 6), (4, 6)]
    assert found.rows.tolist() == [1, 3, 7]
    assert found.table.texts == ("one\nmore", "two", "four")
    assert [found.table.label_names[place] for place in found.table.label_ids] == ["a", "b", "b"]
    assert found.size == 7


def test_values_of_other_kinds_and_half_characters(tmp_path: Path) -> None:
    rows = [
        {"text": "one", "label": "a"},
        {"text": 5, "label": "a"},
        {"text": "two", "label": ["a", "b"]},
        {"text": "half \ud83d", "label": "b"},
        {"text": "three", "label": "b\udc00"},
        {"text": "four", "label": "b"},
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = load(path)
    assert [(finding.sentence.partition(":")[0], finding.rows) for finding in found.findings] == [
        ("1 row holds 5 in column 'text', not a text", (2,)),
        ("1 row holds ['a', 'b'] in column 'label', which names no single class", (3,)),
        (r"1 row has half a character (a lone surrogate such as \ud83d) in column 'text'", (4,)),
        (r"1 row has half a character (a lone surrogate such as \ud83d) in column 'label'", (5,)),
    ]
    assert found.rows.tolist() == [1, 6]


def test_labels_in_two_spellings_are_told_and_kept() -> None:
    found = load((["one", "two", "three", "four"], [1, "1", 2, "x"]))
    assert sentences(found) == [
        "2 rows have labels in column 'label' that may or may not mean the same class: '1' and 1: rows 1 and 2"
    ]
    assert found.table.label_names == ("1", "2", "x")
    assert len(found.table) == 4
    assert not load((["one", "two"], [1, 2])).findings
    assert "1 and True" in sentences(load((["one", "two"], [1, True])))[0]


def test_labels_of_the_test_file_that_training_lacks() -> None:
    found = load((["one", "two", "three", "four"], ["a", "Blling", None, " "]), known=("a", "billing"))
    assert sentences(found) == [
        "test file: 2 rows have no label in column 'label': rows 3 and 4",
        "test file: 1 row has a label that training does not have ('Blling' (did you mean 'billing'?)): row 2",
    ]
    assert found.table.label_names == ("a", "billing")
    assert (found.table.texts, found.rows.tolist()) == (("one",), [1])


def test_a_test_file_may_have_no_usable_row_and_training_texts_may_not() -> None:
    assert len(load((["one"], ["x"]), known=("a", "b")).table) == 0
    with pytest.raises(DataError, match=r"no row can be used: 2 rows have no text .* \(fill in; until then"):
        load((["", None], ["a", "b"]))
    with pytest.raises(DataError, match=r"all 2 usable rows have the label 'a'; .* is 'label' the column of labels"):
        load((["one", "two", None], ["a", "a", "b"]))


def test_a_giant_text_is_cut_and_told_of() -> None:
    found = load((["x" * (LONGEST + 5), "y"], ["a", "b"]))
    assert found.findings[0].severity == "warning"
    assert "100,005 characters" in found.findings[0].sentence
    assert found.findings[0].rows == (1,)
    assert len(found.table.texts[0]) == LONGEST


def test_what_the_reader_passed_over_is_a_note_and_what_cannot_be_parsed_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label\none,a\n\ntwo,b\n")
    assert [(one.severity, "empty line" in one.sentence) for one in load(path).findings] == [("note", True)]
    with pytest.raises(DataError, match="no column 'body'"):
        load(path, "body")


def test_a_checked_table_is_taken_as_it_is() -> None:
    table = read_table((["one", "two"], ["a", "b"]))
    found = load(table)
    assert found.table.content_hash == table.content_hash
    assert (found.table.origin, found.rows.tolist()) == (table.origin, [1, 2])


VALUES = st.one_of(st.none(), st.integers(0, 2), st.sampled_from(["", " ", "a", "b", "\ud800"]), st.just([1]))


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=12))
def test_what_is_admitted_training_would_read_and_what_is_set_aside_it_would_refuse(pairs) -> None:
    texts, labels = [text for text, _ in pairs], [label for _, label in pairs]
    try:
        found = load((texts, labels))
    except DataError:
        return
    kept = set((found.rows - 1).tolist())
    problems = [finding for finding in found.findings if finding.severity == "problem"]
    if not problems:
        assert read_table((texts, labels)).content_hash == found.table.content_hash
    else:
        with pytest.raises(DataError):
            read_table((texts, labels))
    told = {row - 1 for finding in found.findings for row in finding.rows}
    assert set(range(len(pairs))) - kept <= told
    for row in sorted(kept):
        assert isinstance(texts[row], str)
        assert np.flatnonzero(found.rows == row + 1).size == 1
