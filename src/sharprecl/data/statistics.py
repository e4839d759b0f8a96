"""The figures by which a data set with a training and a test part is known."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from sharprecl.data.imbalance import imbalance_ratio
from sharprecl.data.leaks import find_leaks
from sharprecl.data.tables import TextTable


@dataclass(frozen=True)
class Statistics:
    """Counts and means of a training and a test table. Words are what whitespace separates, as they are written.

    Attributes:
        train, test: rows.
        classes, classes_train, classes_test: classes with a text, in both tables together and in each.
        ir_train, ir_all: texts of the largest class over texts of the smallest, to two digits.
        avg_words_train, avg_words_all: mean words a text, to two digits.
        max_words: words of the longest text.
        vocab_train, vocab_all, vocab_all_lower: different words; the last in lower case.
        empty: texts without a word.
        dup_rows_in_train, dup_rows_in_test: rows whose very text stood earlier in the same table.
        conflicting_label_texts_train: different texts that carry more than one label.
        test_rows_in_train_exact, test_rows_in_train_normalised, test_rows_in_train_same_label: see ``Leaks``.
        train_counts, test_counts: texts by class name, largest class first; classes without one are left out.
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
    train_words, train_lengths = _words(train.texts)
    test_words, test_lengths = _words(test.texts)
    words = train_words | test_words
    lengths = np.concatenate([train_lengths, test_lengths])
    counts = train.class_counts + test.class_counts
    leaks = find_leaks(train, test)
    return Statistics(
        train=len(train),
        test=len(test),
        classes=int((counts > 0).sum()),
        classes_train=int((train.class_counts > 0).sum()),
        classes_test=int((test.class_counts > 0).sum()),
        ir_train=round(imbalance_ratio(train.class_counts), 2),
        ir_all=round(imbalance_ratio(counts), 2),
        avg_words_train=round(float(train_lengths.mean()), 2),
        avg_words_all=round(float(lengths.mean()), 2),
        max_words=int(lengths.max()),
        vocab_train=len(train_words),
        vocab_all=len(words),
        vocab_all_lower=len({word.lower() for word in words}),
        empty=int((lengths == 0).sum()),
        dup_rows_in_train=len(train) - len(set(train.texts)),
        dup_rows_in_test=len(test) - len(set(test.texts)),
        conflicting_label_texts_train=_conflicts(train),
        test_rows_in_train_exact=len(leaks.exact_rows),
        test_rows_in_train_normalised=len(leaks.rows),
        test_rows_in_train_same_label=leaks.same_label,
        train_counts=_by_size(train),
        test_counts=_by_size(test),
    )


def _words(texts: Sequence[str]) -> tuple[set[str], np.ndarray]:
    """The different words, and how many words each text has."""
    split: Iterable[list[str]] = [text.split() for text in texts]
    return set(chain.from_iterable(split)), np.array([len(words) for words in split])


def _conflicts(table: TextTable) -> int:
    labels: dict[str, set[int]] = defaultdict(set)
    for text, label in zip(table.texts, table.label_ids.tolist(), strict=True):
        labels[text].add(label)
    return sum(len(every) > 1 for every in labels.values())


def _by_size(table: TextTable) -> dict[str, int]:
    counts = table.class_counts.tolist()
    order = sorted(range(len(counts)), key=lambda label: -counts[label])
    return {table.label_names[label]: counts[label] for label in order if counts[label]}
