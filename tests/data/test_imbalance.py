"""Skewed samples: nested, independent of the order of rows; and how skewed they are, by texts and by pairs."""

import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from known import CASES
from sharprecl.data.imbalance import (
    cap_per_class,
    contrastive_imbalance_ratio,
    imbalance_profile,
    imbalance_ratio,
    imbalanced_subset,
    squared_imbalance_ratio,
)
from sharprecl.data.tables import TextTable, read_table
from sharprecl.errors import ConfigError, DataError


def table(rows) -> TextTable:
    labels = np.array([label for label, _ in rows], dtype=np.int64)
    return TextTable(tuple(text for _, text in rows), labels, ("a", "b", "c"), "test")


def content(sample: TextTable) -> list[tuple[int, str]]:
    return list(zip(sample.label_ids.tolist(), sample.texts, strict=True))


def sizes(**counts) -> TextTable:
    """A table with so many different texts of each class."""
    labels = np.repeat(np.arange(len(counts)), list(counts.values()))
    return TextTable(tuple(f"text {row}" for row in range(len(labels))), labels, tuple(counts), "test")


TREC = sizes(abbreviation=86, description=1162, entity=1250, human=1223, location=835, numeric=896)
PROFILES = ("exponential", "geometric_step")
profiles = st.sampled_from(PROFILES)
ratios = st.floats(1, 200)
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


@given(st.lists(st.integers(1, 3000), min_size=1, max_size=60), ratios, ratios, profiles)
def test_profiles_fall_and_are_capped_and_nested(counts, ratio, other, profile):
    counts = sorted(counts, reverse=True)
    mild, steep = (imbalance_profile(counts, value, profile) for value in sorted([ratio, other]))
    assert steep[0] == mild[0] == counts[0]
    assert all(few <= more <= there for few, more, there in zip(steep, mild, counts, strict=True))
    for targets in (mild, steep):
        assert all(targets[i + 1] <= targets[i] for i in range(len(targets) - 1))
    step = min(ratio, other) ** (1 / max(1, len(counts) - 1) if profile == "exponential" else 1)
    for i, (target, there) in enumerate(zip(mild, counts, strict=True)):
        exact = counts[0] / step**i
        assert target == there or exact * (1 - 1e-9) - 1 < target <= exact * (1 + 1e-9)


def test_profiles_meet_whole_numbers():
    """1000 * 10^(-i / 3) is 100 and 10 in the mathematics, and 99.99999999999999 in floating point."""
    assert imbalance_profile([1000] * 4, 1000) == [1000, 100, 10, 1]
    assert imbalance_profile([10**9] * 10, 10**9) == [10**power for power in range(9, -1, -1)]
    assert imbalance_profile([], 5) == []
    assert imbalance_profile([7], 5) == [7]


@given(rows_of_three, ratios, ratios, profiles, st.integers(0, 9))
def test_subsets_are_nested_and_leave_every_class_a_text(rows, ratio, other, profile, seed):
    whole = table([*rows, (0, "x"), (1, "x"), (2, "x")])
    before = whole.content_hash
    smaller, larger = (imbalanced_subset(whole, value, profile, seed) for value in sorted([ratio, other])[::-1])
    assert not Counter(content(smaller)) - Counter(content(larger))
    for sample in (smaller, larger):
        remaining = iter(content(whole))
        assert all(row in remaining for row in content(sample))  # in the table's order
        assert (sample.class_counts >= 1).all()
        assert sample.class_counts.max() == whole.class_counts.max()
        assert (sample.label_names, sample.origin) == (whole.label_names, whole.origin)
    assert TextTable(whole.texts, whole.label_ids, whole.label_names, "").content_hash == before
    counts = np.sort(whole.class_counts)[::-1].tolist()
    wanted = np.maximum(1, imbalance_profile(counts, min(ratio, other), profile))
    assert np.sort(larger.class_counts)[::-1].tolist() == wanted.tolist()


