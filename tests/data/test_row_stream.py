"""Files and pipes in blocks of rows: nothing may depend on where a block ends, or a piece of a pipe.

By hand, with 2,000 tables each: ``HYPOTHESIS_PROFILE=many pytest tests/data/test_row_stream.py``.
"""

import csv
import io
import json
import os
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.delimited import LONGEST
from sharprecl.data.dialect import RECOGNISED, Dialect
from sharprecl.data.formats import format_of
from sharprecl.data.row_stream import RowStream
from sharprecl.data.sources import tables_of, tables_of_pipe
from sharprecl.data.tables import read_rows
from sharprecl.data.workbook import read_workbook
from sharprecl.errors import DataError

NASTY = [
    "",
    " ",
    "a",
    "007",
    '"',
    "two\nlines",
    "x\r\ny",
    "\r",
    "é",
    "日本",
    "🙂",
    ";",
    ",",
    "\t",
    "\u2028",
    "=1",
    "x" * 99,
]
cells = st.one_of(st.sampled_from(NASTY), st.text('ab;,\t" \n', max_size=5))
tables = st.lists(st.tuples(cells, cells), min_size=1, max_size=16)
sizes = st.sampled_from([1, 2, 7])
values = st.one_of(cells, st.none(), st.booleans(), st.integers(-9, 9), st.lists(cells, max_size=2))
objects = st.lists(
    st.fixed_dictionaries({"text": cells}, optional={"id": values, "more": values}), min_size=1, max_size=16
)


def of_file(path: Path, rows: int, **options: str) -> RowStream:
    return RowStream(lambda: tables_of(path, Dialect(**options), rows), str(path), "text")


def of_pipe(data: bytes, kind: str | None, rows: int, pieces: list[int]) -> RowStream:
    class Pipe(io.BytesIO):
        def read1(self, _: int | None = -1) -> bytes:
            return self.read(pieces.pop() if pieces else 3)

    tables = tables_of_pipe(Pipe(data), kind, "text", RECOGNISED, rows)[1]
    return RowStream(lambda: tables, "standard input", "text", once=True)


def taken(stream: RowStream, rows: int) -> tuple[list[dict], list[str], list[tuple], tuple]:
    """All that a stream gives, cut in blocks of at most so many rows."""
    records, texts = [], []
    for block in stream.blocks():
        assert block.first == len(records)
        assert 0 < len(block.records) == len(block.texts) <= rows
        records += block.records
        texts += block.texts
    assert len(records) == stream.size
    return records, texts, [one[1:] for one in stream.set_aside], stream.names


def alike(path: Path, other: RowStream, rows: int) -> None:
    """The stream gives what the file read at once gives; or both refuse it."""
    try:
        whole = read_rows(path)
    except DataError:
        with pytest.raises(DataError):
            taken(other, rows)
        return
    records, texts, aside, names = taken(other, rows)
    assert records == whole.records
    assert tuple(texts) == whole.texts
    assert aside == [one[1:] for one in whole.set_aside]
    assert names == whole.names
    assert [note.partition(": ")[2] for note in other.notes] == [note.partition(": ")[2] for note in whole.notes]


@given(
    tables, sizes, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]), st.sampled_from(["\n", "\r\n", "\r"])
)
def test_blocks_of_delimited_rows(tmp_path_factory, rows, size, encoding, end):
    stream = io.StringIO()
    csv.writer(stream, lineterminator=end).writerows([("text", "id"), *rows])
    path = tmp_path_factory.getbasetemp() / "blocks.csv"
    path.write_bytes(stream.getvalue().encode(encoding, "replace"))
    alike(path, of_file(path, size), size)


@given(st.lists(st.sampled_from(["", "", "a", "b c", '""', " "]), min_size=1, max_size=12), sizes)
def test_empty_lines_of_a_single_column_are_rows_but_at_the_end(tmp_path_factory, lines, size):
    path = tmp_path_factory.getbasetemp() / "single.csv"
    path.write_text("text\n" + "".join(f"{line}\n" for line in lines))
    alike(path, of_file(path, size), size)


@given(objects, sizes, st.lists(st.sampled_from(["", " \n", "\n\n"]), min_size=16, max_size=16))
def test_blocks_of_json_lines(tmp_path_factory, rows, size, gaps):
    path = tmp_path_factory.getbasetemp() / "blocks.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" + gap for row, gap in zip(rows, gaps, strict=False)))
    alike(path, of_file(path, size), size)


@given(st.lists(st.tuples(cells, st.none() | st.integers(0, 9)), min_size=1, max_size=16), sizes)
def test_blocks_of_parquet(tmp_path_factory, rows, size):
    path = tmp_path_factory.getbasetemp() / "blocks.parquet"
    pl.DataFrame(rows, schema={"text": pl.String, "id": pl.Int64}, orient="row").write_parquet(path)
    alike(path, of_file(path, size), size)


