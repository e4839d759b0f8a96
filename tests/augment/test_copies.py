"""Copies that differ, as many as are wanted, from texts that may give few."""

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment.copies import make_copies, water_fill
from sharprecl.data.leaks import normalised


class Wheel:
    """Adds one of a few endings, by seed; says what it was asked."""

    def __init__(self, endings):
        self.endings = endings
        self.asked = []

    def __call__(self, texts, seed, progress):
        self.asked += [(text, seed) for text in texts]
        progress(len(texts), len(texts))
        return [text + self.endings[seed % len(self.endings)] for text in texts]


def ignore(done, total):
    pass


def copies_of(
    texts, endings, most, wanted=lambda room: room, classes=None, taken=(), seed=0, progress=ignore, seeded=True
):
    wheel = Wheel(endings)
    ids = np.zeros(len(texts), dtype=np.int64) if classes is None else np.array(classes, dtype=np.int64)
    made, unchanged_N = make_copies(
        texts, ids, wanted, wheel, progress,
        n_classes=int(ids.max(initial=0)) + 1, most=most, taken={*map(normalised, texts), *taken}, seed=seed,
        seeded=seeded,
    )  # fmt: skip
    return made, unchanged_N, wheel.asked


def test_each_copy_has_a_seed_of_its_own():
    made, _, asked = copies_of(["a", "b"], [" x", " y", " z"], 2, seed=7)
    assert made == [["a y", "a z"], ["b y", "b z"]]
    assert sorted(asked) == [("a", 7), ("a", 8), ("b", 7), ("b", 8)]


def test_a_text_that_cannot_be_changed_is_asked_once():
    made, unchanged_N, asked = copies_of(["a"], [" !", " x"], 3)
    assert (made, unchanged_N.tolist(), asked) == ([[]], [True], [("a", 0)])


def test_a_repetition_is_no_copy_and_costs_two_more_seeds_at_most():
    made, _, asked = copies_of(["a"], [" x", " X.", " y"], 2)  # X. is x but for case and punctuation
    assert made == [["a x", "a y"]]
    made, unchanged_N, asked = copies_of(["a"], [" x"], 5)
    assert (made, len(asked)) == ([["a x"]], 3)
    assert not unchanged_N.any()


def test_where_seeds_change_nothing_each_text_is_asked_once():
    made, _, asked = copies_of(["a", "b"], [" x"], 4, taken={"b x"}, seeded=False)
    assert made == [["a x"], []]
    assert sorted(asked) == [("a", 0), ("b", 0)]


def test_a_copy_is_no_other_text_and_no_other_copy():
    made, *_ = copies_of(["a", "a x"], [" x", " w"], 1)
    assert made == [["a w"], ["a x x"]]
    made, *_ = copies_of(["b", "b y"], [" y y", " y"], 2)  # "b y" gives "b y y" too, but "b" came first
    assert made == [["b y y"], ["b y y y"]]
    made, *_ = copies_of(["a"], [" x", " y"], 1, taken={"a x"})
    assert made == [["a y"]]


def test_progress_ends_with_all_that_are_made():
    seen = []
    copies_of(["a", "b", "c"], [" x", " y"], 2, progress=lambda *now: seen.append(now))
    assert seen == [(3, 6), (6, 6)]


texts = st.lists(st.text("abcX. 🙂ß", max_size=4), unique=True, max_size=12)
endings = st.lists(st.sampled_from(["", " x", " X", " y", "!", " z", "ß", "ss"]), min_size=1, max_size=4)


@settings(deadline=None)
@given(texts, endings, st.integers(0, 4), st.data())
def test_copies_differ_and_the_order_of_the_texts_does_not_matter(some, ends, most, data):
    classes = data.draw(st.lists(st.integers(0, 2), min_size=len(some), max_size=len(some)))
    budget = data.draw(st.integers(0, 9))

    def wanted(room):  # where one class gives less, another is asked for more
        return water_fill([3, 2, 1][: len(room)], room, budget)

    made, _, asked = copies_of(some, ends, most, wanted, classes)
    every = [text for own in made for text in own]
    plain = [normalised(text) for text in every]
    assert len(set(plain)) == len(plain)
    assert not set(plain) & set(map(normalised, some))
    assert all(len(own) <= most for own in made)
    assert all(times == 1 for times in Counter(asked).values())
    assert len(every) <= budget
    order = data.draw(st.permutations(range(len(some))))
    other, *_ = copies_of([some[n] for n in order], ends, most, wanted, [classes[n] for n in order])
    assert other == [made[n] for n in order]


@given(st.integers(0, 30))
def test_within_a_class_copies_are_spread_evenly(budget):
    some = [f"text {number}" for number in range(7)]
    made, *_ = copies_of(some, [f" {letter}" for letter in "abcdefgh"], 4, lambda room: np.minimum(room, budget))
    counts = [len(own) for own in made]
    assert sum(counts) == min(budget, 28)
    assert max(counts) - min(counts) <= 1


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
