"""Workbooks read as the text that their cells show, and written so that Excel changes nothing."""

import contextlib
import datetime
import io

import pytest
import xlsxwriter

from sharprecl.data.tables import read_rows, read_table
from sharprecl.data.workbook import MOST_CHARACTERS
from sharprecl.data.writers import check_output, write_predictions
from sharprecl.errors import DataError


def workbook(path, sheets, merged=()):
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for row, values in enumerate(rows):
                for column, value in enumerate(values):
                    if value is not None:
                        sheet.write(row, column, value)
            for cells in merged:
                sheet.merge_range(cells, "merged")
    return path


def test_cells_become_the_text_that_they_show(tmp_path):
    rows = [
        ["id", "text", "label", "when", "sure"],
        [7, "Größe €5", 1, datetime.datetime(2026, 1, 2, 3, 4), True],
        [0.1 + 0.2, "plain", "007", None, False],
        [12345678901, "long", 1.5, None, None],
    ]
    found = read_table(workbook(tmp_path / "x.xlsx", {"Tickets": rows}))
    assert found.texts == ("Größe €5", "plain", "long")
    assert found.label_names == ("007", "1", "1.5")
    records = read_rows(tmp_path / "x.xlsx").records
    assert records[0] == {"id": "7", "text": "Größe €5", "label": "1", "when": "2026-01-02 03:04:00", "sure": "true"}
    assert [records[1]["id"], records[2]["id"], records[1]["when"]] == ["0.3", "12345678901", ""]


def test_rows_are_those_of_the_sheet(tmp_path):
    rows = [[], [None, "text", "label"], [], [None, "a", "x"], [None, None, "y"], [None, "b", None], [None, "c", "y"]]
    table = read_table(workbook(tmp_path / "x.xlsx", {"One": rows}))
    assert table.texts == ("a", "c")
    assert [one[1:] for one in table.set_aside] == [(1, 3, "text and label"), (3, 5, "text"), (4, 6, "label")]


def test_formulas_have_their_last_value_and_merged_cells_one(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "x.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["text", "label"])
        sheet.write_formula(1, 0, '="a"&"b"', value="ab")
        sheet.write_formula(2, 0, "=1/0", value="#DIV/0!")
        sheet.write(3, 0, "c")
        sheet.merge_range("B2:B4", "x")
        sheet.write_row(4, 0, ["d", "y"])
    table = read_table(tmp_path / "x.xlsx")
    assert (table.texts, table.label_names) == (("ab", "d"), ("x", "y"))
    assert [one[1:] for one in table.set_aside] == [(2, 3, "text and label"), (3, 4, "label")]


class TestSheets:
    def test_of_several_one_must_be_named(self, tmp_path):
        rows = [["text", "label"], ["a", "x"], ["b", "y"]]
        path = workbook(tmp_path / "x.xlsx", {"One": rows, "Two": [*rows[:2], ["c", "z"]], "Empty": []})
        with pytest.raises(DataError, match=r"several sheets \('One' and 'Two'\); name one with --sheet"):
            read_table(path)
        assert read_table(path, sheet="Two").label_names == ("x", "z")
        with pytest.raises(DataError, match=r"no sheet 'one' \(did you mean 'One'\?\)"):
            read_table(path, sheet="one")
        with pytest.raises(DataError, match="has nothing in this sheet"):
            read_table(path, sheet="Empty")

    def test_hidden_ones_are_not_taken_unasked(self, tmp_path):
        rows = [["text", "label"], ["a", "x"], ["b", "y"]]
        with xlsxwriter.Workbook(tmp_path / "x.xlsx") as book:
            for name in ("Shown", "Hidden"):
                sheet = book.add_worksheet(name)
                for place, row in enumerate(rows):
                    sheet.write_row(place, 0, row)
            sheet.hide()
        assert len(read_table(tmp_path / "x.xlsx")) == len(read_table(tmp_path / "x.xlsx", sheet="Hidden")) == 2

    @pytest.mark.parametrize("rows", [[], [[" "]]])
    def test_empty(self, tmp_path, rows):
        with pytest.raises(DataError, match=r"has nothing in its sheets?; was it saved\?"):
            read_table(workbook(tmp_path / "x.xlsx", {"One": rows}))

    def test_a_value_beside_the_table(self, tmp_path):
        rows = [["text", "label"], ["a", "x"], ["b", "y", None, "stray"]]
        with pytest.raises(DataError, match="row 3 of the sheet holds 'stray' in a column without a name"):
            read_table(workbook(tmp_path / "x.xlsx", {"One": rows}))


STRANGE = ["=1+1", "-3,5", "@here", "007", "1e5", "http://x.y", " spaced ", "two\nlines", "_x0041_", "ü" * 300, "\x01"]


def test_texts_stay_texts(tmp_path):
    rows = read_rows(STRANGE)
    write_predictions(rows, {"predicted": STRANGE[::-1], "confidence": [0.25] * len(STRANGE)}, tmp_path / "out.xlsx")
    back = read_rows(tmp_path / "out.xlsx")
    assert back.texts == tuple(STRANGE)
    assert [record["predicted"] for record in back.records] == STRANGE[::-1]
    assert {record["confidence"] for record in back.records} == {"0.25"}


def test_numbers_that_would_lose_digits_are_written_as_text(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"text": "a", "id": 12345678901234567890, "p": 0.5, "tags": ["x"]}\n')
    write_predictions(read_rows(tmp_path / "x.jsonl"), {}, tmp_path / "out.xlsx")
    assert read_rows(tmp_path / "out.xlsx").records == [
        {"text": "a", "id": "12345678901234567890", "p": "0.5", "tags": '["x"]'}
    ]


def test_what_a_sheet_cannot_hold_is_refused_before_the_work(tmp_path):
    check_output(read_rows(["x" * MOST_CHARACTERS]), [], tmp_path / "out.xlsx")
    with pytest.raises(DataError, match=r"row 2 has 32,768 characters in column 'text'.*write to \.csv"):
        check_output(read_rows(["a", "x" * (MOST_CHARACTERS + 1)]), [], tmp_path / "out.xlsx")


def test_csv_for_excel(tmp_path):
    (tmp_path / "x.csv").write_text("text;price\n=HYPERLINK(1);-3,5\n+49 30;+7\nGröße;@a\n")
    write_predictions(read_rows(tmp_path / "x.csv"), {"p": [-0.5] * 3}, tmp_path / "out.csv", for_excel=True)
    assert (tmp_path / "out.csv").read_bytes().decode() == (
        "\ufefftext;price;p\n'=HYPERLINK(1);-3,5;-0.5\n'+49 30;+7;-0.5\nGröße;'@a;-0.5\n"
    )
    assert read_rows(tmp_path / "out.csv").texts == ("'=HYPERLINK(1)", "'+49 30", "Größe")


def test_without_the_extra_the_cure_is_named(tmp_path, monkeypatch):
    import sys

    path = workbook(tmp_path / "x.xlsx", {"One": [["text"], ["a"]]})
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(Exception, match=r"pip install 'sharprecl\[excel\]'"):
        read_rows(path)
    with pytest.raises(Exception, match=r"pip install 'sharprecl\[excel\]'"):
        check_output(read_rows(["a"]), [], tmp_path / "out.xlsx")


def test_one_wrong_byte(tmp_path):
    buffer = io.BytesIO()
    workbook(buffer, {"One": [["text", "label"], ["a", "x"], ["b", "y"]]})
    data, path = buffer.getvalue(), tmp_path / "noise.xlsx"
    for place in range(0, len(data), 97):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        with contextlib.suppress(DataError):
            assert len(read_table(path)) > 0