@given(tables, sizes, st.lists(st.integers(1, 9), max_size=99), st.booleans())
def test_pieces_of_a_pipe(tmp_path_factory, rows, size, pieces, marked):
    stream = io.StringIO()
    csv.writer(stream).writerows([("text", "id"), *rows])
    path = tmp_path_factory.getbasetemp() / "piped.csv"
    path.write_text(stream.getvalue(), encoding="utf-8-sig" if marked else "utf-8", newline="")
    alike(path, of_pipe(path.read_bytes(), "csv", size, pieces), size)


@given(st.lists(st.text("ab é日\t,;\"'", max_size=5), min_size=1, max_size=12), sizes, st.lists(st.integers(1, 9)))
def test_plain_lines(lines, size, pieces):
    stream = of_pipe("".join(f"{line}\r\n" for line in lines).encode(), "lines", size, pieces)
    while lines and not lines[-1]:
        lines.pop()
    if not any(map(str.strip, lines)):
        with pytest.raises(DataError):
            taken(stream, size)
        return
    records, texts, aside, names = taken(stream, size)
    assert records == [{"text": line} for line in lines]
    assert texts == [line if line.strip() else "" for line in lines]
    assert [row for row, *_ in aside] == [row for row, text in enumerate(texts, start=1) if not text]
    assert names == ("text",)


def test_what_comes_through_a_pipe_is_recognised():
    for data, kind in ((b'\n {"text": "a"}\n', "jsonl"), (b"text\na\n", "csv")):
        assert tables_of_pipe(io.BytesIO(data), None, "text", RECOGNISED, 9)[0] == kind
    stream = of_pipe(b"text;id\na;1\nb;2\n", None, 9, [99])
    assert [block.records for block in stream.blocks()] == [[{"text": "a", "id": "1"}, {"text": "b", "id": "2"}]]
    assert stream.notes == ("standard input: its fields are separated by a semicolon",)


def test_a_pipe_gives_what_is_there_without_waiting_for_more():
    receiver, sender = os.pipe()
    with open(receiver, "rb") as source, open(sender, "wb", buffering=0) as sink:
        sink.write(b"text\none\n")
        _, tables = tables_of_pipe(source, "csv", "text", RECOGNISED, 4096)
        assert next(tables).column("text") == ["one"]
        sink.write(b"two\nthree\nfo")
        assert next(tables).column("text") == ["two", "three"]
        sink.write(b"ur\n")
        sink.close()
        assert next(tables).column("text") == ["four"]


@pytest.mark.parametrize(
    ("data", "kind", "sentence"),
    [
        (b"", None, "standard input is empty"),
        (b" \n\n", "lines", "standard input is empty"),
        (b"PAR1xxxx", None, "standard input is a Parquet file"),
        (b"body\na\n", "csv", "no column 'text' for the texts"),
        (b'{"body": "a"}\n', None, "no column 'text' for the texts"),
        (b"\xe0\xe1\xe2\xe3\n", "csv", "do not look like Western European text"),
        (
            b"text\n" + b"a\n" * 9 + b"\xe9t\xe9\n",
            "csv",
            r"not valid utf-8: byte 0xe9 at offset 23 \(line 11\).*cp1252",
        ),
        (b'{"text": "a"}\n{"text": "b"\n', None, "line 2 is no usable JSON object"),
        (b"[1]", "jsonl", "holds a JSON array"),
        (b'[{"text": "a"}]', "csv", "write one object a line, and give --format jsonl"),
        (b"text\n\na\n\0\n", "csv", "NUL character in line 4"),
        (b'text,id\na,"1\n', "csv", "the quote that opens in line 2 is never closed"),
    ],
)
def test_what_is_wrong_with_a_pipe_is_one_sentence(data, kind, sentence):
    with pytest.raises(DataError, match=sentence) as error:
        taken(of_pipe(data, kind, 4, [6] * 99), 4)
    assert "\n" not in str(error.value)


def test_a_fault_far_down_names_its_row_and_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("text,id\n" + "a\n,b\n".replace("a\n", "") * 3 + '"two\nlines",c\nshort\n')
    with pytest.raises(DataError, match=r"row 5 \(line 7\) has another number of fields \(1\) than the header \(2\)"):
        taken(of_file(path, 2), 2)
    path.write_text("text,id\n" + "a,b\n" * 5 + '"a"b,c\n')
    with pytest.raises(DataError, match=r"the quote that opens in line 7 closes in line 7 before 'b,c"):
        taken(of_file(path, 2), 2)
    (tmp_path / "x.jsonl").write_text('{"text": "a"}\n' * 5 + '{"text": 7}\n')
    with pytest.raises(DataError, match=r"row 6 \(line 6\) holds 7 in column 'text', not a text"):
        taken(of_file(tmp_path / "x.jsonl", 2), 2)


