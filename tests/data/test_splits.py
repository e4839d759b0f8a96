"""The validation split: sizes, determinism, independence, equal texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.splits import stratified_split, text_groups
from sharprecl.errors import ConfigError

labels_and_groups = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 12)), max_size=60)
fractions = st.floats(0.01, 0.99)
seeds = st.integers(0, 2**32)


@given(st.lists(st.integers(0, 5), max_size=80), fractions, seeds)
def test_sizes(labels, fraction, seed):
    train, validation = stratified_split(labels, fraction, seed)
    assert sorted([*train.tolist(), *validation.tolist()]) == list(range(len(labels)))
    for rows in (train, validation):
        assert rows.dtype == np.int64
        assert np.all(np.diff(rows) > 0)
    for label in set(labels):
        n = labels.count(label)
        held = sum(labels[row] == label for row in validation)
        assert held == (0 if n == 1 else min(max(round(fraction * n), 1), n - 1))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=80), fractions, seeds)
def test_a_class_does_not_see_the_others(labels, fraction, seed):
    """Take one class out and rename the rest: the other classes hold out the same rows."""
    y = np.array(labels)
    gone = y[0]
    _, whole = stratified_split(y, fraction, seed)
    rest = np.flatnonzero(y != gone)
    _, part = stratified_split(100 - 7 * y[rest], fraction, seed)
    assert rest[part].tolist() == [row for row in whole.tolist() if y[row] != gone]


def test_seeds_differ_and_repeat():
    y = np.zeros(100, dtype=np.int64)
    splits = [tuple(stratified_split(y, 0.2, seed)[1].tolist()) for seed in (0, 0, 1)]
    assert splits[0] == splits[1] != splits[2]


def test_one_text_a_class_all_stay_in_training():
    train, validation = stratified_split(np.arange(52), 0.1, 0)
    assert train.tolist() == list(range(52))
    assert validation.tolist() == []
    assert validation.dtype == np.int64


@given(labels_and_groups, fractions, seeds)
def test_groups(rows, fraction, seed):
    labels, groups = [label for label, _ in rows], [group for _, group in rows]
    train, validation = stratified_split(labels, fraction, seed, groups)
    assert sorted([*train.tolist(), *validation.tolist()]) == list(range(len(rows)))
    held = set(validation.tolist())
    classes_of = {group: {label for label, other in rows if other == group} for group in groups}
    for label in set(labels):
        members = [row for row in range(len(rows)) if labels[row] == label]
        mine = held.intersection(members)
        assert len(mine) < len(members)
        assert (len(mine) > 0) == (len(members) > 1)
        pure = {groups[row] for row in members if len(classes_of[groups[row]]) == 1}
        sizes = {group: sum(groups[row] == group for row in members) for group in pure}
        if any(size < len(members) for size in sizes.values()):  # it can be done, so nothing straddles
            for group in {groups[row] for row in mine}:
                assert group in pure
                assert sum(groups[row] == group for row in mine) == sizes[group]
            wanted = max(round(fraction * len(members)), 1)
            assert len(mine) <= max(wanted, min(sizes.values()))
        else:
            assert len(mine) == (1 if len(members) > 1 else 0)


@given(st.lists(st.integers(0, 5), max_size=80), fractions, seeds)
def test_groups_of_one_change_nothing(labels, fraction, seed):
    plain = stratified_split(labels, fraction, seed)
    grouped = stratified_split(labels, fraction, seed, np.arange(len(labels))[::-1])
    assert all(np.array_equal(one, other) for one, other in zip(plain, grouped, strict=True))


@given(labels_and_groups, fractions, seeds, st.randoms())
def test_classes_may_be_interleaved_in_any_way(rows, fraction, seed, random):
    """Only a class's own rows in their order count, not what stands between them."""
    labels, groups = [label for label, _ in rows], [group for _, group in rows]
    slots = list(labels)
    random.shuffle(slots)
    members = {label: [row for row in range(len(rows)) if labels[row] == label] for label in set(labels)}
    queues = {label: iter(own) for label, own in members.items()}
    order = [next(queues[label]) for label in slots]  # where each row of the interleaved table stood
    plain, mixed = (
        stratified_split([labels[row] for row in rows_], fraction, seed, [groups[row] for row in rows_])
        for rows_ in (range(len(rows)), order)
    )
    for one, other in zip(plain, mixed, strict=True):
        assert sorted(order[row] for row in other.tolist()) == one.tolist()


@given(labels_and_groups, fractions, seeds, st.permutations(range(13)))
def test_group_ids_are_only_names(rows, fraction, seed, names):
    labels, groups = [label for label, _ in rows], [group for _, group in rows]
    plain = stratified_split(labels, fraction, seed, groups)
    renamed = stratified_split(labels, fraction, seed, [10**9 - 7 * names[group] for group in groups])
    assert all(np.array_equal(one, other) for one, other in zip(plain, renamed, strict=True))


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("uvwxyz")), max_size=60), fractions, seeds)
def test_validation_asks_for_no_text_that_training_showed(rows, fraction, seed):
    """Unless a class of several rows had nothing to hold out but a text that must stay: then it gives one row."""
    labels, texts = [label for label, _ in rows], [text for _, text in rows]
    train, validation = stratified_split(labels, fraction, seed, text_groups(texts))
    shown = {texts[row] for row in train.tolist()}
    for label in {labels[row] for row in validation.tolist() if texts[row] in shown}:
        own = {texts[row] for row in range(len(rows)) if labels[row] == label}
        free = {text for text in own if all(other == label for other, same in rows if same == text)}
        assert not free or own == free == {texts[labels.index(label)]}
        assert sum(labels[row] == label for row in validation.tolist()) == 1


@given(st.lists(st.text(max_size=2), max_size=60))
def test_text_groups_number_equal_texts_by_first_appearance(texts):
    ids = text_groups(texts).tolist()
    assert [texts[ids.index(number)] for number in ids] == texts
    assert list(dict.fromkeys(ids)) == list(range(len(set(texts))))


def test_text_groups():
    ids = text_groups(["x", "y", "x", "z", "y"])
    assert ids.tolist() == [0, 1, 0, 2, 1]
    assert ids.dtype == np.int64


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_impossible_fractions(fraction):
    with pytest.raises(ConfigError, match="must lie between 0 and 1"):
        stratified_split([0, 0], fraction, 0)


def test_other_impossible_settings():
    with pytest.raises(ConfigError, match="seeds are whole numbers from 0"):
        stratified_split([0, 0], 0.5, -1)
    with pytest.raises(ConfigError, match="2 labels came with 1 group ids"):
        stratified_split([0, 0], 0.5, 0, groups=[1])
