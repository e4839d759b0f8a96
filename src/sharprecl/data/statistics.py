"""The figures by which a data set with a training and a test part is known."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.data.leaks import find_leaks
from sharprecl.data.tables import TextTable


@dataclass(frozen=True)
class Statistics:
    """Counts and means of a training and a test table.

    Words are what whitespace separates, as they are written. ``classes`` are those with a text; ``ir`` is texts of the
    largest over texts of the smallest; ``empty`` are texts without a word; ``dup_rows`` those whose very text stood
    earlier in the same table; ``conflicting_label_texts`` different texts with more than one label. For
    ``test_rows_in_train`` see ``Leaks``. Ratios and means have two digits. The counts are by class name, largest class
    first, without classes that have none.
    """

    train: int
    test: int
    classes: int
    classes_train: int
    classes_test: int
    ir_train: float
    ir_all: float
    avg_words_train: float
    avg_words_all: float
    max_words: int
    vocab_train: int
    vocab_all: int
    vocab_all_lower: int
    empty: int
    dup_rows_in_train: int
    dup_rows_in_test: int
    conflicting_label_texts_train: int
    test_rows_in_train_exact: int
    test_rows_in_train_normalised: int
    test_rows_in_train_same_label: int
    train_counts: dict[str, int]
    test_counts: dict[str, int]


def split_statistics(train: TextTable, test: TextTable) -> Statistics:
    """Count a training and a test table with the same label names."""
    train_words, test_words = ([text.split() for text in table.texts] for table in (train, test))
    train_lengths, lengths = ([len(words) for words in part] for part in (train_words, train_words + test_words))
    train_vocabulary = set(chain.from_iterable(train_words))
    vocabulary = train_vocabulary.union(*test_words)
    counts = train.class_counts + test.class_counts
    labels: dict[str, set[int]] = defaultdict(set)
    for text, label in zip(train.texts, train.label_ids.tolist(), strict=True):
        labels[text].add(label)
    leaks = find_leaks(train, test)
    return Statistics(
        train=len(train),
        test=len(test),
        classes=int(np.count_nonzero(counts)),
        classes_train=int(np.count_nonzero(train.class_counts)),
        classes_test=int(np.count_nonzero(test.class_counts)),
        ir_train=round(imbalance_ratio(train.class_counts), 2),
        ir_all=round(imbalance_ratio(counts), 2),
        avg_words_train=round(sum(train_lengths) / len(train), 2),
        avg_words_all=round(sum(lengths) / len(lengths), 2),
        max_words=max(lengths),
        vocab_train=len(train_vocabulary),
        vocab_all=len(vocabulary),
        vocab_all_lower=len({word.lower() for word in vocabulary}),
        empty=lengths.count(0),
        dup_rows_in_train=len(train) - len(labels),
        dup_rows_in_test=len(test) - len(set(test.texts)),
        conflicting_label_texts_train=sum(len(every) > 1 for every in labels.values()),
        test_rows_in_train_exact=len(leaks.exact_rows),
        test_rows_in_train_normalised=len(leaks.rows),
        test_rows_in_train_same_label=leaks.same_label,
        train_counts=_by_size(train),
        test_counts=_by_size(test),
    )


def _by_size(table: TextTable) -> dict[str, int]:
    counts = sorted(zip(table.label_names, table.class_counts.tolist(), strict=True), key=lambda pair: -pair[1])
    return {name: count for name, count in counts if count}