def test_long_texts_end_a_block_early(tmp_path, monkeypatch):
    monkeypatch.setattr("sharprecl.data.text_lines._PIECE", 1000)
    monkeypatch.setattr("sharprecl.data.delimited.SAMPLED_CHARACTERS", 500)
    for module in ("delimited", "json_rows"):
        monkeypatch.setattr(f"sharprecl.data.{module}.CHARACTERS", 3000)
    (tmp_path / "x.csv").write_text("text\n" + ("x" * 499 + "\n") * 40)
    (tmp_path / "x.jsonl").write_text((json.dumps({"text": "x" * 485}) + "\n") * 40)
    for name in ("x.csv", "x.jsonl"):
        blocks = [len(block.texts) for block in of_file(tmp_path / name, 4096).blocks()]
        assert sum(blocks) == 40
        assert max(blocks) <= 8


def test_an_unclosed_quote_does_not_read_the_rest_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("sharprecl.data.delimited.LONGEST", 1000)
    monkeypatch.setattr(csv, "field_size_limit", lambda limit=None, real=csv.field_size_limit: real(1000))
    (tmp_path / "x.csv").write_text('text\na\n"' + "b\n" * 10_000)
    with pytest.raises(DataError, match="the quote that opens in line 3 is never closed"):
        read_rows(tmp_path / "x.csv")
    csv.field_size_limit(LONGEST)


def test_names_of_json_and_missing_columns_are_known_after_a_pass(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"id": 1}\n{"text": "a"}\n{"more": 2, "text": "b"}\n')
    stream = of_file(tmp_path / "x.jsonl", 1)
    assert [block.texts for block in stream.blocks()] == [("",), ("a",), ("b",)]
    assert stream.names == ("id", "text", "more")
    (tmp_path / "x.jsonl").write_text('{"id": 1}\n{"body": "a"}\n')
    with pytest.raises(DataError, match=r"no column 'text' for the texts; its columns are 'id' and 'body'"):
        taken(of_file(tmp_path / "x.jsonl", 1), 1)


def test_all_rows_without_a_text_are_refused_however_they_are_cut(tmp_path):
    (tmp_path / "x.csv").write_text("text,id\n,1\n ,2\n,3\n")
    with pytest.raises(DataError, match=r"3 rows have no text: rows 1 \(line 2\), 2 \(line 3\) and 3 \(line 4\)"):
        taken(of_file(tmp_path / "x.csv", 1), 1)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@given(rows=objects, size=sizes, for_excel=st.booleans())
def test_any_table_is_written_alike_in_blocks(tmp_path_factory, ending, rows, size, for_excel):
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    new = {"p": [None if n % 3 else n / 7 for n in range(len(rows))]}
    paths = []
    for name, rows_a_block in (("whole", len(rows)), ("blocks", size)):
        form = format_of(ending, "x", for_excel=for_excel)
        path = tmp_path_factory.getbasetemp() / f"{name}{ending}"
        try:
            with path.open("wb") as stream:
                stream.write(form.start((*names, "p"), ";"))
                for start in range(0, len(rows), rows_a_block):
                    part = slice(start, start + rows_a_block)
                    form.examine(rows[part], start)
                    stream.write(form.rows(rows[part], {"p": new["p"][part]}))
            paths.append(form.finish(path).replace(path))
        except DataError:
            paths.append(None)
    one, other = paths
    if ending == ".parquet":
        # True among whole numbers is 1 in a block of both, and refused where they are in two.
        if one and other:
            assert pl.read_parquet(one).equals(pl.read_parquet(other))
    else:
        assert (one and one.read_bytes()) == (other and other.read_bytes())


def test_a_workbook_is_written_alike_in_blocks(tmp_path):
    rows = [{"text": "=1", "n": 1, "x": None}, {"text": "", "n": 2.5, "x": True}, {"text": "é\n", "n": "007", "x": [1]}]
    sheets = []
    for size in (1, 3):
        form, part = format_of(".xlsx", "x"), tmp_path / "part"
        form.start(("text", "n", "x"))
        part.write_bytes(b"".join(form.rows(rows[start : start + size]) for start in range(0, 3, size)))
        sheets.append(read_workbook(form.finish(part).read_bytes(), None, "x").records())
    assert (
        sheets[0]
        == sheets[1]
        == [
            {"text": "=1", "n": "1", "x": ""},
            {"text": "", "n": "2.5", "x": "true"},
            {"text": "é\n", "n": "007", "x": "[1]"},
        ]
    )
