"""Every legal source gets its table, every impossible value its sentence."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError

EXPECTED = (("one", "two, three", "four\nlines"), ("a", "007", "1.0"))


def write_expected(path) -> None:
    frame = pl.DataFrame({"id": [1, 2, 3], "body": list(EXPECTED[0]), "queue": list(EXPECTED[1])})
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".tsv":
            frame.write_csv(path, separator="\t")
        case ".jsonl" | ".ndjson":
            frame.write_ndjson(path)
        case ".json":
            frame.write_json(path)
        case ".parquet":
            frame.write_parquet(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "ndjson", "json", "parquet", "CSV"])
def test_every_format_gives_the_same_table(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    write_expected(path if ending != "CSV" else tmp_path / "x.csv")
    if ending == "CSV":
        (tmp_path / "x.csv").rename(path)
    table = read_table(path, "body", "queue")
    assert table.texts == EXPECTED[0]
    assert table.label_names == ("007", "1.0", "a")
    assert table.label_ids.tolist() == [2, 0, 1]
    assert table.label_ids.dtype == np.int64
    assert table.origin == str(path)
    assert table.content_hash == read_table(EXPECTED).content_hash


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_encodings(tmp_path, encoding, ending):
    text = (
        "text,label\ncafé,a\nthé,b\n" if ending == "csv" else '{"text":"café","label":"a"}\n{"text":"thé","label":"b"}'
    )
    path = tmp_path / f"x.{ending}"
    path.write_bytes(text.encode(encoding))
    asked = "utf-8" if encoding == "utf-8-sig" else encoding
    assert read_table(path, encoding=asked).texts == ("café", "thé")


def test_csv_details_that_must_survive(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b'text,label\r\n"a ""quoted"" word",x\r\n  spaces kept  , x\r\n5" disk,y\r\nNA,null\r\n\r\n')
    table = read_table(path)
    assert table.texts == ('a "quoted" word', "  spaces kept  ", '5" disk', "NA")
    assert table.label_names == (" x", "null", "x", "y")


def test_one_very_long_field(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('text,label\n"' + "word " * 400_000 + '",a\nshort,b\n')
    assert len(read_table(path).texts[0]) == 2_000_000


class TestTrainingNotes:
    def test_single_text_class_is_legal_and_named(self):
        table = read_table((["x", "y", "z"], ["a", "a", "platinum"]))
        assert table.class_counts.tolist() == [2, 1]
        assert any("'platinum' has a single text" in note for note in table.notes)

    def test_look_alike_labels_are_kept_apart_and_noted(self):
        table = read_table((list("uvwxyz"), ["Spam", "spam", "spam ", "ham", "ham", "Spam"]))
        assert table.label_names == ("Spam", "ham", "spam", "spam ")
        assert any("'Spam', 'spam' and 'spam ' differ by case or spaces only" in note for note in table.notes)

    def test_contradicting_duplicates_are_noted(self):
        table = read_table((["x", "y", "x", "z", "x", "z"], ["a", "b", "b", "a", "a", "b"]))
        assert any("2 texts have more than one label, the first in rows 1 and 3" in note for note in table.notes)

    def test_a_clean_table_has_none(self):
        assert read_table((["x", "y", "z", "x"], ["a", "b", "b", "a"])).notes == ()

    def test_empty_lines_are_noted(self, tmp_path):
        (tmp_path / "x.csv").write_text("text,label\none,a\n\n\ntwo,b\none,a\ntwo,b\n\n")
        table = read_table(tmp_path / "x.csv")
        assert len(table) == 4
        assert table.notes == (f"{tmp_path / 'x.csv'}: 2 empty line(s) passed over, the first is line 3",)


class TestFixedNames:
    NAMES = ("z", "a", "empty")

    def test_mapping_is_kept_and_classes_may_be_empty(self):
        table = read_table((["x", "y"], ["a", "a"]), label_names=self.NAMES)
        assert table.label_names == self.NAMES
        assert table.label_ids.tolist() == [1, 1]
        assert table.class_counts.tolist() == [0, 2, 0]
        assert table.notes == ()

    def test_unknown_labels_are_named_with_their_rows(self, tmp_path):
        (tmp_path / "x.csv").write_text("text,label\none,a\ntwo,Z\nthree,Z\n")
        with pytest.raises(DataError) as error:
            read_table(tmp_path / "x.csv", label_names=self.NAMES)
        message = str(error.value)
        assert "rows 2 (line 3) and 3 (line 4) have labels that the model does not know: 'Z'" in message
        assert "(did you mean 'z'?); the known ones are 'z', 'a' and 'empty'" in message


class TestValues:
    @pytest.mark.parametrize(
        ("labels", "names"),
        [
            ([1, 0, 1], ("0", "1")),
            ([True, False, True], ("False", "True")),
            ([1.0, 2.5, 1.0], ("1.0", "2.5")),
            (np.array([3, 10, 3]), ("10", "3")),
            (np.array(["x", "y", "x"]), ("x", "y")),
            (np.array(["x", "y", "x"], dtype=object), ("x", "y")),
            (pd.Series([1, 2, 1], dtype="Int64"), ("1", "2")),
            (pl.Series(["p", "q", "p"]), ("p", "q")),
            (("007", "7", "007"), ("007", "7")),
            ([np.str_("b"), np.int64(3), np.str_("b")], ("3", "b")),
        ],
    )
    def test_labels_of_sequences(self, labels, names):
        table = read_table((["x", "y", "z"], labels))
        assert table.label_names == names
        assert all(type(name) is str for name in table.label_names)

    @pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT, "", " "])
    def test_missing_labels_of_every_kind(self, missing):
        table = read_table((["x", "y", "z"], ["a", missing, "b"]))
        assert (table.texts, table.label_names, table.label_ids.tolist()) == (("x", "z"), ("a", "b"), [0, 1])
        assert table.notes[0] == "the given lists: 1 row has no label: row 2"
        assert table.set_aside == (("the given lists", 2, None, "label"),)
        assert table.in_source([0, 1]).tolist() == [0, 2]

    @pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
    def test_missing_texts_of_every_kind(self, missing):
        assert read_table((["x", missing, "z"], ["a", "a", "b"])).set_aside == (("the given lists", 2, None, "text"),)

    @pytest.mark.parametrize("strange", [b"a", datetime.date(2020, 1, 1), (1, 2), np.array([1, 0]), object()])
    def test_labels_that_name_no_class(self, strange):
        with pytest.raises(DataError, match=r"row 2 holds .* names no single class"):
            read_table((["x", "y", "z"], ["a", strange, "b"]))

    @pytest.mark.parametrize(
        ("source", "fragment"),
        [
            ((["x"], ["a", "b"]), "1 texts and 2 labels"),
            (("some text", ["a"]), "not a list"),
            ((["x"], 3), "not a list"),
            ((["x"], np.array(3)), "not a list"),
            ((["x"], ["a"], ["b"]), "3 things were given"),
            (([], []), "has no rows"),
            ({"text": ["x"]}, "cannot be read from"),
            (None, "cannot be read from None"),
        ],
    )
    def test_sources_that_are_no_table(self, source, fragment):
        with pytest.raises(DataError, match=re.escape(fragment)):
            read_table(source)


def test_a_column_of_ids_holds_no_classes():
    texts = [f"text {row}" for row in range(40)]
    with pytest.raises(DataError, match="40 different labels in 40 rows: column 'label' hardly holds classes"):
        read_table((texts, [f"id {row}" for row in range(40)]))
    with pytest.raises(DataError, match="are --text and --label swapped"):
        read_table(([f"queue {row % 3}" for row in range(40)], texts))
    assert read_table((texts, [f"id {row % 20}" for row in range(40)])).num_classes == 20
    assert read_table((texts[:19], texts[:19])).num_classes == 19, "the start of a file"


def test_judged_rows_without_a_text_stay_and_those_without_a_label_go(tmp_path):
    (tmp_path / "x.csv").write_text("text,label\na,x\n,y\nb,\n ,\nc,y\n")
    judged = read_table(tmp_path / "x.csv", label_names=("x", "y"))
    assert (judged.texts, judged.label_ids.tolist()) == (("a", "", "c"), [0, 1, 1])
    assert judged.in_source([0, 1, 2]).tolist() == [0, 1, 4]
    assert [one[1:] for one in judged.set_aside] == [(2, 3, "text"), (3, 4, "label"), (4, 5, "text and label")]
    assert judged.notes == judged.source_notes
    assert judged.select([2]).in_source([0]).tolist() == [4]
    trained = read_table(tmp_path / "x.csv")
    assert (trained.texts, trained.set_aside) == (("a", "c"), judged.set_aside)
    assert "2 texts" not in " ".join(trained.notes)


def test_sentences_name_rows_of_the_file(tmp_path):
    (tmp_path / "x.csv").write_text("text,label\n,x\nsame,x\nb,y\n,y\nsame,y\n")
    (clash,) = [note for note in read_table(tmp_path / "x.csv").notes if "more than one label" in note]
    assert "rows 2 (line 3) and 5 (line 6)" in clash


class TestTextTable:
    @pytest.fixture
    def table(self) -> TextTable:
        return read_table((["x", "y", "z", "w"], ["b", "a", "b", "c"]))

    def test_names_do_not_depend_on_the_order_of_rows(self, table):
        other = read_table((["w", "z", "y", "x"], ["c", "b", "a", "b"]))
        assert other.label_names == table.label_names == ("a", "b", "c")
        assert other.select([3, 2, 1, 0]).content_hash == table.content_hash

    def test_select_keeps_the_names(self, table):
        chosen = table.select(np.array([2, 0]))
        assert chosen.texts == ("z", "x")
        assert chosen.label_ids.tolist() == [1, 1]
        assert chosen.class_counts.tolist() == [0, 2, 0]
        assert (len(chosen), chosen.num_classes) == (2, 3)
        assert len(table.select([])) == 0

    def test_hash_sees_texts_labels_and_names_but_not_the_origin(self, table):
        same = TextTable(table.texts, table.label_ids.astype(np.int32), table.label_names, "elsewhere", ("note",))
        assert same.content_hash == table.content_hash
        others = [
            TextTable(("xy", "", "z", "w"), table.label_ids, table.label_names, ""),
            TextTable(table.texts, table.label_ids[::-1].copy(), table.label_names, ""),
            TextTable(table.texts, table.label_ids, ("a", "b", "d"), ""),
            TextTable(table.texts, table.label_ids, ("a", "b", "c", "d"), ""),
        ]
        assert len({table.content_hash, *(other.content_hash for other in others)}) == 5


def test_a_label_that_only_a_row_without_a_text_has_is_no_class() -> None:
    table = read_table((["one", "", "two"], ["a", "c", "b"]))
    assert table.label_names == ("a", "b")
    assert [row.row for row in table.set_aside] == [2]
    judged = read_table((["one", "", ""], ["a", "c", "b"]), label_names=table.label_names)
    assert (judged.texts, judged.label_ids.tolist()) == (("one", ""), [0, 1])
