"""Whatever a table holds, reading it ends in a table without silent losses, or in one sentence.

By hand, with 2,000 tables each: ``HYPOTHESIS_PROFILE=many pytest tests/data/test_hostile_tables.py``.
"""

import csv
import io
import json

import pytest
import xlsxwriter
from hypothesis import given, note
from hypothesis import strategies as st

from sharprecl.data.dialect import SPOKEN
from sharprecl.data.formats import ENDINGS
from sharprecl.data.tables import read_rows, read_table
from sharprecl.data.writers import write_predictions
from sharprecl.doctor.loading import load
from sharprecl.errors import SharpReCLError

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1", "cp1251", "shift_jis", "utf-32"]
NASTY = [
    "", " ", "\t", "\u00a0", "\u3000", "\u200b", "\ufeff", "a", "A", " a ", "007", "1,5", "=1+1", "'", '"', '""', '"a',
    ";", ",", "|", "sep=;", "x\ny", "x\r\ny", "\r", "NULL", "nan", "é", "e\u0301", "ß", "Привет", "日本", "🙂", "\x00",
    "x" * 40_000, "text", "label", "\u2028", "\x85", "\x1a", 'a"b',
]  # fmt: skip
cells = st.one_of(st.sampled_from(NASTY), st.text(max_size=6), st.text('ab;,\t" \n', max_size=8))
tables = st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=9)
headers = st.one_of(st.just(("text", "label", "id")), st.tuples(st.just("text"), st.just("label"), cells))


def sentence(error: SharpReCLError) -> None:
    words = str(error)
    note(words)
    assert words
    assert "\n" not in words
    assert len(words) < 1500
    assert "Traceback" not in words


def check(path, rows, **options) -> None:
    """Read in every way; ``rows`` is how many there must be, None where nobody can say."""
    try:
        found = read_rows(path, **options)
    except SharpReCLError as error:
        sentence(error)
    else:
        assert rows is None or len(found) == rows
        assert len(found.records) == len(found.texts) == sum(map(bool, found.texts)) + len(found.set_aside)
    for strict in (False, True):
        try:
            table = read_table(path, strict=strict, **options)
        except SharpReCLError as error:
            sentence(error)
        else:
            assert not (strict and table.set_aside)
            assert rows is None or len(table) + len(table.set_aside) == rows
            assert all(map(str.strip, table.texts))
            assert all(map(str.strip, table.label_names))
            if not strict:
                seen = [*table.in_source(range(len(table))).tolist(), *(one.row - 1 for one in table.set_aside)]
                assert sorted(seen) == list(range(len(seen)))
                judged = read_table(path, label_names=table.label_names, **options)
                assert judged.content_hash is not None
                assert judged.set_aside == table.set_aside
    try:
        examined = load(path)
    except SharpReCLError as error:
        sentence(error)
    else:
        assert rows is None or examined.size == rows


@given(
    headers,
    tables,
    st.sampled_from(ENCODINGS),
    st.sampled_from(list(SPOKEN)),
    st.sampled_from(["csv", "tsv"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\r\n", "\n"]),
)
def test_delimited(tmp_path_factory, header, rows, encoding, delimiter, ending, quoting, end):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows([header, *rows])
    path = tmp_path_factory.getbasetemp() / f"hostile.{ending}"
    path.write_bytes(stream.getvalue().encode(encoding, "replace"))
    plain = "\0" not in stream.getvalue() and encoding != "shift_jis" and header[2] == "id"
    check(path, len(rows) if plain and encoding.startswith("utf") and quoting == csv.QUOTE_ALL else None)
    check(path, None, separator=delimiter, encoding=encoding)


@given(headers, tables, st.randoms())
def test_damaged_delimited(tmp_path_factory, header, rows, random):
    stream = io.StringIO()
    csv.writer(stream).writerows([header, *rows])
    data = bytearray(stream.getvalue().encode("utf-8", "replace"))
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(data))
        noise = random.choices(b'",;\t\r\n\x00\xff a', k=random.randint(0, 2))
        data[place : place + random.randint(0, 2)] = bytes(noise)
    path = tmp_path_factory.getbasetemp() / "damaged.csv"
    path.write_bytes(bytes(data))
    check(path, None)


values = st.one_of(cells, st.none(), st.booleans(), st.integers(), st.floats(), st.lists(cells, max_size=2))


@given(st.lists(st.dictionaries(st.sampled_from(["text", "label", "id", ""]), values), min_size=1, max_size=9))
def test_json(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    (folder / "hostile.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "hostile.json").write_text(json.dumps(rows))
    for ending in ("jsonl", "json"):
        check(folder / f"hostile.{ending}", len(rows))


@given(headers, st.lists(st.tuples(values, values, values), min_size=1, max_size=9), st.booleans(), st.booleans())
def test_workbooks(tmp_path_factory, header, rows, merged, formula):
    path = tmp_path_factory.getbasetemp() / "hostile.xlsx"
    with xlsxwriter.Workbook(path, {"nan_inf_to_errors": True, "strings_to_urls": False}) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([header, *rows]):
            for column, value in enumerate(row):
                if isinstance(value, str):
                    sheet.write_string(place, column, value[:32_767])
                elif isinstance(value, bool | int | float) and abs(value) < 1e15:
                    sheet.write(place, column, value)
        if merged:
            sheet.merge_range(1, 1, len(rows) + 1, 1, "one label for all")
        if formula:
            sheet.write_formula(len(rows) + 1, 0, "=A1")
    check(path, None)


@pytest.mark.parametrize("ending", ENDINGS)
@given(rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=9), for_excel=st.booleans())
def test_what_is_written_is_read_again(tmp_path_factory, ending, rows, for_excel):
    path = tmp_path_factory.getbasetemp() / f"written{ending}"
    texts = [text for text, _ in rows]
    try:
        write_predictions(read_rows(texts), {"label": [label for _, label in rows]}, path, for_excel=for_excel)
        back = read_rows(path)
    except SharpReCLError as error:
        sentence(error)
        return
    if ending == ".xlsx":  # a sheet ends with the last row that has something in it
        while not any(map(str.strip, rows[-1])):
            rows = rows[:-1]
        texts = texts[: len(rows)]
    assert len(back) == len(rows)
    if not (for_excel and ending in (".csv", ".tsv")):
        blank = [text if text.strip() else "" for text in texts]
        assert back.texts == tuple(blank)
        assert [record["label"] or "" for record in back.records] == [label for _, label in rows]
