"""Keys are equal for equal texts, different for others, and the same in every process."""

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.leaks import normalised
from sharprecl.doctor.keys import distinct, least, mixed, text_keys

numbers = st.lists(st.integers(0, 2**64 - 1), max_size=40).map(lambda values: np.array(values, dtype=np.uint64))


@given(st.lists(st.text(max_size=12), max_size=20))
def test_keys_are_equal_where_the_normalised_texts_are(texts) -> None:
    keys = text_keys(texts)
    assert keys.dtype == np.uint64
    assert keys.tolist() == np.concatenate([text_keys([text]) for text in texts] or [keys]).tolist()
    spelled = [normalised(text) for text in texts]
    assert [[one == other for other in keys] for one in keys] == [
        [one == other for other in spelled] for one in spelled
    ]


def splitmix(value: int, seed: int) -> int:
    z = (value + (2 * seed + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def test_keys_are_the_same_on_every_machine() -> None:
    digest = hashlib.blake2b(b"hello world", digest_size=8).digest()
    assert text_keys(["Hello, World!"]).tolist() == [int.from_bytes(digest, "little")]
    values = [0, 1, 2**63, 2**64 - 1]
    for seed in (0, 1, 2**32 - 1):
        assert mixed(np.array(values, dtype=np.uint64), seed).tolist() == [splitmix(value, seed) for value in values]


@given(numbers, st.integers(0, 2**32))
def test_mixed_keys_are_as_many_as_before(keys, seed) -> None:
    assert len(set(mixed(keys, seed).tolist())) == len(set(keys.tolist()))


def test_seeds_order_anew() -> None:
    keys = np.arange(1000, dtype=np.uint64)
    ranks = [np.argsort(mixed(keys, seed)) for seed in (0, 1)]
    assert abs(np.corrcoef(ranks[0], ranks[1])[0, 1]) < 0.1
    assert abs(np.corrcoef(ranks[0], keys.astype(float))[0, 1]) < 0.1


@given(numbers)
def test_distinct(keys) -> None:
    assert distinct(keys).tolist() == sorted(set(keys.tolist()))


@given(numbers, st.integers(1, 50))
def test_least(keys, most) -> None:
    rows = least(keys, most).tolist()
    assert rows == sorted(rows)
    kept = sorted(keys[rows].tolist())
    assert kept[:most] == sorted(keys.tolist())[:most]
    assert set(kept) == set(kept[:most])  # beyond them only equal ones
