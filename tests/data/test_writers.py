"""Rows to predict, and predictions on their way out."""

import json
import os
import resource
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.formats import format_of
from sharprecl.data.tables import Rows, read_rows
from sharprecl.data.unfinished import Unfinished
from sharprecl.data.writers import check_output, write_predictions
from sharprecl.errors import DataError, OutputError

TEXTS = ["plain", 'a "quoted", one', "two\nlines", "carriage\rreturn", "tab\there", " blanks ", "naïve 🙂"]


def test_rows_keep_all_columns_and_gaps_of_json(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": 1, "text": "a", "tags": ["u"]}\n{"text": "b", "id": null}\n')
    rows = read_rows(path)
    assert rows.texts == ("a", "b")
    assert rows.names == ("id", "text", "tags")
    assert rows.records == [{"id": 1, "text": "a", "tags": ["u"]}, {"text": "b", "id": None}]
    write_predictions(rows, {"label": ["p", "q"]}, tmp_path / "out.jsonl")
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [
        {"id": 1, "text": "a", "tags": ["u"], "label": "p"},
        {"text": "b", "id": None, "label": "q"},
    ]


@pytest.mark.parametrize("source", [TEXTS, tuple(TEXTS), np.array(TEXTS), pl.Series(TEXTS)])
def test_one_list_of_texts(source):
    rows = read_rows(source)
    assert rows.texts == tuple(TEXTS)
    assert rows.records[0] == {"text": "plain"}
    assert len(rows) == len(TEXTS)


def test_a_list_of_two_texts_is_not_taken_for_a_pair():
    assert read_rows(["a", "b"]).texts == ("a", "b")


def test_rows_without_a_text_stay_and_are_told_of(tmp_path):
    (tmp_path / "x.csv").write_text("text\none\n\nthree\n\n")
    with pytest.raises(DataError, match=r"1 row has no text: row 2 \(line 3\); fill in"):
        read_rows(tmp_path / "x.csv", strict=True)
    rows = read_rows(tmp_path / "x.csv")
    assert rows.texts == ("one", "", "three")
    assert [one[1:] for one in rows.set_aside] == [(2, 3, "text")]
    assert rows.notes == (f"{tmp_path / 'x.csv'}: 1 row has no text: row 2 (line 3)",)
    (tmp_path / "x.csv").write_text("text\none\ntwo\n\n\n")
    assert read_rows(tmp_path / "x.csv").texts == ("one", "two")


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "ndjson", "parquet", "xlsx"])
def test_round_trip(tmp_path, ending):
    path = tmp_path / "new folder" / f"out.{ending}"
    write_predictions(read_rows(TEXTS), {"label": ["007"] * len(TEXTS), "p": [0.25] * len(TEXTS)}, path)
    back = read_rows(path)
    assert back.texts == tuple(TEXTS)
    assert back.names == ("text", "label", "p")
    assert {record["label"] for record in back.records} == {"007"}
    assert float(back.records[0]["p"]) == 0.25
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


printable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff")).filter(str.strip)


@given(st.lists(printable, min_size=1, max_size=5), st.sampled_from(["csv", "tsv", "jsonl", "xlsx"]))
def test_any_text_survives_the_round_trip(tmp_path_factory, texts, ending):
    path = tmp_path_factory.getbasetemp() / f"round.{ending}"
    write_predictions(read_rows(texts), {"label": texts}, path)
    back = read_rows(path)
    assert back.texts == tuple(texts)
    assert [record["label"] for record in back.records] == texts


