"""Samples of test texts: as large as asked for, stratified, and the same in whatever order the rows come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.tables import TextTable
from sharprecl.errors import ConfigError
from sharprecl.experiments.sample import sample_test


def table(counts: list[int]) -> TextTable:
    labels = np.repeat(np.arange(len(counts)), counts)
    return TextTable(
        tuple(f"text {row}" for row in range(len(labels))), labels, tuple(map(str, range(len(counts)))), "t"
    )


@given(st.lists(st.integers(0, 60), min_size=2, max_size=12).filter(any), st.integers(1, 200))
def test_each_class_keeps_its_share(counts: list[int], cap: int) -> None:
    whole = table(counts)
    sample = sample_test(whole, cap)
    assert len(sample) == min(cap, len(whole))
    assert (sample.class_counts <= whole.class_counts).all()
    present = whole.class_counts > 0
    if present.sum() <= cap:
        assert (sample.class_counts[present] > 0).all()
        # Beside the one text that each has for sure, shares are right to the text.
        rest, sure = np.array(counts) - present, int(present.sum())
        if len(whole) > cap:
            assert (abs(sample.class_counts - present - (cap - sure) * rest / rest.sum()) < 1).all()


@given(st.permutations(range(30)), st.integers(1, 29))
def test_the_order_of_the_rows_does_not_matter(order: list[int], cap: int) -> None:
    whole = table([20, 8, 2])
    shuffled = sample_test(whole.select(order), cap)
    assert sorted(shuffled.texts) == sorted(sample_test(whole, cap).texts)
    places = {text: place for place, text in enumerate(whole.select(order).texts)}
    assert [places[text] for text in shuffled.texts] == sorted(places[text] for text in shuffled.texts)


def test_it_is_no_block_of_rows() -> None:
    kept = sample_test(table([1000]), 100).texts
    assert 20 < sum(int(text.split()[1]) < 500 for text in kept) < 80


def test_nothing_to_judge_on_is_refused() -> None:
    with pytest.raises(ConfigError, match="the least is 1"):
        sample_test(table([3, 2]), 0)
