"""Pieces and their shares, as plain sets count them; sketches estimate those, and bands bring like texts together."""

import random
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.leaks import normalised
from sharprecl.doctor.minhash import (
    BANDS,
    HASHES,
    NEIGHBOURS,
    ROWS,
    WIDTH,
    candidates,
    jaccard,
    resemblance,
    shingles,
    sketch,
)
from sharprecl.doctor.texts import READ

texts_of_few_letters = st.lists(st.text("ab Ж本😀", max_size=14), min_size=2, max_size=8)


def pieces(text: str) -> set[str]:
    spelled = normalised(text[:READ])
    return {spelled[place : place + WIDTH] for place in range(max(1, len(spelled) - WIDTH + 1))}


@given(texts_of_few_letters)
def test_as_many_pieces_as_plain_sets_have_and_equal_ones_alone_are_equal(texts) -> None:
    hashes, starts = shingles(texts)
    found = [set(hashes[start:stop].tolist()) for start, stop in pairwise(starts)]
    assert [len(some) for some in found] == [len(pieces(text)) for text in texts]
    for one, mine in zip(texts, found, strict=True):
        for other, theirs in zip(texts, found, strict=True):
            assert len(mine & theirs) == len(pieces(one) & pieces(other))


@given(texts_of_few_letters)
def test_jaccard_is_that_of_plain_sets(texts) -> None:
    pairs = np.indices((len(texts), len(texts))).reshape(2, -1)
    sets = [pieces(text) for text in texts]
    expected = [len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in pairs.T]
    assert np.allclose(jaccard(texts, pairs), expected, rtol=0, atol=1e-12)


def test_only_the_beginning_of_a_long_text_counts() -> None:
    long = "word and other word " * 2000
    assert jaccard([long, long[:READ] + "and something else"], np.array([[0], [1]])).tolist() == [1.0]
    assert len(shingles([long])[0]) == len(normalised(long[:READ])) - WIDTH + 1


_RANDOM = random.Random(0)
_WORDS = ["".join(_RANDOM.choices("abcdefghijklmnop", k=_RANDOM.randint(2, 9))) for _ in range(400)]


def variants(count: int, changed: float) -> list[str]:
    """Pairs of texts, one after the other, the second with a share of its words changed."""
    texts = []
    for _ in range(count):
        text = _RANDOM.choices(_WORDS, k=_RANDOM.randint(5, 60))
        texts += [text, [_RANDOM.choice(_WORDS) if _RANDOM.random() < changed else word for word in text]]
    return [" ".join(text) for text in texts]


def test_the_estimate_is_unbiased_with_the_error_that_is_stated() -> None:
    texts = variants(400, 0.15)
    pairs = np.arange(800).reshape(400, 2).T
    exact = jaccard(texts, pairs)
    error = resemblance(sketch(texts), pairs) - exact
    assert exact.min() < 0.6
    assert exact.max() > 0.9
    assert abs(error.mean()) < 0.005
    assert error.std() < 0.036
    inside = (exact > 0) & (exact < 1)
    scaled = error[inside] / np.sqrt(exact[inside] * (1 - exact[inside]) / HASHES)
    assert 0.85 < scaled.std() < 1.15


def test_texts_meet_in_a_band_as_often_as_stated() -> None:
    texts = variants(600, 0.2)
    pairs = np.arange(1200).reshape(600, 2).T
    bands = sketch(texts).bands
    met = (bands[:, pairs[0]] == bands[:, pairs[1]]).any(axis=0)
    expected = 1 - (1 - jaccard(texts, pairs) ** ROWS) ** BANDS
    assert abs(met.mean() - expected.mean()) < 0.04
    assert 0.2 < expected.mean() < 0.95


def test_a_text_has_the_same_sketch_in_any_company() -> None:
    texts = variants(20, 0.1)
    whole, alone = sketch(texts), sketch(texts[7:8])
    assert np.array_equal(whole.bands[:, 7], alone.bands[:, 0])
    assert np.array_equal(whole.minima[7], alone.minima[0])


def test_all_pairs_of_a_small_bucket_and_neighbours_of_a_large_one() -> None:
    few = [f"the same long template with hardly any difference at all in its words, number {n}" for n in range(5)]
    met = {tuple(pair) for _, pairs in candidates(sketch(few)) for pair in pairs.T.tolist()}
    assert met == {(a, b) for a in range(5) for b in range(a + 1, 5)}
    band, distance = 0, 0
    for number, pairs in candidates(sketch(["equal"] * 10)):
        band, distance = (number, 1) if number != band or not distance else (band, distance + 1)
        assert pairs.shape[1] == 10 - distance
    assert (band, distance) == (BANDS - 1, 9)
    many = ["equal " * 20] * 500
    found = list(candidates(sketch(many)))
    assert len(found) == BANDS * NEIGHBOURS
    assert max(pairs.shape[1] for _, pairs in found) < 500
    assert all((pairs[0] < pairs[1]).all() for _, pairs in found)


def test_one_text_or_none() -> None:
    assert list(candidates(sketch(["alone"]))) == []
    assert list(candidates(sketch([]))) == []
