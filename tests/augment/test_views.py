import pytest

from sharprecl.augment.views import second_views
from sharprecl.errors import AssetError, ConfigError, MissingExtraError


class Fixed:
    """Changes the texts that contain an x; fails on demand."""

    name = "fixed"
    version = 1
    seeded = False

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
    assert "fixed changed only 33% of the texts." in views.note
    weak = second_views(texts, "synonyms", augmenter=Fixed())
    assert (weak.texts, weak.name) == (["y", "b", "c"], "fixed")
    assert "weak" in weak.note


def test_no_texts_no_complaint():
    assert second_views([], "auto", augmenter=Fixed()).note == ""


@pytest.mark.parametrize("view", ["synonyms+noise", "noise", "contextual"])
def test_any_other_view_is_taken_as_asked(view):
    assert second_views(["x", "b"], view, augmenter=Fixed()).name == "fixed"
    with pytest.raises(AssetError):
        second_views(["x"], view, augmenter=Fixed(AssetError("no network")))


def test_names_and_settings_reach_the_augmenter(tmp_path):
    texts = ["birds sing in gardens", "12"]
    calm = {"noise": {"insertion": 0, "swap": 0, "typos": 0}}
    views = second_views(texts, "noise", ["birds"], seed=3, cache_folder=tmp_path, settings=calm)
    assert (views.name, views.share_changed, views.note) == ("noise", 0.5, "")
    assert len(views.texts[0].split()) == 3
    assert "birds" in views.texts[0]
    assert second_views(texts, "noise", ["birds"], seed=3, settings=calm) == views
    assert second_views(texts, "noise+noise", settings=calm).name == "noise+noise"


@pytest.mark.parametrize(("view", "settings"), [("nose", {}), ("noise", {"noise": {"tpyos": 1}})])
def test_what_there_is_not_is_refused(view, settings):
    with pytest.raises(ConfigError):
        second_views(["x"], view, settings=settings)


def test_a_weak_noise_is_not_blamed_on_the_language():
    assert second_views(["1", "2"], "noise").note == (
        "The second view is weak: noise changed only 0% of the texts; view 'dropout' costs less."
    )


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
