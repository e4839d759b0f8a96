"""Pieces and their shares, as plain sets count them."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.data.leaks import normalised
from sharprecl.doctor.shingles import WIDTH, jaccard, shingles
from sharprecl.doctor.slices import READ

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
    first, second = (side.ravel() for side in np.indices((len(texts), len(texts))))
    sets = [pieces(text) for text in texts]
    expected = [len(sets[a] & sets[b]) / len(sets[a] | sets[b]) for a, b in zip(first, second, strict=True)]
    assert np.allclose(jaccard(texts, first, second), expected, rtol=0, atol=1e-12)


def test_only_the_beginning_of_a_long_text_counts() -> None:
    long = "word and other word " * 2000
    assert jaccard([long, long[:READ] + "and something else"], np.array([0]), np.array([1])).tolist() == [1.0]
    assert len(shingles([long]).hashes) == len(normalised(long[:READ])) - WIDTH + 1
