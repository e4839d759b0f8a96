"""Figures of skew, by their plain definitions and known cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnoses import COUNTS, data, loaded
from sharprecl.data.tables import TextTable
from sharprecl.doctor.issues.base import Data
from sharprecl.doctor.issues.class_sizes import DRAWN, SKEWED, ClassSizes
from sharprecl.errors import DataError


def distribution(counts, test_counts=None):
    test = None if test_counts is None else loaded(table(test_counts))
    return ClassSizes.find(Data(loaded(table(counts)), test))


def table(counts) -> TextTable:
    labels = np.repeat(np.arange(len(counts)), counts)
    return TextTable(tuple(map(str, labels)), labels, tuple(f"c{n}" for n in range(len(counts))), "test")


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(any))
def test_plain_definitions(counts) -> None:
    found = distribution(counts)
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
    even = distribution([5, 5, 5, 5])
    assert (even.effective_classes, even.gini) == (pytest.approx(4), 0)
    skewed = distribution([97, 1, 1, 1])
    assert skewed.gini == pytest.approx(0.72)
    assert skewed.effective_classes < 1.2


def test_equal_classes_keep_the_order_of_their_names_and_a_test_file_is_counted() -> None:
    found = distribution([2, 9, 2], [0, 1, 4])
    assert list(found.counts.items()) == [("c1", 9), ("c0", 2), ("c2", 2)]
    assert list(found.test_counts.items()) == [("c2", 4), ("c1", 1)]
    assert distribution([1]).test_counts == {}


def test_as_many_classes_as_texts() -> None:
    found = distribution(np.ones(300_000, dtype=np.int64))
    assert found.single == 300_000
    assert found.effective_classes == pytest.approx(300_000)


def test_a_table_without_texts() -> None:
    with pytest.raises(DataError, match="at least one text"):
        distribution([0, 0])


def issue(counts=COUNTS, test_counts=None) -> ClassSizes:
    given = data(counts, test_counts)
    return ClassSizes(given, ClassSizes.find(given))


def told(counts=COUNTS):
    return [(one.severity, one.sentence) for one in issue(counts).findings()]


def test_a_skewed_distribution() -> None:
    assert told() == [
        ("warning", "the largest class ('billing') has 400.0 times the texts of the smallest ('other')"),
        ("warning", "1 class has a single text: 'other'"),
        ("warning", "2 further classes have under 10 texts (of 5)"),
    ]


def test_an_even_one_is_a_note_and_nothing_else() -> None:
    assert told({"a": 30, "b": 30, "c": 10}) == [
        ("note", "the classes are even: the largest class ('a') has 3.0 times the texts of the smallest ('c')")
    ]
    assert told({"a": 31, "b": 10})[0][1].startswith("the largest class")


@pytest.mark.parametrize(("largest", "severity"), [(10 * SKEWED, "warning"), (10 * SKEWED - 1, "note")])
def test_skew_is_a_warning_from_ten_on(largest: float, severity: str) -> None:
    assert [kind for kind, _ in told({"a": int(largest), "b": 10})] == [severity]


def test_small_classes_without_single_ones() -> None:
    assert told({"a": 20, "b": 9})[1:] == [("warning", "1 class has under 10 texts (of 2)")]


def test_figures_and_counts_of_each_class() -> None:
    section = issue(COUNTS, {"billing": 3}).section()
    assert dict(section.figures) == {
        "imbalance ratio": "400.0",
        "effective number of classes": "1.7 of 5",
        "Gini coefficient of the class sizes": "0.73",
        "classes with 1 text, with 2, under 10": "1, 1, 3",
    }
    texts, test = section.columns
    assert [texts.value("access"), test.value("billing"), test.value("access")] == [60, 3, 0]
    assert issue().section().columns[1].values is None


def test_few_classes_are_drawn_with_names_and_many_as_a_line() -> None:
    ((_, chart),) = issue().charts()
    assert all(f">{name}<" in chart.svg for name in COUNTS)
    counts = {f"c{place}": 3 for place in range(DRAWN)} | {"last": 1}
    ((_, chart),) = issue(counts).charts()
    assert chart.caption == f"{DRAWN + 1:,} classes; the biggest has 3 texts, the smallest 1."
    assert len(chart.svg) < 100_000
