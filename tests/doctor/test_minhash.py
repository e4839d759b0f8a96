"""Sketches estimate what they stand for, and bands bring like texts together."""

import random

import numpy as np

from sharprecl.doctor.minhash import BANDS, HASHES, NEIGHBOURS, ROWS, candidates, resemblance, sketch
from sharprecl.doctor.shingles import jaccard

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
    exact = jaccard(texts, *pairs)
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
    expected = 1 - (1 - jaccard(texts, *pairs) ** ROWS) ** BANDS
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
