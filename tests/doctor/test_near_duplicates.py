"""Groups equal those of comparing every text with every other, and no pair below the threshold is joined."""

import random

import numpy as np
import pytest

from sharprecl.doctor import near_duplicates as near
from sharprecl.doctor.minhash import jaccard
from sharprecl.doctor.near_duplicates import NEARLY, Alike, find_alike


def family(seed: int) -> list[str]:
    """Different texts in no order, many of them alike: copies of copies with a word changed here and there."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghij", k=rng.randint(3, 8))) for _ in range(300)]
    texts = [rng.choices(words, k=rng.randint(4, 50)) for _ in range(80)]
    while len(texts) < 240:
        copy = list(rng.choice(texts))
        for _ in range(rng.randint(1, 3)):
            copy[rng.randrange(len(copy))] = rng.choice(words)
        texts.append(copy)
    different = sorted({" ".join(text) for text in texts})
    rng.shuffle(different)
    return different


def compared_with_every_other(texts, in_train, in_test) -> Alike:
    pairs = np.stack(np.triu_indices(len(texts), 1))
    expected = Alike(in_train, in_test)
    expected.join(pairs[:, jaccard(texts, pairs) >= NEARLY])
    return expected


def parts(groups) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in set(groups.tolist())}


@pytest.mark.parametrize("seed", range(5))
def test_as_comparing_every_text_with_every_other(seed) -> None:
    texts = family(seed)
    sides = np.random.default_rng(seed).integers(1, 4, len(texts))
    in_train, in_test = (sides & 1) > 0, (sides & 2) > 0
    found, expected = find_alike(texts, in_train, in_test), compared_with_every_other(texts, in_train, in_test)
    assert len(parts(expected.groups)) < len(texts) - 40
    for name in ("groups", "train_groups", "test_groups"):
        assert parts(getattr(found, name)) == parts(getattr(expected, name))
    assert found.leaking.tolist() == expected.leaking.tolist()
    assert (in_train & in_test)[found.leaking].sum() < found.leaking.sum() < in_test.sum()


def test_a_chain_through_the_other_file_is_none_within_one() -> None:
    links = ["one two three four five six seven eight nine ten eleven twelve", " thirteen", " fourteen"]
    chain = [links[0], links[0] + links[1], "".join(links)]
    assert (jaccard(chain, np.array([[0, 1], [1, 2]])) >= NEARLY).all()
    assert jaccard(chain, np.array([[0], [2]])) < NEARLY
    found = find_alike(chain, np.array([True, False, True]), np.array([False, True, False]))
    assert len(set(found.groups.tolist())) == 1
    assert len(set(found.train_groups.tolist())) == 3
    assert found.leaking.tolist() == [False, True, False]


def test_many_like_texts_take_no_time() -> None:
    texts = [
        f"your parcel number {n} has left our house today and will be with you within two days" for n in range(3000)
    ]
    verified = []
    plain = near.jaccard
    near.jaccard = lambda some, pairs: verified.append(pairs.shape[1]) or plain(some, pairs)
    try:
        everywhere = np.ones(len(texts), dtype=bool)
        found = find_alike(texts, everywhere, ~everywhere)
    finally:
        near.jaccard = plain
    assert len(set(found.groups.tolist())) == 1
    assert sum(verified) < 10 * len(texts)


def test_no_pair_is_verified_twice(monkeypatch) -> None:
    texts = [f"{shared} {other}" for shared in family(3)[:30] for other in ("zulu yankee", "xray whiskey", "victor")]
    asked = []
    plain = near._verified
    monkeypatch.setattr(near, "_verified", lambda some, pairs: asked.extend(pairs.T.tolist()) or plain(some, pairs))
    everywhere = np.ones(len(texts), dtype=bool)
    find_alike(texts, everywhere, ~everywhere)
    assert len(asked) == len(set(map(tuple, asked))) > 20


def test_verifying_in_small_parts_changes_nothing() -> None:
    texts = family(9)
    everywhere = np.ones(len(texts), dtype=bool)
    whole = find_alike(texts, everywhere, ~everywhere)
    at_once, near.AT_ONCE = near.AT_ONCE, 500
    try:
        cut = find_alike(texts, everywhere, ~everywhere)
    finally:
        near.AT_ONCE = at_once
    assert parts(whole.groups) == parts(cut.groups)
