"""A sample keeps small classes whole, is as large as allowed and does not depend on the order of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.doctor import sample as module
from sharprecl.doctor.keys import mixed
from sharprecl.doctor.sample import KEPT, sample


def numbered(counts) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat(np.arange(len(counts)), counts)
    return mixed(np.arange(len(labels), dtype=np.uint64), 7), labels


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.integers(1, 150), st.integers(0, 99), st.randoms())
def test_sizes_and_order(counts, most, seed, random) -> None:
    keys, labels = numbered(counts)
    if not len(labels):
        return
    rows = sample(keys, labels, most, seed)
    assert len(set(rows.tolist())) == len(rows)
    kept = np.bincount(labels[rows], minlength=len(counts))
    assert all(kept[n] == count for n, count in enumerate(counts) if count <= KEPT)
    assert all(kept[n] >= KEPT for n, count in enumerate(counts) if count > KEPT)
    if sum(counts) <= most:
        assert len(rows) == sum(counts)
    else:
        least = sum(min(count, KEPT) for count in counts)
        assert len(rows) <= max(most + counts.count(1), least)
    order = np.array(random.sample(range(len(labels)), len(labels)))
    assert keys[order][sample(keys[order], labels[order], most, seed)].tolist() == keys[rows].tolist()


def test_large_classes_keep_their_proportion_and_the_budget_is_used() -> None:
    keys, labels = numbered([60_000, 30_000, 10_000, 5])
    kept = np.bincount(labels[sample(keys, labels, 10_000, 0)])
    assert kept[3] == 5
    assert kept.sum() == pytest.approx(10_000, abs=5)
    assert kept[0] / kept[1] == pytest.approx(2, abs=0.01)


def test_seeds_choose_others() -> None:
    keys, labels = numbered([500, 500])
    assert set(sample(keys, labels, 100, 0)) != set(sample(keys, labels, 100, 1))


def test_of_many_classes_the_largest_and_some_single_ones(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_CLASSES", 5)
    monkeypatch.setattr(module, "MOST_SINGLE", 3)
    keys, labels = numbered([2, 3, 4, 5, 6, 7, 8] + [1] * 10)
    kept = np.bincount(labels[sample(keys, labels, 1000, 0)], minlength=17)
    assert kept.tolist()[:7] == [0, 0, 4, 5, 6, 7, 8]
    assert kept[7:].sum() == 3


def test_work_is_bounded(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_WORK", 1000)
    keys, labels = numbered([400, 400, 400])
    assert len(sample(keys, labels, 10_000, 0)) == pytest.approx(333, abs=3)
