"""Every broken file gets one sentence with its rows and the cure, and never another error."""

import codecs
import contextlib
import gzip
import io
import json
import zipfile

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.tables import read_table
from sharprecl.errors import DataError

GOOD = "text,label\none,a\ntwo,b\n"


def parquet_bytes(**columns) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def zip_bytes() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return buffer.getvalue()


def lines(*objects) -> str:
    return "".join(json.dumps(item) + "\n" for item in objects)


ROW = {"text": "one", "label": "a"}
PARQUET = parquet_bytes(text=["one", "two"], label=["a", "b"])


def jsonl(label) -> str:
    """One line whose label is given."""
    return lines({"text": "x", "label": label})


# name of the case: (file name, content, fragments of the one sentence)
BROKEN = {
    "empty": ("x.csv", "", ["x.csv is empty"]),
    "only a mark": ("x.csv", codecs.BOM_UTF8, ["is empty"]),
    "only a UTF-16 mark": ("x.csv", codecs.BOM_UTF16_LE, ["is empty"]),
    "only blanks": ("x.jsonl", " \n\n", ["is empty"]),
    "header only": ("x.csv", "text,label\n", ["has no rows", "'text' and 'label'"]),
    "empty array": ("x.json", "[]", ["has no rows"]),
    "no rows in Parquet": ("x.parquet", parquet_bytes(text=[], label=[]), ["has no rows"]),
    "missing column": (
        "x.csv",
        "Text,category\none,a\n",
        ["no column 'text'", "did you mean 'Text'?", "'Text' and 'category'", "--text", "first line the header"],
    ),
    "missing label column": (
        "x.jsonl",
        lines({"text": "", "lable": ""}),
        ["'label'", "did you mean 'lable'?", "--label"],
    ),
    "space in the header": ("x.csv", "text, label\none,a\n", ["no column 'label'", "did you mean ' label'?"]),
    "no header": ("x.csv", "Fine thing,a\nBad thing,b\n", ["no column 'text'", "'Fine thing' and 'a'"]),
    "two columns of one name": ("x.csv", "text,label,label\na,b,c\n", ["columns 2 and 3", "the name 'label'"]),
    "two columns without a name": ("x.csv", "text,label,,\na,b,,\n", ["columns 3 and 4 have no name"]),
    "key twice": ("x.jsonl", '{"text": "a", "label": "b", "text": "c"}\n', ["line 1", "'text' occurs twice"]),
    "blank text": (
        "x.csv",
        "text,label\none,a\n  ,b\n,c\n",
        ["2 rows have no text: rows 2 (line 3) and 3 (line 4)", "delete", "--strict"],
    ),
    "blank text in a column of its own": ("x.jsonl", lines(ROW, {"label": "b"}), ["1 row has no text: row 2 (line 2)"]),
    "many blank texts": (
        "x.csv",
        "text,label\n" + ",a\n" * 13,
        ["13 rows have no text: rows 1 (line 2), 2 (line 3)", "10 (line 11) and 3 more; are the right columns"],
    ),
    "missing label": ("x.csv", "text,label\none,a\ntwo,\nthree,b\n", ["1 row has no label: row 2 (line 3)"]),
    "null label": ("x.jsonl", lines(ROW, {"text": "b", "label": None}), ["1 row has no label: row 2 (line 2)"]),
    "NaN label": ("x.jsonl", '{"text": "a", "label": NaN}\n', ["1 row has no label: row 1 (line 1)"]),
    "rows after a long field": ("x.csv", 'text,label\n"a\nb\nc",x\n,y\n', ["1 row has no text: row 2 (line 5)"]),
    "neither": ("x.csv", "text,label\none,a\n , \n", ["1 row has neither text nor label: row 2 (line 3)"]),
    "one class": (
        "x.csv",
        "text,label\none,a\ntwo,a\n",
        ["2 usable rows have the one label 'a'", "one class"],
    ),
    "cp1251": ("x.csv", b"text,label\n" + bytes(range(0xE0, 0x100)) + b",a\n", ["not UTF-8", "--encoding", "cp1251"]),
    "latin-1": ("x.csv", b"text,label\n\xff\x81,b\n", ["do not look like Western European text", "--encoding"]),
    "UTF-16 without mark": ("x.csv", GOOD.encode("utf-16-le"), ["second byte", "--encoding utf-16-le"]),
    "UTF-16 big without mark": ("x.jsonl", lines(ROW).encode("utf-16-be"), ["--encoding utf-16-be"]),
    "UTF-16 cut off": ("x.csv", GOOD.encode("utf-16")[:-1], ["not valid utf-16", "offset"]),
    "NUL": ("x.csv", GOOD + "th\0ree,a\n", ["NUL character in line 4", "damaged"]),
    "unclosed quote": (
        "x.csv",
        'text,label\none,a\n"two,b\nthree,c\n',
        ["the quote that opens in line 3 is never closed", '("")'],
    ),
    "unclosed quote in a later field": (
        "x.csv",
        'text,label,more\none,a,x\n"two\nlines, ""quoted""",b,"open\nthree,c,y\n',
        ["the quote that opens in line 4 is never closed"],
    ),
    "unclosed quote in the header": ("x.csv", '"text,label\none,a\n', ["opens in line 1 is never closed"]),
    "quote closed by the next one": (
        "x.csv",
        'text,label\n"one,a\n"two",b\n',
        ["opens in line 2 closes in line 3 before 'two\",b", "not before a comma"],
    ),
    "quote inside a quoted text": (
        "x.tsv",
        'text\tlabel\n"a" b\tc\n',
        ["closes in line 2 before ' b", "not before a tab"],
    ),
    "short row": (
        "x.csv",
        "text,label\none,a\ntwo\n",
        ["row 2 (line 3) has another number of fields (1) than the header (2)"],
    ),
    "long rows": (
        "x.csv",
        "text,label\none, two,a\nthree,b\nfour,five,c\n",
        ["rows 1 (line 2) and 3 (line 4) have another number of fields (3)", "comma in double quotes"],
    ),
    "long rows with semicolons": (
        "x.csv",
        "text;label\none; two;a\nthree;b\n",
        ["row 1 (line 2) has another number of fields (3)", "semicolon in double quotes"],
    ),
    "no header at all": ("x.csv", "sep=;\n", ["has no header"]),
    "JSON in .csv": ("x.csv", '{"text":"a","label":"b"}\n', ["holds JSON", ".jsonl"]),
    "CSV in .jsonl": ("x.jsonl", GOOD, ["line 1 is no usable JSON object", "begins with 'text,label'"]),
    "bad line": ("x.jsonl", lines(ROW) + '{"text": "b" "label"}\n' + lines(ROW), ["line 2", "delimiter at column 14"]),
    "cut off": ("x.jsonl", lines(ROW) + '{"text": "b', ["line 2", "the file may be cut off"]),
    "not an object": ("x.jsonl", lines(ROW) + '"text"\n', ["line 2 holds 'text', not an object"]),
    "too deep": ("x.jsonl", '{"a":' * 100_000, ["line 1 is no usable JSON object"]),
    "too many digits": ("x.jsonl", '{"label": ' + "1" * 5000 + "}\n", ["line 1 is no usable JSON object", "digits"]),
    "array in .jsonl": ("x.jsonl", json.dumps([ROW]), ["JSON array", "rename it to end in .json"]),
    "lines in .json": (
        "x.json",
        lines(ROW, ROW),
        ["not valid JSON", "at line 2 column 1", "rename it to end in .jsonl"],
    ),
    "object in .json": ("x.json", json.dumps({"data": [ROW]}), ["not an array", "[{...}, ...]"]),
    "scalars in .json": ("x.json", json.dumps([ROW, 3]), ["row 2 is 3, not an object"]),
    "cut off .json": ("x.json", json.dumps([ROW])[:-3], ["not valid JSON", "cut off"]),
    "list label": ("x.jsonl", jsonl(["b", "c"]), ["row 1 (line 1) holds ['b', 'c']", "no single class"]),
    "object label": ("x.json", "[" + jsonl({"b": 1}) + "]", ["row 1 holds {'b': 1}", "no single class"]),
    "number as text": (
        "x.jsonl",
        lines(ROW, {"text": 7, "label": "b"}),
        ["row 2 (line 2) holds 7 in column 'text', not a text"],
    ),
    "1 and '1'": ("x.jsonl", jsonl(1) + jsonl("1"), ["labels 1 and '1'", "one way"]),
    "1 and 1.0": ("x.jsonl", jsonl(1) + jsonl(1.0), ["labels 1 and 1.0", "one way"]),
    "half a character": ("x.jsonl", '{"text": "a\\ud83d", "label": "b"}\n', ["row 1 (line 1) has half a character"]),
    "half a character in a label": ("x.jsonl", '{"text": "a", "label": "\\ude00"}\n', ["half a character", "'label'"]),
    "damaged xlsx": ("x.xlsx", zip_bytes(), ["no workbook that can be read", "save it anew"]),
    "xlsx as .csv": ("x.csv", zip_bytes(), ["Excel", "whatever its ending '.csv' says"]),
    "gzip": ("x.csv.gz", gzip.compress(GOOD.encode()), ["compressed with gzip", "gunzip"]),
    "gzip as .jsonl": ("x.jsonl", gzip.compress(b"{}"), ["compressed with gzip", "'.jsonl'"]),
    "Parquet as .csv": ("x.csv", PARQUET, ["is a Parquet file", "rename it to end in .parquet"]),
    "text as .parquet": ("x.parquet", GOOD, ["is not Parquet", "text,label"]),
    "cut off Parquet": ("x.parquet", PARQUET[:-20], ["without its end", "cut off"]),
    "damaged Parquet": ("x.parquet", b"PAR1" + b"\1" * 200 + b"PAR1", ["damaged Parquet file"]),
    "LFS pointer": ("x.csv", "version https://git-lfs.github.com/spec/v1\n", ["Git LFS", "git lfs pull"]),
    "web page": ("x.csv", "<!DOCTYPE html><html></html>", ["web page"]),
    "unknown ending": ("x.txt", GOOD, ["unknown ending '.txt'", ".csv, .tsv, .xlsx, .jsonl, .ndjson, .json, .parquet"]),
    "no ending": ("x", GOOD, ["unknown ending ''"]),
}


