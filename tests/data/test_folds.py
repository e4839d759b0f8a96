"""Folds hold every text out once, and never one whose like is learnt from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.augmented import CopyRows
from sharprecl.data.folds import deal_folds, hold_out_once
from sharprecl.data.leaks import find_leaks
from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError


def table_of(texts: list[str], labels: list[int], copies: CopyRows | None = None) -> TextTable:
    ids = np.array(labels)
    return TextTable(tuple(texts), ids, tuple(map(str, range(ids.max() + 1))), "made up", copies=copies)


WORDS = st.sampled_from(["a", "A!", "b", "c", "d", "e", "f", "g"])
ROWS = st.lists(st.tuples(WORDS, st.integers(0, 2)), min_size=2, max_size=24).filter(
    lambda rows: {label for _, label in rows} == {0, 1, 2}
)


@given(ROWS, st.integers(2, 5), st.integers(0, 99))
def test_nothing_held_out_is_learnt_from_and_no_class_is_missing(
    rows: list[tuple[str, int]], number: int, seed: int
) -> None:
    table = table_of([text for text, _ in rows], [label for _, label in rows])
    for folds in (deal_folds(table, number, seed), hold_out_once(table, seed)):
        held = np.concatenate([fold.held for fold in folds]) if folds else np.empty(0)
        assert len(set(held.tolist())) == len(held), "held out once"
        for fold in folds:
            fitted, judged = table.select(fold.fit), table.select(fold.held)
            assert len(judged)
            assert fitted.class_counts.all()
            assert not find_leaks(fitted, judged).rows
            assert len(fold.fit) + len(fold.held) == len(table)


def test_every_text_of_a_class_with_two_is_held_out_once() -> None:
    labels = np.random.default_rng(0).permutation(np.repeat(np.arange(5), [40, 16, 7, 2, 1]))
    table = table_of([str(row) for row in range(66)], labels.tolist())
    folds = deal_folds(table, 3, seed=0)
    held = np.concatenate([fold.held for fold in folds])
    single = np.flatnonzero(labels == 4)
    assert sorted([*held, *single]) == list(range(len(table)))
    sizes = [len(fold.held) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for fold in folds:
        counts = table.select(fold.held).class_counts
        assert np.all(np.abs(counts - table.class_counts / 3) <= 1)
    (once,) = hold_out_once(table, seed=0)
    assert table.select(once.held).class_counts.tolist() == [8, 3, 1, 1, 0]


def test_copies_are_learnt_from_but_never_without_their_text() -> None:
    texts = ["a", "b", "c", "d", "a1", "a2", "b1", "x1"]
    copies = CopyRows(np.array([False] * 4 + [True] * 4), np.array([0, 1, 2, 3, 0, 0, 1, 4]))
    table = table_of(texts, [0, 0, 1, 1, 0, 0, 0, 1], copies)
    assert table.natural_counts.tolist() == [2, 2]
    for fold in deal_folds(table, 2, seed=0):
        assert not copies.is_copy[fold.held].any()
        assert not set(copies.groups[fold.fit]) & set(copies.groups[fold.held])
        assert 7 in fold.fit, "a copy without its text is learnt from"


def test_copies_alone_stand_for_their_texts() -> None:
    copies = CopyRows(np.ones(6, dtype=bool), np.array([0, 0, 1, 2, 2, 2]))
    table = table_of(list("abcdef"), [0, 0, 0, 1, 1, 1], copies)
    assert table.natural_counts.tolist() == [3, 3], "nothing else says how frequent they are"
    held = [fold.held.tolist() for fold in deal_folds(table, 2, seed=0)]
    assert sorted(held) == [[0, 1], [2]]


def test_which_texts_come_together_follows_from_the_seed() -> None:
    table = table_of([str(row) for row in range(40)], [row % 2 for row in range(40)])
    first, again, other = (deal_folds(table, 2, seed)[0].held.tolist() for seed in (0, 0, 1))
    assert first == again != other


def test_where_no_class_has_two_texts_there_are_no_folds() -> None:
    table = table_of(["a", "b", "c"], [0, 1, 2])
    assert deal_folds(table, 3, 0) == hold_out_once(table, 0) == []
    with pytest.raises(ConfigError, match="leave nothing to train on"):
        deal_folds(table, 1, 0)
