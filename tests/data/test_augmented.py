"""CopyRows never judge what learned their originals."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.augmented import CopyRows, split_originals, text_mark
from sharprecl.data.splits import text_groups
from sharprecl.data.tables import read_table
from sharprecl.errors import DataError

FILE = "text,label,augmented_from\na,x,\nb,x,\na,x,\nc,y,\na 1,x,1\na 2,x,1\nc 1,y,4\n"


def test_a_copy_belongs_to_its_text(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(FILE)
    table = read_table(path)
    assert table.copies.is_copy.tolist() == [False] * 4 + [True] * 3
    assert table.copies.groups.tolist() == [0, 1, 0, 2, 0, 0, 2]
    assert table.select([6, 0]).copies.groups.tolist() == [2, 0]


@pytest.mark.parametrize("number", ["9", "0", "5", "x", "-1", "4" * 5000])
def test_a_number_without_an_original_is_refused(tmp_path, number):
    path = tmp_path / "x.csv"
    path.write_text(FILE.replace("c 1,y,4", f"c 1,y,{number}"))
    with pytest.raises(DataError, match=r"row 7 \(line 8\) names no original row"):
        read_table(path)


def test_by_number_alone_a_copy_with_another_label_than_its_original_is_refused(tmp_path):
    """Regression: without row 3 every number named another text, and nobody noticed."""
    path = tmp_path / "x.csv"
    path.write_text(FILE.replace("c 1,y,4", "c 1,y,3"))
    with pytest.raises(DataError, match=r"row 7 \(line 8\) names a row with another label"):
        read_table(path)


ORIGINALS = [("a", "x"), ("b", "x"), ("c", "y"), ("d", "y")]


def marked(path, keep):
    """Two copies of each original behind them; only the rows of ``keep``, in that order."""
    every = [(text, label, "", "") for text, label in ORIGINALS] + [
        (f"{text} {k}", label, row, text_mark(text)) for row, (text, label) in enumerate(ORIGINALS, 1) for k in (1, 2)
    ]
    with path.open("w", newline="") as stream:
        names = ("text", "label", "augmented_from", "augmented_from_text")
        csv.writer(stream).writerows([names, *(every[row] for row in keep)])
    return path


@given(st.permutations(range(12)), st.integers(0, 10))
def test_marks_hold_whatever_rows_are_deleted_or_moved(tmp_path_factory, order, deleted):
    keep = order[deleted:]
    if len({(ORIGINALS * 2)[row % 4 if row < 4 else (row - 4) // 2][1] for row in keep}) < 2:
        return
    table = read_table(marked(tmp_path_factory.mktemp("x") / "x.csv", keep))
    if max(keep) < 4:
        assert table.copies is None
        return
    assert table.copies.is_copy.tolist() == [row >= 4 for row in keep]
    assert table.copies.groups.tolist() == text_groups([text[0] for text in table.texts]).tolist()


def test_copies_alone_are_split_by_their_texts(tmp_path):
    table = read_table(marked(tmp_path / "x.csv", range(4, 12)))
    fit, held = split_originals(table.label_ids, 0.5, 0, table.texts, table.copies)
    assert sorted([*fit, *held]) == list(range(8))
    assert len(held) == 4
    assert not {table.texts[row][0] for row in fit} & {table.texts[row][0] for row in held}


def test_of_a_class_with_copies_of_one_text_nothing_is_held_out():
    groups, labels = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 1])
    fit, held = split_originals(labels, 0.5, 0, list("uvwxyz"), CopyRows(np.ones(6, dtype=bool), groups))
    assert labels[held].tolist() == [1, 1]
    assert not set(groups[fit]) & set(groups[held])
    assert sorted([*fit, *held]) == list(range(6))


@pytest.mark.parametrize("mark", ["", "3", "1.2E+15", "CA978112CA1BBDCA"])
def test_a_mark_that_is_none_is_refused(tmp_path, mark):
    path = marked(tmp_path / "x.csv", range(12))
    path.write_text(path.read_text().replace(text_mark("a"), mark, 1))
    with pytest.raises(DataError, match=r"row 5 \(line 6\) does not hold the 16 hexadecimal digits"):
        read_table(path)


@pytest.mark.parametrize("text", ["text,label\na,x\nb,y\n", "text,label,augmented_from\na,x,\nb,y,\n"])
def test_without_copies_there_is_nothing(tmp_path, text):
    path = tmp_path / "x.csv"
    path.write_text(text)
    assert read_table(path).copies is None


rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), st.booleans()), min_size=2, max_size=40)


@given(rows, st.integers(0, 5))
def test_only_originals_are_held_out_and_none_has_a_copy_in_training(some, seed):
    groups, labels, is_copy = (np.array(part) for part in zip(*some, strict=True))
    is_copy &= np.array([any(g == h and not c for h, _, c in some) for g in groups])  # a copy has an original
    texts = [f"{g}" if not c else f"{g} copy {n}" for n, (g, c) in enumerate(zip(groups, is_copy, strict=True))]
    fit, held = split_originals(labels, 0.2, seed, texts, CopyRows(is_copy, groups))
    assert not is_copy[held].any()
    assert not set(groups[fit][is_copy[fit]]) & set(groups[held])
    assert not set(fit) & set(held)
    real = np.flatnonzero(~is_copy)
    assert set(real) <= set(fit) | set(held)
    plain_fit, plain_held = split_originals(labels[real], 0.2, seed, [texts[row] for row in real], None)
    assert text_groups([texts[row] for row in real]).tolist() == text_groups(groups[real].tolist()).tolist()
    assert (real[plain_held].tolist(), real[plain_fit].tolist()) == (held.tolist(), [n for n in fit if not is_copy[n]])


def test_other_copies_are_another_content(tmp_path):
    hashes = []
    for number in ("1", "2"):
        path = tmp_path / f"{number}.csv"
        path.write_text(FILE.replace("a 1,x,1", f"a 1,x,{number}"))
        hashes.append(read_table(path).content_hash)
    table = read_table(path)
    plain = read_table((list(table.texts), [table.label_names[label] for label in table.label_ids]))
    assert len({*hashes, plain.content_hash}) == 3
