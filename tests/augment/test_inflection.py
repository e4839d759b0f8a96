import pytest

from sharprecl.augment.inflection import add_s, takes_regular_s


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