@given(rows_of_three, ratios, profiles, st.integers(0, 9), st.randoms(), st.permutations([0, 1, 2]))
def test_neither_rows_nor_numbers_of_classes_have_an_order(rows, ratio, profile, seed, random, numbers):
    """The same texts and labels in another order and under other ids give the same multiset of (label, text)."""
    rows = [*rows, (0, "x")]
    sample = imbalanced_subset(table(rows), ratio, profile, seed)
    random.shuffle(rows)
    names = tuple(np.array(["a", "b", "c"])[np.argsort(numbers)].tolist())
    other = replace(table([(numbers[label], text) for label, text in rows]), label_names=names)
    found = imbalanced_subset(other, ratio, profile, seed)
    named = [Counter((part.label_names[label], text) for label, text in content(part)) for part in (sample, found)]
    assert named[0] == named[1]


def test_subsets_are_the_same_bytes_everywhere():
    whole = table([(row % 3 if row < 60 else 0, f"tëxt {row} \U0001f600") for row in range(90)])
    assert imbalanced_subset(whole, 10).class_counts.tolist() == [50, 15, 5]
    hashes = [imbalanced_subset(whole, 10, profile, seed).content_hash for profile in PROFILES for seed in (0, 1)]
    assert hashes == [
        "70cab70b03e2748529a16b12c60faad1a1a7e9d610be600095562164a8efbc0f",
        "d91a79bfd23c07ad8369659f1c777121a34e0af16a9fc1b7ebe9104f4f1c739d",
        "230211c8ee24e6a9aa57b37d18aeb6f21e3a71b2033eb2eab23122df2d647536",
        "97da0daf5a0b323174c221785a048f750e9044a62a6590b8d5371e4901ff6c5d",
    ]


def test_classes_without_a_text_do_not_count():
    whole = sizes(a=40, none=0, b=40)
    sample = imbalanced_subset(whole, 20)
    assert sample.class_counts.tolist() == [40, 0, 2]
    assert not any("imbalance ratio" in note for note in sample.notes)


@pytest.mark.parametrize(
    ("ratio", "kept", "note"),
    [
        (
            10,
            [86, 497, 1250, 788, 198, 313],
            "the imbalance ratio is 14.5, not 10: the class 'abbreviation' has fewer texts than the exponential "
            "profile asks for",
        ),
        (20, [62, 377, 1250, 686, 113, 207], None),
        (50, [25, 261, 1250, 571, 54, 119], None),
    ],
)
def test_trec(ratio, kept, note):
    sample = imbalanced_subset(TREC, ratio)
    assert sample.class_counts.tolist() == kept
    assert sample.notes == ((note,) if note else ())


def test_what_is_said_of_the_ratio():
    def said(counts, ratio, profile="exponential"):
        notes = [note for note in imbalanced_subset(sizes(**counts), ratio, profile).notes if "ratio" in note]
        return notes[0] if notes else None

    assert said({"a": 40, "b": 10, "c": 4}, 10) == (
        "the imbalance ratio is 10.0, about as asked: the class 'b' has fewer texts than the exponential profile asks "
        "for"
    )
    assert said({"a": 40, "b": 10, "c": 2}, 4) == (
        "the imbalance ratio is 20.0, not 4: the classes 'b' and 'c' have fewer texts than the exponential profile "
        "asks for"
    )
    assert said({"a": 40, "b": 30, "c": 20}, 100) == (
        "the imbalance ratio is 40.0, not 100: the profile leaves less than one text for 'c', and a class keeps one"
    )
    assert said({"a": 15, "b": 15}, 10) == (
        "the imbalance ratio is 15.0, not 10: the profile is rounded down to whole texts"
    )
    assert said({"a": 1000, "b": 900, "c": 890}, 10, "geometric_step") == (
        "the imbalance ratio is 100.0: the geometric_step profile divides by 10 at every class"
    )
    assert said({"a": 40, "b": 30, "c": 20}, 10, "geometric_step") == (
        "the imbalance ratio is 40.0: the geometric_step profile divides by 10 at every class; "
        "the profile leaves less than one text for 'c', and a class keeps one"
    )


