"""Corrections win over training labels and bring new texts, and copies follow their originals."""

import numpy as np
import pytest

from sharprecl.data.corrected import corrected
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import DataError

TRAINING = (["a", "b", "a", "c", None], ["x", "x", "x", "y", "y"])


def pairs(table: TextTable) -> list[tuple[str, str]]:
    return [(text, table.label_names[label]) for text, label in zip(table.texts, table.label_ids, strict=True)]


def test_labels_are_replaced_and_texts_added() -> None:
    table = read_table(TRAINING)
    found = corrected(table, read_table((["a", "new", "c"], ["y", "x", "y"]), label_names=table.label_names))
    assert pairs(found) == [("a", "y"), ("b", "x"), ("a", "y"), ("c", "y"), ("new", "x")]
    assert found.in_source([4]).tolist() == [4]
    assert found.notes[-1] == "the given lists: 2 labels corrected, 1 text new"
    assert found.content_hash != table.content_hash


def test_no_correction_changes_nothing() -> None:
    table = read_table(TRAINING)
    found = corrected(table, read_table((["b"], ["x"]), label_names=table.label_names))
    assert found.content_hash == table.content_hash


def test_a_class_must_keep_a_text() -> None:
    table = read_table(TRAINING)
    with pytest.raises(DataError, match="leaves no text to 'y'"):
        corrected(table, read_table((["c"], ["x"]), label_names=table.label_names))
    found = corrected(table, read_table((["c", "d", ""], ["x", "y", "y"]), label_names=table.label_names))
    assert pairs(found)[3:] == [("c", "x"), ("d", "y")]


def test_copies_follow_their_original(tmp_path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label,augmented_from\na,x,\nb,x,\nc,y,\na 1,x,1\nc 1,y,3\n")
    table = read_table(path)
    found = corrected(table, read_table((["a", "new"], ["y", "x"]), label_names=table.label_names))
    assert pairs(found) == [("a", "y"), ("b", "x"), ("c", "y"), ("a 1", "y"), ("c 1", "y"), ("new", "x")]
    assert found.copies is not None
    assert found.copies.is_copy.tolist() == [False, False, False, True, True, False]
    assert found.copies.groups[-1] not in table.copies.groups
    assert np.array_equal(found.copies.groups[:-1], table.copies.groups)
