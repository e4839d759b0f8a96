"""Rare classes first, all raised to one level, and never more than there is room for."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.budget import water_fill


@pytest.mark.parametrize(
    ("counts", "room", "budget", "given_to"),
    [
        ([10, 2, 5], [100, 100, 100], 0, [0, 0, 0]),
        ([10, 2, 5], [100, 100, 100], 3, [0, 3, 0]),
        ([10, 2, 5], [100, 100, 100], 5, [0, 4, 1]),  # the odd one to the smaller class
        ([10, 2, 5], [100, 100, 100], 13, [0, 8, 5]),
        ([10, 2, 5], [100, 100, 100], 16, [1, 9, 6]),  # beyond balance, everybody gets as much
        ([10, 2, 5], [100, 4, 100], 13, [2, 4, 7]),  # what the rarest cannot take goes up the order
        ([10, 2, 5], [0, 4, 1], 99, [0, 4, 1]),
        ([3, 3, 3], [9, 9, 9], 2, [1, 1, 0]),
        ([5, 2], [9, 9], 4, [0, 4]),  # at one level the class that was smaller gets the odd one
        ([], [], 5, []),
    ],
)
def test_known_answers(counts, room, budget, given_to):
    assert water_fill(counts, room, budget).tolist() == given_to


def one_by_one(counts, room, budget):
    """Give text after text to the class that is smallest now, then was smallest before, then comes first."""
    given_to = [0] * len(counts)
    for _ in range(min(budget, sum(room))):
        willing = [k for k in range(len(counts)) if given_to[k] < room[k]]
        given_to[min(willing, key=lambda k: (counts[k] + given_to[k], counts[k], k))] += 1
    return given_to


classes = st.lists(st.tuples(st.integers(1, 12), st.integers(0, 9)), min_size=1, max_size=6)


@given(classes, st.integers(0, 60))
def test_it_is_what_giving_one_by_one_comes_to(some, budget):
    counts, room = zip(*some, strict=True)
    assert water_fill(counts, room, budget).tolist() == one_by_one(counts, room, budget)


@given(classes, st.integers(0, 60), st.data())
def test_where_one_class_gives_less_room_no_other_gets_less(some, budget, data):
    counts, room = map(list, zip(*some, strict=True))
    before = water_fill(counts, room, budget)
    which = data.draw(st.integers(0, len(counts) - 1))
    room[which] = data.draw(st.integers(0, room[which]))
    after = water_fill(counts, room, budget)
    assert all(after[k] >= before[k] for k in range(len(counts)) if k != which)


def test_a_million_classes_take_no_time():
    counts = np.random.default_rng(0).integers(1, 1000, 1_000_000)
    began = time.process_time()
    assert water_fill(counts, counts * 8, 10_000_000).sum() == 10_000_000
    assert time.process_time() - began < 5
