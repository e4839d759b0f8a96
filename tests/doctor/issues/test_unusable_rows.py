"""Words for one row and for several, and the first rows only where there are many."""

import numpy as np

from diagnoses import loaded
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.base import Data, Finding, LoadedTable
from sharprecl.doctor.issues.unusable_rows import Fault, UnusableRows, UnusableTestRows, faults


def table(texts) -> TextTable:
    return TextTable(tuple(texts), np.zeros(len(texts), dtype=np.int64), ("a",), "test")


def test_one_row_and_several() -> None:
    fault = Fault([4], "has no text", "have no text", "fill in")
    assert fault.finding(None, "").sentence == "1 row has no text: row 5"
    many = Fault(list(range(1200)), "has no text", "have no text", "fill in").finding(None, "test file: ")
    assert many.sentence.startswith("test file: 1,200 rows have no text: rows 1, 2, 3")
    assert many.sentence.endswith("10 and 1190 more")
    assert (many.rows, many.cure) == (tuple(range(1, 11)), "fill in")


def test_every_kind_is_looked_for_and_only_two_spellings_leave_the_rows_usable() -> None:
    kinds = list(faults(["one"], ["a"], "text", "label", None))
    assert len(kinds) == 8
    assert not any(fault.rows for fault in kinds)
    assert [fault.aside for fault in kinds] == [True] * 7 + [False]
    assert all(fault.aside for fault in faults(["one"], ["a"], "text", "label", ("a",)))


def test_values_that_cannot_be_hashed_do_no_harm() -> None:
    kinds = list(faults([{"a": 1}], [[1]], "text", "label", ("a",)))
    assert [fault.one for fault in kinds if fault.rows] == [
        "holds {'a': 1} in column 'text', not a text",
        "holds [1] in column 'label', which names no single class",
    ]


def test_a_test_file_is_told_of_apart_and_may_be_left_out() -> None:
    told, empty = Finding("problem", "rows", "test file: 1 row has no text: row 1"), loaded(table([]))
    given = Data(loaded(table(["one"])), LoadedTable(empty.table, empty.rows, 1, (told,)))
    assert UnusableRows(given).findings() == ()
    assert [one.sentence for one in UnusableTestRows(given).findings()] == [
        told.sentence,
        "test file: no row can be used, so it was left out",
    ]
    assert UnusableTestRows(Data(given.train)).findings() == ()
