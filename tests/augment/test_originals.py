"""Which rows can have copies, and what their labels are."""

import polars as pl
import pytest

from sharprecl.augment.originals import LONGEST, Originals, originals_of, usable_rows
from sharprecl.data.tables import read_rows
from sharprecl.errors import DataError


def frame(**columns):
    return read_rows(pl.DataFrame(columns))


def test_labels_are_taken_where_there_are_some():
    rows = frame(text=["a", "b", "c", "d"], label=["x", None, " ", "y"])
    assert originals_of(rows, "text").labels == ["x", None, None, "y"]
    assert originals_of(rows, "text").label_names == ["x", "y"]
    assert originals_of(frame(text=["a", "b"], label=[0, 1]), "text").labels == ["0", "1"]
    without = originals_of(frame(text=["a"]), "text")
    assert (without.labels, without.label_names) == (None, [])


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"text": ["a"]}, {"need_labels": True}, "no column 'label'"),
        ({"text": ["a"], "label": ["x"]}, {"label": "lable"}, "did you mean 'label'"),
        ({"text": ["a", "b"], "label": ["x", None]}, {"need_labels": True}, "row 2 has no label"),
    ],
)
def test_labels_that_are_asked_for_must_be_there(columns, options, words):
    with pytest.raises(DataError, match=words):
        originals_of(frame(**columns), "text", **options)


def usable(texts, labels=None):
    return usable_rows(Originals(frame(text=texts), "text", labels))


def test_equal_texts_have_copies_once():
    found = usable(["a", "b", "a", "a"])
    assert (found.rows, found.repeated, found.contradicting, found.too_long) == ([0, 1], 2, 0, 0)


def test_a_text_with_two_labels_has_none():
    found = usable(["a", "b", "a", "b", "c"], ["x", "x", "y", None, "y"])
    assert (found.rows, found.repeated, found.contradicting) == ([1, 4], 1, 1)


def test_a_text_that_no_encoder_reads_to_its_end_has_none():
    long = "word " * (LONGEST // 5)
    assert usable([long, long + "x"]).rows == [0]
    assert usable([long, long + "x"]).too_long == 1
