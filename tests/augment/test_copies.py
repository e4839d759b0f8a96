"""Copies that differ, as many as are wanted, from texts that may give few."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sharprecl.augment.budget import water_fill
from sharprecl.augment.copies import make_copies
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
    made = make_copies(texts, ids, int(ids.max(initial=0)) + 1, most, wanted, wheel, {*map(normalised, texts), *taken},
                       seed, progress, seeded)  # fmt: skip
    return made, wheel.asked


def test_each_copy_has_a_seed_of_its_own():
    made, asked = copies_of(["a", "b"], [" x", " y", " z"], 2, seed=7)
    assert made.texts == [["a y", "a z"], ["b y", "b z"]]
    assert sorted(asked) == [("a", 7), ("a", 8), ("b", 7), ("b", 8)]


def test_a_text_that_cannot_be_changed_is_asked_once():
    made, asked = copies_of(["a"], [" !", " x"], 3)
    assert (made.texts, made.unchanged.tolist(), asked) == ([[]], [True], [("a", 0)])


def test_a_repetition_is_no_copy_and_costs_two_more_seeds_at_most():
    made, asked = copies_of(["a"], [" x", " X.", " y"], 2)  # X. is x but for case and punctuation
    assert made.texts == [["a x", "a y"]]
    made, asked = copies_of(["a"], [" x"], 5)
    assert (made.texts, len(asked)) == ([["a x"]], 3)
    assert not made.unchanged.any()


def test_where_seeds_change_nothing_each_text_is_asked_once():
    made, asked = copies_of(["a", "b"], [" x"], 4, taken={"b x"}, seeded=False)
    assert made.texts == [["a x"], []]
    assert sorted(asked) == [("a", 0), ("b", 0)]


def test_a_copy_is_no_other_text_and_no_other_copy():
    made, _ = copies_of(["a", "a x"], [" x", " w"], 1)
    assert made.texts == [["a w"], ["a x x"]]
    made, _ = copies_of(["b", "b y"], [" y y", " y"], 2)  # "b y" gives "b y y" too, but "b" came first
    assert made.texts == [["b y y"], ["b y y y"]]
    made, _ = copies_of(["a"], [" x", " y"], 1, taken={"a x"})
    assert made.texts == [["a y"]]


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

    made, asked = copies_of(some, ends, most, wanted, classes)
    every = [text for own in made.texts for text in own]
    plain = [normalised(text) for text in every]
    assert len(set(plain)) == len(plain)
    assert not set(plain) & set(map(normalised, some))
    assert all(len(own) <= most for own in made.texts)
    assert all(times == 1 for times in Counter(asked).values())
    assert len(every) <= budget
    order = data.draw(st.permutations(range(len(some))))
    other, _ = copies_of([some[n] for n in order], ends, most, wanted, [classes[n] for n in order])
    assert other.texts == [made.texts[n] for n in order]


@given(st.integers(0, 30))
def test_within_a_class_copies_are_spread_evenly(budget):
    some = [f"text {number}" for number in range(7)]
    made, _ = copies_of(some, [f" {letter}" for letter in "abcdefgh"], 4, lambda room: np.minimum(room, budget))
    counts = [len(own) for own in made.texts]
    assert sum(counts) == min(budget, 28)
    assert max(counts) - min(counts) <= 1
