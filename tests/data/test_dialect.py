"""Files as spreadsheets write them: delimiters and encodings are recognised, file by file."""

import codecs
import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.dialect import SPOKEN, recognise
from sharprecl.data.tables import read_rows, read_table
from sharprecl.errors import DataError

ROWS = [("Größe, falsch; 3,50 €", "Rückgabe"), ("naïve café", "Reklamation"), ("plain", "Rückgabe")]
TEXTS = tuple(text for text, _ in ROWS)


def written(delimiter: str, header=("text", "label")) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows([header, *ROWS])
    return stream.getvalue()


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize("delimiter", SPOKEN)
def test_delimiters_are_recognised_and_told(tmp_path, delimiter, ending):
    path = tmp_path / f"x.{ending}"
    path.write_text(written(delimiter), newline="")
    table = read_table(path)
    assert table.texts == TEXTS
    usual = {"csv": ",", "tsv": "\t"}[ending]
    told = [note for note in table.source_notes if "separated" in note]
    assert told == ([] if delimiter == usual else [f"{path}: its fields are separated by a {SPOKEN[delimiter]}"])


@given(
    st.lists(st.tuples(*[st.text('ab,;\t|" \n', max_size=8)] * 2), min_size=1, max_size=6),
    st.sampled_from(list(SPOKEN)),
    st.sampled_from([",", "\t"]),
)
def test_a_header_of_plain_names_settles_it(rows, delimiter, usual):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows([("text", "label"), *rows])
    assert recognise(stream.getvalue(), usual) == delimiter


def test_a_header_with_two_signs_is_settled_by_the_rows():
    assert recognise("text;amount, EUR;label\na;1,5;x\n", ",") == ";"
    assert recognise("text;body,label\na;b,x\n", ",") == ","
    assert recognise("id,text;body,label\n1,a;b;c,x\n", ",") == ","
    assert recognise("text\nwith, commas; and more\n", ",") == ","


def test_neither_strange_line_ends_nor_a_huge_field_hide_the_separator(tmp_path):
    assert recognise("a, b;text;label\n1;x\u2028y\x85z, w;q\n", ",") == ";"
    (tmp_path / "x.csv").write_text(f"text;label\n{'x, ' * 60_000};a\nshort;b\n")
    assert read_table(tmp_path / "x.csv").label_names == ("a", "b")


def test_the_first_line_that_excel_understands(tmp_path):
    (tmp_path / "x.csv").write_text("sep=;\ntext;label\na,b;x\n;y\nc;y\n")
    table = read_table(tmp_path / "x.csv")
    assert table.texts == ("a,b", "c")
    assert table.set_aside[0][1:] == (2, 4, "text")  # lines are those of the file
    assert read_table(tmp_path / "x.csv", separator="semicolon").texts == ("a,b", "c")


@pytest.mark.parametrize("separator", ["^", "\t", "\\t", "tab", "pipe", "|"])
def test_a_named_separator(tmp_path, separator):
    sign = {"\\t": "\t", "tab": "\t", "pipe": "|"}.get(separator, separator)
    (tmp_path / "x.csv").write_text(written(sign), newline="")
    assert read_table(tmp_path / "x.csv", separator=separator).texts == TEXTS


@pytest.mark.parametrize("separator", ["", "ab", '"', "\n"])
def test_separators_that_are_none(tmp_path, separator):
    (tmp_path / "x.csv").write_text(written(","))
    with pytest.raises(DataError, match="fields cannot be separated by"):
        read_table(tmp_path / "x.csv", separator=separator)


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
@pytest.mark.parametrize("given", [None, "cp1252", "latin-1"])
def test_encodings_are_recognised_whatever_is_said(tmp_path, codec, given):
    (tmp_path / "x.csv").write_bytes(written(";").replace(" €", "").encode(codec))
    table = read_table(tmp_path / "x.csv", encoding=given)
    assert table.texts == (TEXTS[0].replace(" €", ""), *TEXTS[1:])
    told = [note for note in table.source_notes if "separated" not in note]
    expected = {
        (None, "cp1252"): "is not UTF-8 and was read as cp1252 (Western Europe); are its accents right?",
        ("cp1252", "utf-8"): "is UTF-8, whatever --encoding says, and was read as that",
        ("latin-1", "utf-16"): "is UTF-16, whatever --encoding says, and was read as that",
    }
    if (given, codec) in expected:
        assert told == [f"{tmp_path / 'x.csv'} {expected[given, codec]}"]
    elif given is None or codec == "cp1252":
        assert told == []


def test_an_encoding_of_bytes_below_128_is_believed(tmp_path):
    (tmp_path / "x.csv").write_bytes("text,label\n日本語,a\nに,b\n".encode("iso2022_jp"))
    assert read_table(tmp_path / "x.csv", encoding="iso2022_jp").texts == ("日本語", "に")


def test_utf8_that_was_asked_for_is_not_replaced(tmp_path):
    (tmp_path / "x.csv").write_bytes(written(",").encode("cp1252"))
    with pytest.raises(DataError, match=r"not valid utf-8: byte 0xf6 at offset 15 \(line 2\).*saved as cp1252"):
        read_table(tmp_path / "x.csv", encoding="utf-8")


def test_training_and_test_files_may_differ(tmp_path):
    (tmp_path / "train.csv").write_bytes(written(";").encode("cp1252"))
    (tmp_path / "test.csv").write_bytes(codecs.BOM_UTF8 + written(",").encode())
    train = read_table(tmp_path / "train.csv")
    assert read_table(tmp_path / "test.csv", label_names=train.label_names).texts == train.texts


def test_decimal_commas_stay_text(tmp_path):
    (tmp_path / "x.csv").write_text("text;price\na;3,50\n")
    assert read_rows(tmp_path / "x.csv").records == [{"text": "a", "price": "3,50"}]
