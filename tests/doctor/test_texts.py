"""Chunks hold every text once, in order; hashes are equal for equal texts alone, and the same in every process."""

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.leaks import normalised
from sharprecl.doctor import texts as module
from sharprecl.doctor.texts import chunks, distinct, least, mixed, text_hashes

numbers = st.lists(st.integers(0, 2**64 - 1), max_size=40).map(lambda values: np.array(values, dtype=np.uint64))


@given(st.lists(st.text(max_size=12), max_size=20))
def test_hashes_are_equal_where_the_normalised_texts_are(texts) -> None:
    hashes = text_hashes(texts)
    assert hashes.dtype == np.uint64
    assert hashes.tolist() == np.concatenate([text_hashes([text]) for text in texts] or [hashes]).tolist()
    spelled = [normalised(text) for text in texts]
    assert [[one == other for other in hashes] for one in hashes] == [
        [one == other for other in spelled] for one in spelled
    ]


def splitmix(value: int, seed: int) -> int:
    z = (value + (2 * seed + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_hashes_are_the_same_on_every_machine() -> None:
    digest = hashlib.blake2b(b"hello world", digest_size=8).digest()
    assert text_hashes(["Hello, World!"]).tolist() == [int.from_bytes(digest, "little")]
    values = [0, 1, 2**63, 2**64 - 1]
    for seed in (0, 1, 2**32 - 1):
        assert mixed(np.array(values, dtype=np.uint64), seed).tolist() == [splitmix(value, seed) for value in values]


@given(numbers, st.integers(0, 2**32))
def test_mixed_hashes_are_as_many_as_before(hashes, seed) -> None:
    assert len(set(mixed(hashes, seed).tolist())) == len(set(hashes.tolist()))


def test_seeds_order_anew() -> None:
    hashes = np.arange(1000, dtype=np.uint64)
    ranks = [np.argsort(mixed(hashes, seed)) for seed in (0, 1)]
    assert abs(np.corrcoef(ranks[0], ranks[1])[0, 1]) < 0.1
    assert abs(np.corrcoef(ranks[0], hashes.astype(float))[0, 1]) < 0.1


@given(numbers)
def test_distinct(hashes) -> None:
    assert distinct(hashes).tolist() == sorted(set(hashes.tolist()))


@given(numbers, st.integers(1, 50))
def test_least(hashes, most) -> None:
    rows = least(hashes, most).tolist()
    assert rows == sorted(rows)
    kept = sorted(hashes[rows].tolist())
    assert kept[:most] == sorted(hashes.tolist())[:most]
    assert set(kept) == set(kept[:most])  # beyond them only equal ones


@given(st.lists(st.integers(0, 30), max_size=30))
def test_chunks_cover_all_texts_and_tell_of_each(sizes) -> None:
    texts = ["x" * size for size in sizes]
    told = []
    with_ten = module.CHARACTERS
    module.CHARACTERS = 10
    try:
        parts = list(chunks(texts, "stage", lambda *state: told.append(state), read=20))
    finally:
        module.CHARACTERS = with_ten
    assert [text for part in parts for text in texts[part]] == texts
    assert all(sum(min(20, len(text)) for text in texts[part][:-1]) < 10 for part in parts)
    assert told == [("stage", part.stop, len(texts)) for part in parts]
