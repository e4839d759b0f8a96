import pytest

from sharprecl.augment.views import second_views
from sharprecl.errors import AssetError, MissingExtraError


class Fixed:
    """Changes the texts that contain an x; fails on demand."""

    name = "fixed"
    version = 1

    def __init__(self, error=None):
        self.error = error
        self.calls = 0

    def settings(self):
        return {}

    def augment(self, texts, seed):
        self.calls += 1
        if self.error is not None:
            raise self.error
        return [text.replace("x", "y") for text in texts]


def test_dropout_gives_the_same_texts_and_asks_nobody():
    augmenter = Fixed()
    views = second_views(["x", "b"], "dropout", augmenter=augmenter)
    assert (views.texts, views.name, views.share_changed, views.note) == (["x", "b"], "dropout", 0.0, "")
    assert augmenter.calls == 0


@pytest.mark.parametrize("view", ["auto", "synonyms"])
def test_an_augmenter_that_works_is_used(view, tmp_path):
    views = second_views(["x", "b"], view, augmenter=Fixed(), cache_folder=tmp_path)
    assert (views.texts, views.name, views.share_changed, views.note) == (["y", "b"], "fixed", 0.5, "")
    again = Fixed()
    assert second_views(["x", "b"], view, augmenter=again, cache_folder=tmp_path) == views
    assert again.calls == 0


@pytest.mark.parametrize("error", [MissingExtraError("nltk is missing"), AssetError("no network")])
def test_what_cannot_be_had_gives_dropout_and_a_reason(error):
    views = second_views(["x"], "auto", augmenter=Fixed(error))
    assert (views.texts, views.name) == (["x"], "dropout")
    assert str(error) in views.note
    with pytest.raises(type(error)):
        second_views(["x"], "synonyms", augmenter=Fixed(error))


def test_other_errors_are_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        second_views(["x"], "auto", augmenter=Fixed(ZeroDivisionError()))


def test_texts_that_mostly_stay_get_dropout_and_a_reason():
    texts = ["x", "b", "c"]
    views = second_views(texts, "auto", augmenter=Fixed())
    assert (views.texts, views.name) == (texts, "dropout")
    assert "only 33%" in views.note
    weak = second_views(texts, "synonyms", augmenter=Fixed())
    assert (weak.texts, weak.name) == (["y", "b", "c"], "fixed")
    assert "weak" in weak.note


def test_no_texts_no_complaint():
    assert second_views([], "auto", augmenter=Fixed()).note == ""


@pytest.mark.asset
def test_synonyms_by_default(tmp_path):
    texts = ["what city has the largest hotel ?", "select a film about the king"]
    views = second_views(texts, protected=["film"], cache_folder=tmp_path)
    assert (views.name, views.share_changed, views.note) == ("synonyms", 1.0, "")
    assert "film" in views.texts[1]


@pytest.mark.asset
def test_german_gets_dropout():
    texts = [
        "Welche Stadt hat das größte Gasthaus?",
        "Die Regierung hat am Montag in Berlin neue Pläne vorgestellt",
    ]
    views = second_views(texts)
    assert views.name == "dropout"
    assert "English" in views.note
