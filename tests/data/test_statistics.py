"""The figures of a split, on tables small enough to count by hand."""

from dataclasses import asdict

from sharprecl.data.statistics import split_statistics
from sharprecl.data.tables import read_table


def test_every_figure() -> None:
    names = ("few", "many", "never", "tested")
    train = read_table(
        (
            ["The cat sat", "the cat sat", "The cat sat", "a dog", "a dog", "one  two\tthree four"],
            ["many", "many", "few", "many", "many", "few"],
        ),
        label_names=names,
    )
    test = read_table((["A dog!", "the cat sat", "new", "new"], ["many", "few", "tested", "tested"]), label_names=names)
    assert asdict(split_statistics(train, test)) == {
        "train": 6,
        "test": 4,
        "classes": 3,
        "classes_train": 2,
        "classes_test": 3,
        "ir_train": 2.0,
        "ir_all": 2.5,
        "avg_words_train": 2.83,
        "avg_words_all": 2.4,
        "max_words": 4,
        "vocab_train": 10,
        "vocab_all": 13,
        "vocab_all_lower": 11,
        "empty": 0,
        "dup_rows_in_train": 2,
        "dup_rows_in_test": 1,
        "conflicting_label_texts_train": 1,
        "test_rows_in_train_exact": 1,
        "test_rows_in_train_normalised": 2,
        "test_rows_in_train_same_label": 0,
        "train_counts": {"many": 4, "few": 2},
        "test_counts": {"tested": 2, "few": 1, "many": 1},
    }


def test_counts_are_sorted_by_size() -> None:
    table = read_table((["x", "y", "z"], ["small", "large", "large"]))
    assert list(split_statistics(table, table).train_counts) == ["large", "small"]