def test_values_of_csv(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "tags": ["ü", 1], "gone": null, "flag": true}\n')
    write_predictions(read_rows(tmp_path / "x.jsonl"), {"p": [0.1]}, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'text,tags,gone,flag,p\na,"[""ü"", 1]",,True,0.1\n'


def test_a_row_of_empty_fields_is_no_empty_line(tmp_path):
    rows = Rows([{"text": None}], ("x",), ("text",), "test")
    write_predictions(rows, {}, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'text\n""\n'


class TestRefusals:
    ROWS = read_rows(["x", "y"])

    def test_existing_column(self, tmp_path):
        with pytest.raises(DataError, match=r"already has the column\(s\) 'text'.*rename"):
            check_output(self.ROWS, ["text", "label"], tmp_path / "out.csv")

    def test_unknown_ending_and_folder(self, tmp_path):
        with pytest.raises(DataError, match=r"unknown ending '\.xls'"):
            check_output(self.ROWS, [], tmp_path / "out.xls")
        (tmp_path / "out.csv").mkdir()
        with pytest.raises(DataError, match="is a folder"):
            check_output(self.ROWS, [], tmp_path / "out.csv")

    def test_wrong_length(self, tmp_path):
        with pytest.raises(DataError, match="1 values for 2 rows"):
            write_predictions(self.ROWS, {"label": ["a"]}, tmp_path / "out.csv")

    @pytest.mark.parametrize("values", [[1, "a"], [{"a": 1}, {"b": 2}], [1 << 200, 1]])
    def test_parquet_that_would_change_values(self, tmp_path, values):
        with pytest.raises(DataError, match=r"kinds of values in column 'v'; write to \.jsonl"):
            write_predictions(self.ROWS, {"v": values}, tmp_path / "out.parquet")
        assert list(tmp_path.iterdir()) == []

    def test_place_that_cannot_be_written_keeps_the_old_file(self, tmp_path, monkeypatch):
        old = tmp_path / "out.csv"
        old.write_text("old")

        def full(self, target):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "replace", full)
        with pytest.raises(DataError, match=r"cannot be written \(No space left on device\)"):
            write_predictions(self.ROWS, {"label": ["a", "b"]}, old)
        assert old.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["out.csv"]
        with pytest.raises(DataError, match="cannot be written"):
            write_predictions(self.ROWS, {"label": ["a", "b"]}, old / "inside.csv")


HALF = "\ud83d"


def test_half_characters_are_kept_in_json_and_refused_at_once_elsewhere(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "note": "\\ud83d"}\n{"text": "b", "note": ["\\ud83d"]}\n')
    rows = read_rows(tmp_path / "x.jsonl")
    write_predictions(rows, {"label": ["é", "q"]}, tmp_path / "out.jsonl")
    back = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert back == [{"text": "a", "note": HALF, "label": "é"}, {"text": "b", "note": [HALF], "label": "q"}]
    for ending in ("csv", "tsv"):
        with pytest.raises(DataError, match=r"row 1 has half a character .* column 'note'.* write to \.jsonl"):
            check_output(rows, [], tmp_path / f"out.{ending}")


def test_what_parquet_cannot_hold_is_refused_at_once(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "n": 1}\n{"text": "b", "n": "two"}\n')
    with pytest.raises(DataError, match="different kinds of values in column 'n'"):
        check_output(read_rows(tmp_path / "x.jsonl"), [], tmp_path / "out.parquet")


def test_json_is_strict(tmp_path):
    pl.DataFrame(
        {"text": ["a", "b"], "score": [float("nan"), 1.5], "many": [[1.0, float("inf")], [2.0]]}
    ).write_parquet(tmp_path / "x.parquet")
    write_predictions(read_rows(tmp_path / "x.parquet"), {"p": [0.5, float("nan")]}, tmp_path / "out.jsonl")

    def refuse(name):
        raise AssertionError(name)

    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line, parse_constant=refuse) for line in lines] == [
        {"text": "a", "score": None, "many": [1.0, None], "p": 0.5},
        {"text": "b", "score": 1.5, "many": [2.0], "p": None},
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_not_writable_is_found_at_once(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="nobody may write into"):
        check_output(read_rows(TEXTS), [], tmp_path / "new" / "out.csv")


def test_parquet_that_finds_no_room_in_the_end_is_one_sentence(tmp_path: Path) -> None:
    """polars tells it in an error of its own."""
    form, out = format_of(".parquet", "x.csv"), Unfinished(tmp_path / "out.parquet")
    out.open({}, resume=False)
    form.start(["text"])
    # Equal texts would take less room than the limit.
    out.append(form.rows([{"text": os.urandom(500).hex()} for _ in range(100)]), 100)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(OutputError, match=r"out.parquet cannot be written \(File too large\); make room, then run"):
            out.finish(form)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    out.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet.part", "out.parquet.part.json"]
    again = Unfinished(tmp_path / "out.parquet")
    assert again.open({}, resume=True)
    again.finish(form)
    again.close()
    assert len(pl.read_parquet(tmp_path / "out.parquet")) == 100
