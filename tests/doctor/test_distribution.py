"""Figures of skew, by their plain definitions and known cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.tables import TextTable
from sharprecl.doctor.distribution import distribution
from sharprecl.errors import DataError


def table(counts) -> TextTable:
    labels = np.repeat(np.arange(len(counts)), counts)
    return TextTable(tuple(map(str, labels)), labels, tuple(f"c{n}" for n in range(len(counts))), "test")


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any))
def test_plain_definitions(counts) -> None:
    found = distribution(table(counts))
    sizes = [count for count in counts if count]
    total = sum(sizes)
    assert sorted(found.counts.values(), reverse=True) == list(found.counts.values()) == sorted(sizes, reverse=True)
    assert found.counts == {f"c{n}": count for n, count in enumerate(counts) if count}
    assert found.imbalance_ratio == max(sizes) / min(sizes)
    entropy = -sum(size / total * np.log(size / total) for size in sizes)
    assert found.effective_classes == pytest.approx(np.exp(entropy))
    differences = sum(abs(one - other) for one in sizes for other in sizes)
    assert found.gini == pytest.approx(differences / (2 * len(sizes) * total), abs=1e-12)
    assert (found.single, found.pairs) == (sizes.count(1), sizes.count(2))
    assert found.under_ten == sum(size < 10 for size in sizes)


def test_known_cases() -> None:
    even = distribution(table([5, 5, 5, 5]))
    assert (even.effective_classes, even.gini) == (pytest.approx(4), 0)
    skewed = distribution(table([97, 1, 1, 1]))
    assert skewed.gini == pytest.approx(0.72)
    assert skewed.effective_classes < 1.2


def test_equal_classes_keep_the_order_of_their_names_and_a_test_file_is_counted() -> None:
    found = distribution(table([2, 9, 2]), table([0, 1, 4]))
    assert list(found.counts.items()) == [("c1", 9), ("c0", 2), ("c2", 2)]
    assert list(found.test_counts.items()) == [("c2", 4), ("c1", 1)]
    assert distribution(table([1])).test_counts == {}


def test_as_many_classes_as_texts() -> None:
    found = distribution(table(np.ones(300_000, dtype=np.int64)))
    assert found.single == 300_000
    assert found.effective_classes == pytest.approx(300_000)


def test_a_table_without_texts() -> None:
    with pytest.raises(DataError, match="at least one text"):
        distribution(table([0, 0]))