@given(rows_of_three, ratios, profiles)
def test_a_ratio_that_is_told_is_the_one_that_came_out(rows, ratio, profile):
    sample = imbalanced_subset(table([*rows, (0, "x")]), ratio, profile)
    achieved = imbalance_ratio(sample.class_counts)
    told = [note for note in sample.notes if note.startswith("the imbalance ratio is ")]
    if not ratio / 1.1 < achieved < ratio * 1.1:
        assert len(told) == 1
    for note in told:
        assert re.match(r"the imbalance ratio is (\d+\.\d)[,:]", note)[1] == f"{achieved:.1f}"


@pytest.mark.parametrize("ratio", [0.5, 0, -3, math.nan, math.inf])
def test_impossible_ratios(ratio):
    with pytest.raises(ConfigError, match=r"the largest class over the smallest: finite and at least 1"):
        imbalanced_subset(TREC, ratio)


def test_other_impossible_arguments():
    with pytest.raises(ConfigError, match=r"no imbalance profile 'exponental' \(did you mean 'exponential'\?\)"):
        imbalanced_subset(TREC, 10, "exponental")
    with pytest.raises(DataError, match="undefined; give at least one text"):
        imbalanced_subset(sizes(a=0, b=0), 10)


def test_pairs_of_all_texts():
    assert contrastive_imbalance_ratio([4, 3, 2]) == 6.0  # 4 * 3 over 2 * 1
    assert squared_imbalance_ratio([4, 3, 2]) == 4.0
    assert contrastive_imbalance_ratio([4, 3, 2], views=2) == 56 / 12  # 8 * 7 over 4 * 3
    assert contrastive_imbalance_ratio([1250, 571, 261, 119, 54, 25]) == 1250 * 1249 / (25 * 24)
    assert contrastive_imbalance_ratio([0, 7, 0, 7]) == 1.0


@given(st.lists(st.integers(2, 500), min_size=1, max_size=20), st.integers(2, 600))
def test_one_view_has_one_ratio_at_every_batch_size(counts, size):
    most, least = max(counts), min(counts)
    exact = most * (most - 1) / (least * (least - 1))
    assert contrastive_imbalance_ratio(counts, size) == pytest.approx(exact, rel=1e-12)
    assert squared_imbalance_ratio(counts) <= exact * (1 + 1e-12)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=20), st.integers(1, 300), st.integers(1, 300))
def test_two_views_lie_between_the_ratio_of_texts_and_that_of_pairs(counts, size, more):
    texts = imbalance_ratio(counts)
    small = contrastive_imbalance_ratio(counts, size, views=2)
    large = contrastive_imbalance_ratio(counts, size + more, views=2)
    whole = contrastive_imbalance_ratio(counts, views=2)
    assert texts * (1 - 1e-12) <= small <= large * (1 + 1e-12) <= whole * (1 + 1e-11)
    assert contrastive_imbalance_ratio(counts, 1, views=2) == pytest.approx(texts, rel=1e-12)


def test_classes_without_pairs():
    assert contrastive_imbalance_ratio([2840, 10, 1], 64) == math.inf
    assert contrastive_imbalance_ratio([2840, 10, 1], 64, views=2) > 2840
    assert contrastive_imbalance_ratio([1, 1, 1], 64) is None
    assert contrastive_imbalance_ratio([5, 3], 1) is None
    with pytest.raises(DataError, match="undefined"):
        contrastive_imbalance_ratio([0, 0], 64)
    with pytest.raises(DataError, match="undefined"):
        squared_imbalance_ratio([])
    with pytest.raises(ConfigError, match="batch size must be at least 1"):
        contrastive_imbalance_ratio([5, 3], 0)
