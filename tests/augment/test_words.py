"""Where words stand and which may change; -s forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharprecl.augment.words import (
    add_s,
    carries_meaning,
    gaps,
    in_case_of,
    label_words,
    must_stay,
    put_in,
    takes_regular_s,
    wanted,
    words_of,
)

NONE = frozenset()


def words(text):
    return [match[0] for match in words_of(text)]


def test_joined_pieces_are_one_word():
    assert words("the u.s. x-ray, don't (me@home.org)!") == ["the", "u.s", "x-ray", "don't", "me@home.org"]


def test_label_words_come_with_their_plural():
    assert label_words(["Eye diseases", "city-2"]) == {"eye", "eyes", "diseases", "diseaseses", "city", "cities"}


def test_numbers_and_label_words_must_stay():
    kept = ["12", "p53", "3.5", "Eye", "eye-drop"]
    assert [must_stay(word, label_words(["eye"])) for word in [*kept, "drop", "eyed"]] == [True] * 5 + [False] * 2


def test_what_carries_meaning():
    assert [
        word
        for word in ["film", "Film", "the", "MRI", "iPhone", "ox", "don't", "über"]
        if carries_meaning(word, False, NONE)
    ] == [
        "film",
        "Film",
        "über",
    ]
    assert carries_meaning("MRI", True, NONE)
    assert not carries_meaning("film", False, frozenset(["film"]))


def test_new_words_go_between_words():
    text = "(Who) killed x-ray's gandhi?"
    assert put_in(text, gaps(text, words_of(text)), ["1", "2", "3"]) == "(Who) 1 killed 2 x-ray's 3 gandhi?"
    for alone in ("gandhi?", " 'gandhi' "):
        assert put_in(alone, gaps(alone, words_of(alone)), ["new"]) == alone.replace("gandhi", "gandhi new")
    assert gaps("?!", words_of("?!")) == []


def test_case_and_counts():
    assert [in_case_of(word, "movie") for word in ("film", "Film", "FILM")] == ["movie", "Movie", "MOVIE"]
    assert [wanted(0.3, *sizes) for sizes in ((10, 10), (10, 2), (1, 1), (1, 0))] == [3, 2, 1, 0]


@given(st.text(), st.data())
def test_putting_in_only_adds(text, data):
    places = gaps(text, words_of(text))
    chosen = data.draw(st.lists(st.sampled_from(places), unique=True)) if places else []
    assert put_in(text, chosen, ["NEW"] * len(chosen)).replace(" NEW", "").replace("NEW ", "") == text.replace(
        " NEW", ""
    ).replace("NEW ", "")


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("city", "cities"),
        ("boy", "boys"),
        ("box", "boxes"),
        ("match", "matches"),
        ("film", "films"),
        ("glass", "glasses"),
    ],
)
def test_add_s(word, form):
    assert add_s(word) == form


@pytest.mark.parametrize("word", ["gentleman", "grandchild", "housewife", "news", "bacterium", "nucleus"])
def test_irregular_plurals_are_known(word):
    assert not takes_regular_s(word)


@pytest.mark.parametrize("word", ["human", "film", "glass"])
def test_regular_plurals_are_known(word):
    assert takes_regular_s(word)
