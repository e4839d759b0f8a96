"""What a map of the test texts shows."""

import numpy as np

from sharprecl.report.embedding import MOST_POINTS, drawn_rows, embedding_map, named_classes


def test_few_texts_are_all_shown_and_many_are_drawn() -> None:
    assert drawn_rows(MOST_POINTS, seed=0).tolist() == list(range(MOST_POINTS))
    rows = drawn_rows(MOST_POINTS + 500, seed=0)
    assert len(rows) == MOST_POINTS
    assert (np.diff(rows) > 0).all()
    assert rows[-1] < MOST_POINTS + 500
    np.testing.assert_array_equal(drawn_rows(MOST_POINTS + 500, seed=0), rows)
    assert (drawn_rows(MOST_POINTS + 500, seed=1) != rows).any()


def test_big_classes_and_rare_ones_are_named() -> None:
    train_count_C = np.array([7, 900, 3, 50, 800, 20, 700, 600, 30, 500])
    big, rare = named_classes(np.arange(10), train_count_C)
    assert big.tolist() == [1, 4, 6, 7, 9]
    assert rare.tolist() == [2, 0, 5], "the rarest first"
    # A class without a test text has no point to name, and no class is both.
    big, rare = named_classes(np.array([2, 2, 0, 3, 1, 4, 6]), train_count_C)
    assert (big.tolist(), rare.tolist()) == ([1, 4, 6, 3, 0], [2])


def test_a_text_without_features_is_left_out_of_the_map() -> None:
    x_NH, y_N = np.random.default_rng(0).normal(size=(12, 4)), np.arange(12) % 2
    blank_NH, blank_N = np.vstack([x_NH[:5], np.full((1, 4), np.nan), x_NH[5:]]), np.insert(y_N, 5, 0)
    counts, names = np.array([6, 6]), ["a", "b"]
    found = embedding_map(names, counts, blank_NH, blank_N)
    assert found is not None
    assert found == embedding_map(names, counts, x_NH, y_N)