def one_sentence(error: pytest.ExceptionInfo, fragments) -> None:
    message = str(error.value)
    assert all(fragment in message for fragment in fragments), message
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.parametrize("case", BROKEN)
def test_broken_file_gets_one_sentence(case, tmp_path):
    name, content, fragments = BROKEN[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    with pytest.raises(DataError) as error:
        read_table(path, strict=True)
    one_sentence(error, [str(path), *fragments])


class TestPaths:
    def test_missing_file_suggests_its_neighbour(self, tmp_path):
        (tmp_path / "tickets.csv").write_text(GOOD)
        with pytest.raises(DataError) as error:
            read_table(tmp_path / "ticket.csv")
        one_sentence(error, ["ticket.csv does not exist", "did you mean 'tickets.csv'?"])

    def test_missing_folder(self, tmp_path):
        with pytest.raises(DataError, match="does not exist; check the path"):
            read_table(tmp_path / "gone" / "x.csv")

    def test_folder(self, tmp_path):
        with pytest.raises(DataError, match="is a folder; name one file"):
            read_table(str(tmp_path))

    @pytest.mark.parametrize("path", ["a\0b.csv", "x" * 5000 + ".csv", ""])
    def test_impossible_paths(self, path):
        with pytest.raises(DataError):
            read_table(path)

    def test_unreadable(self, tmp_path, monkeypatch):
        def refuse(self, *_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("pathlib.Path.open", refuse)
        with pytest.raises(DataError, match=r"cannot be read \(Permission denied\)"):
            read_table(tmp_path / "x.csv")

    @pytest.mark.parametrize("encoding", ["utf9", "hex", "a\0b"])
    def test_unknown_encoding(self, tmp_path, encoding):
        (tmp_path / "x.csv").write_text(GOOD)
        with pytest.raises(DataError, match="there is no text encoding"):
            read_table(tmp_path / "x.csv", encoding=encoding)


@given(st.binary(max_size=300), st.sampled_from(["csv", "tsv", "jsonl", "json", "parquet", "xlsx"]), st.booleans())
def test_no_bytes_whatever_give_another_error(tmp_path_factory, data, ending, magic):
    path = tmp_path_factory.getbasetemp() / f"noise.{ending}"
    starts = {
        "parquet": b"PAR1",
        "xlsx": b"PK\x03\x04",
        "json": b"[{",
        "jsonl": b'{"text": "',
        "csv": b'text,label\n"',
        "tsv": b"text\tlabel\n",
    }
    path.write_bytes(starts[ending] + data + (b"PAR1" if ending == "parquet" else b"") if magic else data)
    with contextlib.suppress(DataError):
        assert len(read_table(path)) > 0


@given(st.integers(0, len(PARQUET) - 1), st.integers(0, 255))
def test_parquet_with_one_wrong_byte(tmp_path_factory, place, value):
    path = tmp_path_factory.getbasetemp() / "noise.parquet"
    path.write_bytes(PARQUET[:place] + bytes([value]) + PARQUET[place + 1 :])
    with contextlib.suppress(DataError):
        assert len(read_table(path)) > 0
