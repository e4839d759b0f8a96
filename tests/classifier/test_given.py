"""X and y in whatever holds them."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.exceptions import DataConversionWarning

from sharprecl.classifier.given import labels_of, texts_of
from sharprecl.errors import DataError

TEXTS = ["one", "two", "three"]


@pytest.mark.parametrize(
    "X",
    [
        TEXTS,
        tuple(TEXTS),
        np.array(TEXTS),
        np.array(TEXTS, dtype=object),
        np.array(TEXTS)[:, None],
        iter(TEXTS),
        pd.Series(TEXTS, index=[7, 8, 9]),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pd.DataFrame({"body": TEXTS}),
        pl.DataFrame({"body": TEXTS}),
        pd.DataFrame({"number": [1, 2, 3], "text": TEXTS}),
        pl.DataFrame({"number": [1, 2, 3], "text": TEXTS}),
        pl.DataFrame({"number": [1, 2, 3], "text": TEXTS}).to_arrow(),
    ],
    ids=lambda X: f"{type(X).__module__.partition('.')[0]}-{type(X).__name__}",
)
def test_texts_come_in_many_things(X: Any) -> None:
    texts, blank = texts_of(X, "text")
    assert (texts, blank) == (TEXTS, [])
    assert {type(text) for text in texts} == {str}


def test_a_column_is_taken_by_its_name() -> None:
    frame = pd.DataFrame({"body": TEXTS, "text": ["no"] * 3})
    assert texts_of(frame, "body")[0] == TEXTS
    with pytest.raises(DataError, match=r"columns 'body' and 'text', none of them 'bodi' \(did you mean 'body'\?\)"):
        texts_of(frame, "bodi")


def test_rows_without_text_are_named(recwarn: pytest.WarningsRecorder) -> None:
    for missing in ("", " \t\n", None, np.nan, pd.NA, pd.NaT):
        assert texts_of(["one", missing, "two"], "text") == (["one", "", "two"], [1])
    assert texts_of(pd.Series(["one", None]), "text") == (["one", ""], [1])
    assert texts_of(pl.Series(["one", None]), "text") == (["one", ""], [1])
    assert not recwarn.list


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ("one", r"put it in brackets: \[text\]"),
        (b"one", r"put it in brackets: \[text\]"),
        (["one", 2, 3.5], r"rows 2 and 3: not a text but 2; convert"),
        ([b"one"], r"row 1: not a text but b'one'"),
        (np.zeros((2, 3)), r"shape \(2, 3\); give texts"),
        (np.array("one"), r"shape \(\)"),
        ({"text": TEXTS}, r"as in X\['text'\]"),
        (scipy.sparse.csr_array(np.eye(2)), "sparse matrix"),
        (7, "X is 7, which holds no texts"),
        (pd.DataFrame({"a": TEXTS, "b": TEXTS}), r"X\['a'\], or name it: TextClassifier\(text_column='a'\)"),
        (["half \ud83d"], "row 1: half a character"),
    ],
)
def test_what_holds_no_texts_is_refused(X: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        texts_of(X, "text")


def test_labels_come_in_many_things() -> None:
    for y in (
        [1, 2],
        (1, 2),
        np.array([1, 2]),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        np.array([1.0, 2.0]),
        iter([1, 2]),
    ):
        assert [*map(type, labels_of(y))] == [int, int]
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        assert labels_of(pd.DataFrame({"label": ["a", "b"]})) == ["a", "b"]
    assert labels_of([0.5, True, None, np.nan, "x"]) == [0.5, True, None, None, "x"]
    for y, sentence in ((None, "fit needs labels"), ("one", "1d array"), (7, "1d array"), (np.eye(2), "1d array")):
        with pytest.raises(DataError, match=sentence):
            labels_of(y)
