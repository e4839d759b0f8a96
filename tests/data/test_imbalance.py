"""Capped samples: nested, and independent of the order of rows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from known import CASES
from sharprecl.data.imbalance import cap_per_class, imbalance_profile, imbalance_ratio, imbalanced_subset
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, DataError


def table(rows) -> TextTable:
    labels = np.array([label for label, _ in rows], dtype=np.int64)
    return TextTable(tuple(text for _, text in rows), labels, ("a", "b", "c"), "test")


def content(sample: TextTable) -> list[tuple[int, str]]:
    return list(zip(sample.label_ids.tolist(), sample.texts, strict=True))


rows_of_three = st.lists(st.tuples(st.integers(0, 2), st.text("xyz", min_size=1, max_size=3)), max_size=40)


@given(rows_of_three, st.integers(1, 6), st.integers(1, 6), st.integers(0, 9))
def test_size_order_and_nesting(rows, cap, more, seed):
    whole = table(rows)
    small, large = cap_per_class(whole, cap, seed), cap_per_class(whole, cap + more, seed)
    assert small.class_counts.tolist() == np.minimum(whole.class_counts, cap).tolist()
    assert small.label_names == whole.label_names
    remaining = iter(content(large))
    assert all(row in remaining for row in content(small))  # a subsequence: nested and in the table's order
    remaining = iter(rows)
    assert all(row in remaining for row in content(large))


@given(rows_of_three, st.integers(1, 6), st.integers(0, 9), st.randoms())
def test_order_of_rows_does_not_matter(rows, cap, seed, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert sorted(content(cap_per_class(table(rows), cap, seed))) == sorted(
        content(cap_per_class(table(shuffled), cap, seed))
    )


def test_the_seed_chooses():
    whole = table([(0, f"text {row}") for row in range(100)])
    assert len({cap_per_class(whole, 10, seed).texts for seed in range(5)}) == 5


def test_the_sample_has_the_notes_of_a_table_read_from_it():
    rows = [(0, "x"), (0, "x y"), (1, "z"), (1, "z y"), (2, "alone"), (0, "z")]
    whole = replace(table(rows), notes=("3 texts too many",))
    assert cap_per_class(whole, 1, 0).notes[0] == (
        "the classes 'a', 'b' and 'c' have a single text: it is trained on, and validation cannot judge it"
    )
    names = [("a", "b", "c")[label] for label, _ in rows]
    assert cap_per_class(whole, 9, 0).notes == read_table(([text for _, text in rows], names)).notes


def test_notes_name_rows_of_the_whole_table():
    rows = [(0, f"filler {row}") for row in range(20)] + [(1, "both"), (1, "b"), (2, "both")]
    sample = cap_per_class(table(rows), 2, 0)
    assert len(sample) == 5
    assert sample.notes[-1] == "1 text has more than one label, the first in rows 21 and 23"


def test_cap_below_one():
    with pytest.raises(ConfigError, match="the least is 1"):
        cap_per_class(table([(0, "x")]), 0, 0)


def test_imbalance_ratio():
    assert imbalance_ratio([2840, 10, 1]) == 2840.0
    assert imbalance_ratio(np.array([3, 0, 2])) == 1.5
    with pytest.raises(DataError, match="undefined"):
        imbalance_ratio([0, 0])


def test_known_profiles():
    case = CASES["imbalance_profile"]
    inputs, expected = case["inputs"], case["expected"]
    for ratio in ("10", "20", "50"):
        counts = imbalance_profile(inputs["trec_sorted"], float(ratio))
        assert counts == expected["exponential_TREC"][ratio]
        assert imbalance_ratio(counts) == pytest.approx(expected["achieved_ir_TREC"][ratio], rel=1e-9)
        assert imbalance_profile(inputs["cr_sorted"], float(ratio)) == expected["exponential_CR"][ratio]
    assert imbalance_profile([1000] * 3, 10) == expected["exponential_3class_ir10"]
    assert imbalance_profile([1000] * 3, 10, "geometric_step") == expected["paper_example_3class_ir10"]
    steps = imbalance_profile(inputs["trec_sorted"], 10, "geometric_step")
    assert steps == expected["geometric_step_TREC_ir10"]


@given(st.lists(st.tuples(st.integers(0, 2), st.text("xyz", min_size=1, max_size=3)), min_size=3, max_size=60))
def test_subsets_are_nested_and_leave_every_class_a_text(rows):
    whole = table([(label, f"{text} {n}") for n, (label, text) in enumerate([*rows, (0, "a"), (1, "b"), (2, "c")])])
    smaller = imbalanced_subset(whole, 50)
    larger = imbalanced_subset(whole, 5)
    assert set(content(smaller)) <= set(content(larger)) <= set(content(whole))
    assert (smaller.class_counts >= 1).all()
    assert smaller.class_counts.max() == whole.class_counts.max()


def test_subset_says_when_the_data_does_not_allow_the_ratio():
    whole = table([(0, f"a{n}") for n in range(40)] + [(1, f"b{n}") for n in range(30)] + [(2, "c0"), (2, "c1")])
    assert "the imbalance ratio is 20.0, not 4" in imbalanced_subset(whole, 4).notes[-1]
    assert not any("imbalance ratio" in note for note in imbalanced_subset(whole, 20).notes)
    with pytest.raises(ConfigError, match="at least 1"):
        imbalanced_subset(whole, 0.5)
